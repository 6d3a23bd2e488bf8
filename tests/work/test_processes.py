"""Work done in processes of this machine."""

from __future__ import annotations

import math
import os
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from riskanalytics.errors import ExecutorError, ReportError
from riskanalytics.extraction import Kept, walked
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.typesetting import typeset, typeset_apart
from riskanalytics.work.executors import WORTH_IT, apart, open_executor, processes, start_fork_server
from tests.processes_seen import ended, eventually
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS

TEXTS = [
    zlib.compress(f"# Terms\n\nWe keep your data for {days} days. We do not sell personal data.".encode())
    for days in (10, 20, 30)
]
HISTORY = [Kept(f"2024-0{month}-01", str(month), text) for month, text in enumerate(TEXTS, start=1)]
TEMPLATE = """#let data = json(bytes(sys.inputs.data))
#set document(title: data.title)
#set text(lang: "en")
#data.title"""
ENDLESS = "#for a in range(1000000) { for b in range(1000000) { let sum = a + b } }"
WHEN = datetime(2026, 5, 1, tzinfo=UTC)


def test_processes_give_the_same_result_as_this_process() -> None:
    with processes(2) as pool:
        asked = [pool.submit(walked, HISTORY), pool.submit(walked, HISTORY[::-1])]
        assert [future.result() for future in asked] == [walked(HISTORY), walked(HISTORY[::-1])]
        with pytest.raises(ValueError, match="invalid literal"):
            pool.submit(int, "x").result()


def test_little_text_is_read_in_this_process() -> None:
    with open_executor(characters=10) as workers:
        assert workers.executor.submit(os.getpid).result() == os.getpid()


@pytest.mark.slow
def test_the_database_has_the_same_bytes_however_many_processes_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for service in ("Aurelia", "Boreal"):
        for month, text in enumerate((PRIVACY, PRIVACY_LATER, "", PRIVACY, TERMS, PRIVACY_LATER), start=1):
            for kind in ("Terms of Service", "Privacy Policy"):
                file = tmp_path / "policies" / service / kind / f"2024-0{month}-01.md"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text + f"\n{service} {kind} {month}\n", encoding="utf-8")
    bytes_of = []
    for count in (0, 1, 3):
        database = tmp_path / f"by-{count}.sqlite"
        monkeypatch.setattr("riskanalytics.ingest.WORTH_IT", 1 if count else math.inf)
        monkeypatch.setattr("riskanalytics.work.executors.cores", lambda count=count: count)
        with open_collection(tmp_path / "policies") as collection:
            ingest(collection, database)
        bytes_of.append(database.read_bytes())
    assert len(set(bytes_of)) == 1
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM change").fetchone() > (12,)


def test_much_text_is_read_in_a_process_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskanalytics.work.executors.cores", lambda: 3)
    with open_executor(characters=WORTH_IT - 1) as few, open_executor(characters=WORTH_IT) as many:
        assert [type(workers.executor) for workers in (few, many)] == [ThreadPoolExecutor, ProcessPoolExecutor]
        assert (few.at_once, many.at_once) == (1, 3)


def _seen(name: str, tell: Callable[..., object]) -> str | None:
    tell("looking", 1, 2)
    return os.environ.get(name)


def test_a_process_has_the_environment_of_the_moment_and_the_one_that_forks_changes_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/nowhere", *filter(None, sys.path)]))
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    before = dict(os.environ)
    start_fork_server()
    assert dict(os.environ) == before
    told: list[tuple[object, ...]] = []
    for value in ("now", None):
        (monkeypatch.setenv("TOLD", value) if value else monkeypatch.delenv("TOLD"))
        assert apart(_seen, "TOLD", progress=lambda *step: told.append(step)) == value
    assert apart(_seen, "PYTHONHASHSEED") is None
    assert told == [("looking", 1, 2)] * 2


def test_tasks_that_have_not_started_at_the_end_of_a_block_are_dropped() -> None:
    with processes(1) as pool:
        asked = [pool.submit(time.sleep, 0.1) for _ in range(40)]
        asked[0].result()
    assert asked[-1].cancelled()


def test_no_process_is_left_at_the_end() -> None:
    with processes(2) as pool:
        pids = {pool.submit(os.getpid).result() for _ in range(4)}
    assert all(ended(pid) for pid in pids)


def test_an_interrupted_block_kills_what_is_running() -> None:
    with pytest.raises(KeyboardInterrupt), processes(1) as pool:
        pid = pool.submit(os.getpid).result()
        pool.submit(time.sleep, 600)
        raise KeyboardInterrupt
    eventually(lambda: ended(pid))


def test_a_killed_process_is_reported_in_one_line() -> None:
    with pytest.raises(ExecutorError, match="ended early: it was killed, or ran out"), processes(1) as pool:
        pool.submit(os._exit, 1).result()


def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text(
        "from riskanalytics.work.executors import processes\nprint('once', flush=True)\n"
        "with processes(2) as pool:\n    print(pool.submit(len, 'abc').result())\n"
    )
    said = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120)
    assert (said.stdout, said.stderr) == ("once\n3\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of POSIX")
@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_they_end_with_the_process_that_started_them(tmp_path: Path, ended_by: signal.Signals) -> None:
    script = tmp_path / "waiting.py"
    script.write_text(
        "import os, signal, time\nfrom riskanalytics.work.executors import processes\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with processes(2) as pool:\n    print(pool.submit(os.getpid).result(), flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as started:
        assert started.stdout is not None
        pid = int(started.stdout.readline())
        below = psutil.Process(started.pid).children(recursive=True)
        started.send_signal(ended_by)
        started.wait(30)
    eventually(lambda: ended(pid))
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive


class Ends:
    """A value that ends the process that reads it, as the system ends one that takes too much memory."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


class TestTypesetting:
    """A compliance report is typeset in a process that ends."""

    pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")

    def test_the_bytes_are_those_of_this_process(self) -> None:
        asked: dict[str, Any] = {"data": {"title": "Report \\ #of 漢字"}, "timestamp": WHEN, "files": {"a.json": "{}"}}
        assert typeset_apart(TEMPLATE, **asked) == typeset(TEMPLATE, **asked)

    def test_an_invalid_template_is_reported_in_one_line(self) -> None:
        with pytest.raises(ReportError, match="could not be made") as caught:
            typeset_apart("#nothing", {"title": "a"}, timestamp=WHEN)
        assert "\n" not in str(caught.value)

    def test_a_process_that_dies_is_reported_in_one_line(self) -> None:
        with pytest.raises(ReportError, match="took more than 60 s, or too much memory; make a smaller report"):
            typeset_apart(TEMPLATE, {"title": Ends()}, timestamp=WHEN)

    def test_a_process_that_takes_too_long_is_ended(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("riskanalytics.typesetting.MOST_SECONDS", 0.5)
        with pytest.raises(ReportError, match="took more than"):
            typeset_apart(ENDLESS, {"title": "a"}, timestamp=WHEN)
