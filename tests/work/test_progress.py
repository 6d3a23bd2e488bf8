"""Progress is shown to a person who waits, and leaves nothing behind."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from riskanalytics import work
from riskanalytics.work import ProgressReport

LOADING = """
from riskanalytics import work as progress
progress._OFTEN = 0
with progress.ProgressReport.for_reader() as told:
    for done in (1, 2):
        told("loading platforms", done, 2)
"""
INSIDE = "from riskanalytics.work import ProgressReport\nwith ProgressReport():\n    "


@pytest.fixture(scope="module")
def kernel() -> Iterator[BlockingKernelClient]:
    manager, client = start_new_kernel(kernel_name="python3")
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def shown(kernel: BlockingKernelClient, code: str, *, person: bool) -> list[tuple[str, Any]]:
    """Run a cell as a front end with or without a person before it; give kind and content of what it shows."""
    messages: list[tuple[str, Any]] = []

    def take(message: Any) -> None:
        if message["msg_type"] not in ("status", "execute_input"):
            messages.append((message["msg_type"], message["content"]))

    kernel.execute_interactive(code, allow_stdin=person, stdin_hook=lambda _: None, output_hook=take, timeout=120)
    return messages


def on_terminal(code: str) -> str:
    """Run a program whose stderr is a terminal, and give what it writes there."""
    own, its = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", code], stderr=its, env={**os.environ, "TERM": "xterm"}) as program:
        os.close(its)
        written = b""
        while True:
            try:
                part = os.read(own, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            written += part
    os.close(own)
    assert program.returncode == 0, written
    return written.decode()


def test_a_cell_run_by_a_person_shows_one_line_and_removes_it(kernel: BlockingKernelClient) -> None:
    messages = shown(kernel, LOADING, person=True)
    assert [kind for kind, _ in messages] == ["display_data", *["update_display_data"] * 2]
    assert [content["data"] for _, content in messages] == [
        {"text/plain": "loading platforms: 1 of 2"}, {"text/plain": "loading platforms: 2 of 2"}, {},
    ]  # fmt: skip
    assert len({content["transient"]["display_id"] for _, content in messages}) == 1


def test_steps_are_counted_if_their_number_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_OFTEN", 0)
    lines: list[tuple[Any, bool]] = []
    with work._line(lambda data, *, transient, update: lines.append((data.get("text/plain"), update))) as progress:
        progress("loading", 1200, 3000)
        progress("writing", 1, None)
    assert lines == [("loading: 1,200 of 3,000", False), ("writing", True), (None, True)]


def test_a_line_changes_only_so_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_OFTEN", 0.2)
    lines: list[Any] = []
    with work._line(lambda data, **_: lines.append(data.get("text/plain"))) as progress:
        for wait, phase in ((0, "soon"), (0.25, "first"), (0, "again"), (0.25, "second")):
            time.sleep(wait)
            progress(phase, 1, None)
    assert lines == ["first", "second", None]


def test_the_line_is_removed_if_loading_fails_too(kernel: BlockingKernelClient) -> None:
    messages = shown(kernel, f"{LOADING}    raise KeyError", person=True)
    assert [content.get("data") for _, content in messages][-2:] == [{}, None]


def test_quick_operations_show_nothing(kernel: BlockingKernelClient) -> None:
    assert shown(kernel, LOADING.replace("OFTEN = 0", "OFTEN = 999"), person=True) == []


def test_a_headless_notebook_shows_no_progress(kernel: BlockingKernelClient) -> None:
    assert shown(kernel, LOADING, person=False) == []


def test_a_terminal_shows_a_bar_that_disappears() -> None:
    written = on_terminal(LOADING)
    assert "loading platforms" in written
    assert written.endswith("\x1b[2K")


def test_loading_within_a_command_is_shown_in_its_own_bar() -> None:
    written = on_terminal(INSIDE + LOADING.replace("\n", "\n    "))
    assert "starting" in written
    assert "loading platforms" in written
    assert written.count("\x1b[?25l") == 1  # one bar hides the cursor, not two


def test_in_a_file_loading_writes_no_line_and_a_command_one_for_each_phase(capfd: pytest.CaptureFixture[str]) -> None:
    with ProgressReport() as report:
        report("reading the archive", 1, 2)
        report("reading the archive", 2, 2)
        with ProgressReport.for_reader() as result:
            result("loading platforms", 1, 2)
    assert capfd.readouterr() == ("", "reading the archive\n")
