"""The process that serves one report's data: when there is one, how it ends, and what its end costs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from riskanalytics.databases import Server
from riskanalytics.dataset.beside import ask_beside
from riskanalytics.reporting.beside import ServiceBeside, gains
from riskanalytics.settings import Settings, load_settings
from tests.processes_seen import ended, eventually
from tests.reporting.batches_given import ROOT
from tests.service.given import build_database

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, and listed in /proc")

BEGIN = """
import os, sys, time
from riskanalytics.reporting.beside import ServiceBeside
beside = ServiceBeside(os.environ, sys.argv[1])
print(beside._process.pid, flush=True)
time.sleep(600)
"""


def serving(command: int) -> list[int]:
    """The processes that a command has begun to serve its report's data."""
    begun = Path(f"/proc/{command}/task/{command}/children").read_text().split()
    return [int(pid) for pid in begun if "beside:serve" in Path(f"/proc/{pid}/cmdline").read_text()]


def test_a_report_on_a_file_gains_from_a_process_beside_and_others_do_not(tmp_path: Path) -> None:
    if len(os.sched_getaffinity(0)) > 1:
        assert gains(load_settings(database=tmp_path / "a.sqlite"))
    assert not gains(load_settings(base_url="https://risk.example"))
    assert not gains(load_settings(database=tmp_path))
    assert not gains(Settings(cache=tmp_path, database=Server("postgresql://ann@db.example/archive")))


@pytest.mark.parametrize("seconds", [0.0, 5.0], ids=["while it begins", "while it serves"])
def test_the_process_ends_with_the_one_that_began_it(tmp_path: Path, short_folder: Path, seconds: float) -> None:
    place = str(short_folder / "service")
    environment = {**os.environ, "RISKANALYTICS_DATABASE": str(build_database(tmp_path))}
    words = [sys.executable, "-c", BEGIN, place]
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment, cwd=ROOT) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        time.sleep(seconds)
        assert not ended(pid)
        owner.kill()
    eventually(lambda: ended(pid))


def test_a_database_that_is_none_is_not_served(
    tmp_path: Path, short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_text("no database")
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(broken))
    place = str(short_folder / "service")
    beside = ServiceBeside(os.environ, place)
    try:
        assert ask_beside(place) is None
    finally:
        beside.close()


@pytest.mark.slow
def test_a_report_whose_process_is_killed_is_the_same_page(tmp_path: Path) -> None:
    database = build_database(tmp_path)
    pages = []
    for number, moment in enumerate([None, 0.1, 0.8, 1.2, 1.6, 2.0]):
        out = tmp_path / str(number)
        words = [sys.executable, "-m", "riskanalytics.cli", "report", "explore", "--out", str(out)]
        with subprocess.Popen([*words, "--database", str(database)], cwd=ROOT, stderr=subprocess.DEVNULL) as command:
            if moment is not None:
                eventually(lambda command=command: serving(command.pid))
                time.sleep(moment)
                for pid in serving(command.pid):
                    os.kill(pid, signal.SIGKILL)
        assert command.returncode == 0
        (page,) = out.glob("explore-*.html")
        pages.append(page.read_bytes())
    assert pages == [pages[0]] * len(pages)
