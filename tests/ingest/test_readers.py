"""Texts read in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from riskanalytics.extraction import extract
from riskanalytics.ingest.readers import Readers

TEXTS = [f"# Terms\n\nWe keep your data for {days} days. We do not sell personal data." for days in (10, 20, 30)]


def test_processes_read_what_this_one_would() -> None:
    with Readers(2) as readers:
        asked = [readers.read(TEXTS), readers.read(TEXTS[::-1])]
        told = [future.result() for future in asked]
    assert told == [[extract(text) for text in texts] for texts in (TEXTS, TEXTS[::-1])]


def test_none_is_left_when_they_are_no_longer_needed() -> None:
    with Readers(2) as readers:
        readers.read(TEXTS).result()
        assert len(children()) == 2
    assert not children()


def test_a_process_that_is_killed_costs_nothing_but_time() -> None:
    with Readers(1) as readers:
        readers.read(TEXTS).result()
        for child in children():
            os.kill(child.pid, signal.SIGKILL)
        assert readers.read(TEXTS).result() == [extract(text) for text in TEXTS]
        assert readers.read(TEXTS).result() == [extract(text) for text in TEXTS]


def test_where_no_process_can_be_started_texts_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with Readers(2) as readers:
        assert readers.read(TEXTS).result() == [extract(text) for text in TEXTS]


@pytest.mark.slow
def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text(
        "from riskanalytics.ingest.readers import Readers\n"
        "print('once')\n"
        "with Readers(2) as readers:\n"
        "    print(len(readers.read(['# Terms']).result()))\n"
    )
    told = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120)
    assert (told.stdout, told.stderr) == ("once\n1\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of POSIX")
@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_they_end_with_the_process_that_started_them(tmp_path: Path, ended_by: signal.Signals) -> None:
    script = tmp_path / "waiting.py"
    script.write_text(
        "import signal, time\nfrom riskanalytics.ingest.readers import Readers\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with Readers(2) as readers:\n"
        "    readers.read(['# Terms']).result()\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        below = psutil.Process(started.pid).children()
        assert len(below) == 2
        started.send_signal(ended_by)
        started.wait(30)
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive


def children() -> list[psutil.Process]:
    """Processes that were started by `Readers` here."""
    deadline = time.monotonic() + 5
    while True:
        found = [child for child in psutil.Process().children() if "ingest.readers" in " ".join(child.cmdline())]
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)
        if not psutil.Process().children():
            return []
