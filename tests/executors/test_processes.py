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
from contextlib import closing
from functools import partial
from pathlib import Path

import psutil
import pytest

from riskanalytics.errors import ExecutorError
from riskanalytics.executors import Here, Processes
from riskanalytics.extraction import Kept, walked
from riskanalytics.ingest import ingest, open_collection
from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS

TEXTS = [
    zlib.compress(f"# Terms\n\nWe keep your data for {days} days. We do not sell personal data.".encode())
    for days in (10, 20, 30)
]
HISTORY = [Kept(f"2024-0{month}-01", str(month), text) for month, text in enumerate(TEXTS, start=1)]


def test_processes_make_of_a_history_what_this_one_would() -> None:
    with Processes(2) as executor:
        asked = [executor.submit(walked, HISTORY), executor.submit(walked, HISTORY[::-1])]
        told = [future.result() for future in asked]
    assert told == [walked(HISTORY), walked(HISTORY[::-1])]


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
    for count in (0, 1, 2, 3):
        database = tmp_path / f"by-{count}.sqlite"
        monkeypatch.setattr("riskanalytics.ingest.WORTH_IT", 1 if count else math.inf)
        monkeypatch.setattr("riskanalytics.executors.Processes", partial(Processes, count))
        with open_collection(tmp_path / "policies") as collection:
            ingest(collection, database)
        bytes_of.append(database.read_bytes())
    assert len(set(bytes_of)) == 1
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM change").fetchone() > (12,)


@pytest.mark.slow
def test_none_is_left_when_they_are_no_longer_needed() -> None:
    with Processes(2) as executor:
        for walk in [executor.submit(walked, HISTORY) for _ in range(6)]:
            walk.result()
        assert children()
    assert not children()


def test_a_process_that_is_killed_costs_nothing_but_time() -> None:
    with Processes(1) as executor:
        executor.submit(walked, HISTORY).result()
        for child in children():
            os.kill(child.pid, signal.SIGKILL)
        assert executor.submit(walked, HISTORY).result() == walked(HISTORY)
        assert executor.submit(walked, HISTORY).result() == walked(HISTORY)


def test_a_work_that_kills_its_process_twice_fails_alone() -> None:
    with Processes(1) as executor:
        with pytest.raises(ExecutorError, match="the process of _exit ended early, twice"):
            executor.submit(os._exit, 1).result()
        assert executor.submit(len, "abc").result() == 3


def test_what_a_work_raises_comes_with_its_future() -> None:
    with Processes(1) as processes, Here() as here:
        for executor in (processes, here):
            with pytest.raises(ValueError, match="invalid literal"):
                executor.submit(int, "x").result()
            assert executor.submit(int, "7").result() == 7


def test_where_no_process_can_be_started_it_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with Processes(2) as executor:
        assert executor.submit(walked, HISTORY).result() == walked(HISTORY)


@pytest.mark.slow
def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text(
        "from zlib import compress\nfrom riskanalytics.extraction import Kept, walked\n"
        "from riskanalytics.executors import Processes\n"
        "print('once')\n"
        "with Processes(2) as executor:\n"
        "    print(len(executor.submit(walked, [Kept('2024-01-01', '', compress(b'# Terms'))]).result()))\n"
    )
    told = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120)
    assert (told.stdout, told.stderr) == ("once\n1\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of POSIX")
@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGKILL])
def test_they_end_with_the_process_that_started_them(tmp_path: Path, ended_by: signal.Signals) -> None:
    script = tmp_path / "waiting.py"
    script.write_text(
        "import signal, time\nfrom zlib import compress\nfrom riskanalytics.extraction import Kept, walked\n"
        "from riskanalytics.executors import Processes\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "with Processes(2) as executor:\n"
        "    executor.submit(walked, [Kept('2024-01-01', '', compress(b'# Terms'))]).result()\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as started:
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        below = psutil.Process(started.pid).children()
        assert len(below) == 1
        started.send_signal(ended_by)
        started.wait(30)
    _, alive = psutil.wait_procs(below, timeout=30)
    assert not alive


def children() -> list[psutil.Process]:
    """Processes that were started by `Processes` here."""
    deadline = time.monotonic() + 5
    while True:
        found = [child for child in psutil.Process().children() if "call_for_others" in " ".join(child.cmdline())]
        if found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)
        if not psutil.Process().children():
            return []
