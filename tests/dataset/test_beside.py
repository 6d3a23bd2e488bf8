"""The service of a database in a process beside its reader: the same answers, also where that process has ended."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from riskanalytics.dataset.connecting import connect
from riskanalytics.dataset.held import _BEGUN, _HERE, Held, held_for, hold_soon
from riskanalytics.errors import ServiceError
from riskanalytics.reporting.loading import load_beside
from riskanalytics.settings import load_settings
from tests.service.given import build_database

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, and listed in /proc")

READ = """
import os, signal, sys
from pathlib import Path
from riskanalytics.reporting.beside import ServiceBeside
from riskanalytics.dataset.beside import ask_beside
from riskanalytics.dataset.connecting import connect

def end_beside(how=signal.SIGKILL):
    os.kill(service._process.pid, how)

def told():
    with connect(database) as client:
        said = [client.coverage(), list(client.platforms()), dict(client.machine_platforms(["aurelia-chat", "nobody"]))]
        yield repr(said)
        if ended:
            end_beside()
            yield repr([client.coverage(), *said[1:]])

database, folder, ended = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
os.environ["RISKANALYTICS_DATABASE"] = str(database)
if folder:
    service = ServiceBeside(os.environ, folder + "/service")
    begun = ask_beside(folder + "/service")
    print("beside" if begun and begun.database == database else "within", file=sys.stderr)
if ended == "stopped":
    end_beside(signal.SIGSTOP)
    with connect(database, deadline=1) as client:
        print([type(got).__name__ for _, got in client.machine_platforms(["aurelia-chat"])])
elif ended == "forked":
    with connect(database) as client:
        wanted = client.coverage()
        child = os.fork()
        right = all(client.coverage() == wanted for _ in range(20))
        print("all right" if right else "wrong", flush=True)
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
else:
    for _ in range(2):
        for said in told():
            print(said)
if folder:
    service.close()
"""


def read(database: Path, folder: str = "", ended: str = "", answered: str = "beside") -> list[str]:
    """What a process reads of a database, alone or with another process that serves it."""
    words = [sys.executable, "-W", "error", "-c", READ, str(database), folder, ended]
    done = subprocess.run(words, capture_output=True, text=True, check=False, start_new_session=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr.split() == ([answered] if folder else [])
    return done.stdout.splitlines()


def test_the_answers_are_those_of_a_service_in_the_process(tmp_path: Path) -> None:
    database, folder = build_database(tmp_path), tmp_path / "own"
    folder.mkdir()
    alone = read(database)
    assert read(database, str(folder)) == alone
    assert "aurelia-chat" in alone[0]
    assert "nobody" in alone[0]


def test_where_the_process_has_ended_the_service_in_this_one_answers(tmp_path: Path) -> None:
    database, folder = build_database(tmp_path), tmp_path / "own"
    folder.mkdir()
    first, *later = read(database, str(folder), "ended")
    assert later == [first] * 3


def test_a_process_that_stands_still_costs_a_load_its_deadline_and_no_more(tmp_path: Path) -> None:
    database, folder = build_database(tmp_path), tmp_path / "own"
    folder.mkdir()
    assert read(database, str(folder), "stopped") == ["['Unreachable']"]


def test_a_folder_whose_path_is_too_long_for_a_socket_is_served_from_within(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    database = build_database(tmp_path)
    assert read(database, str(folder), answered="within") == read(database)
    assert list(folder.iterdir()) == []


def test_who_asks_for_data_that_are_being_loaded_waits_for_them(tmp_path: Path) -> None:
    settings, found = load_settings(database=tmp_path / "a.sqlite"), Held({})
    found.source = settings.environment()

    def slow() -> Held:
        time.sleep(0.3)
        return found

    before = len(_HERE)
    hold_soon(slow)
    hold_soon(lambda: None)
    try:
        assert held_for(settings) is found
        assert held_for(load_settings(database=tmp_path / "b.sqlite")) is None
    finally:
        del _HERE[before:]
        _BEGUN.clear()


def test_data_that_were_loaded_of_a_file_are_not_given_where_another_took_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, other = build_database(tmp_path), tmp_path / "other.sqlite"
    shutil.copy(database, other)
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(database))
    settings, before = load_settings(), len(_HERE)
    begin = load_beside("explore", {}, str(tmp_path / "nobody"))
    assert begin is not None
    begin()
    try:
        found = held_for(settings)
        assert found is not None
        assert len(found.days) == 1
        with connect(settings=settings) as client:
            other.replace(database)
            with pytest.raises(ServiceError, match="connect again"):
                client.coverage()
        assert held_for(settings) is None
        with connect(settings=settings) as client:
            assert client.coverage()["tracked"] > 0
    finally:
        del _HERE[before:]
        _BEGUN.clear()


def test_a_fork_of_the_reader_asks_the_service_in_itself(tmp_path: Path) -> None:
    database, folder = build_database(tmp_path), tmp_path / "own"
    folder.mkdir()
    assert set(read(database, str(folder), "forked")) == {"all right"}
