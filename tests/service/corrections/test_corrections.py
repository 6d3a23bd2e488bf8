"""Corrections: one run for a platform at a time, whole or not at all, also when processes die."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access, Store
from riskanalytics.service.corrections import Queue, Worker
from riskanalytics.service.corrections.queue import MOST_ATTEMPTS, KeyReusedError
from riskanalytics.service.corrections.rerun import rerun
from tests.service.given import by_hand


@pytest.fixture
def database(given_database: Path, tmp_path: Path) -> Path:
    """A copy that a test may write to."""
    copy = tmp_path / "copy.sqlite"
    with (
        contextlib.closing(sqlite3.connect(given_database)) as whole,
        contextlib.closing(sqlite3.connect(copy)) as part,
    ):
        whole.backup(part)
    return copy


@pytest.fixture
def access(database: Path) -> Iterator[Access]:
    made = Access.beside(database)
    yield made
    made.close()


def content(database: Path) -> list[tuple[object, ...]]:
    """What readers see of all platforms."""
    with contextlib.closing(Store(database)) as store:
        states = [store.platform(slug) for slug, _ in store.names()]
        return [(state, store.findings(state)) for state in states if state is not None]


def damage(database: Path, statement: str) -> None:
    with by_hand(database) as connection:
        connection.execute(statement)


def test_a_run_on_sound_data_keeps_every_finding_and_changes_nothing(database: Path) -> None:
    before = content(database)
    assert rerun(database, "aurelia-chat") == {
        "findings": {"added": 0, "removed": 0, "kept": 5},
        "rating_before": "MED",
        "rating_after": "MED",
        "reread": 0,
    }
    assert content(database) == before


def test_a_run_puts_right_what_is_stored_wrong(database: Path) -> None:
    before = content(database)
    damage(database, "UPDATE finding SET start = start + 1 WHERE surface = 'content_license'")
    found = rerun(database, "aurelia-chat")
    assert found["findings"] == {"added": 1, "removed": 1, "kept": 4}
    assert found["reread"] == 1
    assert content(database) == before


def test_a_damaged_snapshot_is_told_and_the_platform_stays_as_it_was(database: Path) -> None:
    before = content(database)
    damage(database, "UPDATE snapshot SET sha256 = replace(sha256, substr(sha256, 1, 4), 'ffff')")
    with pytest.raises(DatabaseError, match="is damaged"):
        rerun(database, "aurelia-chat")
    assert [state["rating"] for state, _ in content(database)] == [state["rating"] for state, _ in before]


def test_an_open_correction_is_joined_and_a_repeated_request_gives_the_same_answer(access: Access) -> None:
    queue = Queue(access)
    first = queue.request("aurelia-chat", "key-1")
    assert queue.request("aurelia-chat") == first
    assert queue.request("aurelia-chat", "key-2") == first
    assert queue.take() == first
    assert queue.take() is None
    queue.finish(first.id, "done", {"reread": 0})
    again = queue.request("aurelia-chat", "key-2")
    assert (again.id, again.state, again.outcome) == (first.id, "done", {"reread": 0})
    assert queue.request("aurelia-chat").id != first.id
    with pytest.raises(KeyReusedError):
        queue.request("cafe-lumiere", "key-1")


def test_what_was_cut_off_waits_again_until_it_was_cut_off_too_often(access: Access) -> None:
    queue = Queue(access)
    wanted = queue.request("aurelia-chat")
    for _ in range(MOST_ATTEMPTS):
        assert queue.take() is not None
        queue.recover()
    given_up = queue.get(wanted.id)
    assert given_up is not None
    assert (given_up.state, given_up.outcome) == ("failed", {"reason": "the run was cut off 3 times"})


def test_what_ended_long_ago_is_forgotten_with_its_keys(access: Access) -> None:
    queue = Queue(access)
    old = queue.request("aurelia-chat", "key-1")
    queue.finish(old.id, "done", {})
    with access.transaction() as connection:
        connection.execute("UPDATE correction SET finished_at = '2020-01-01T00:00:00Z'")
    queue.request("cafe-lumiere")
    assert queue.get(old.id) is None
    assert queue.request("cafe-lumiere", "key-1").platform == "cafe-lumiere"


def finished(queue: Queue, identifier: str, seconds: float = 20) -> str:
    """State of a correction once it has ended."""
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        found = queue.get(identifier)
        assert found is not None
        if found.state in ("done", "failed"):
            return found.state
        time.sleep(0.05)
    return "open"


def test_two_workers_on_one_database_run_each_correction_once(database: Path, access: Access) -> None:
    queue = Queue(access)
    wanted = [queue.request(slug).id for slug in ("aurelia-chat", "cafe-lumiere")]
    workers = [Worker(database, access) for _ in range(2)]
    for worker in workers:
        worker.start()
    assert [finished(queue, identifier) for identifier in wanted] == ["done", "done"]
    for worker in workers:
        worker.stop()
    with access.reading() as connection:
        assert connection.execute("SELECT sum(attempts) FROM correction").fetchone() == (2,)


HELD = """
import sys, time
from pathlib import Path
from riskanalytics.service import Access
from riskanalytics.service.corrections import Worker
from tests.service.given import by_hand
database = Path(sys.argv[1])
Worker(database, Access.beside(database)).start()
time.sleep(60)
"""


@pytest.mark.parametrize("after", [0.3, 0.7, 1.1])
def test_a_killed_server_leaves_its_correction_to_the_next(database: Path, access: Access, after: float) -> None:
    before = content(database)
    queue = Queue(access)
    wanted = queue.request("aurelia-chat").id
    process = subprocess.Popen([sys.executable, "-c", HELD, str(database)])
    time.sleep(after)
    process.kill()
    process.wait()
    worker = Worker(database, access)
    worker.start()
    assert finished(queue, wanted) == "done"
    worker.stop()
    assert content(database) == before
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_run_that_fails_is_tried_again_and_given_up_at_last(access: Access) -> None:
    queue = Queue(access)
    wanted = queue.request("aurelia-chat")
    for _ in range(MOST_ATTEMPTS):
        taken = queue.take()
        assert taken is not None
        assert taken.id == wanted.id
        queue.try_again(wanted.id, {"reason": "could not be run"})
    assert queue.take() is None
    given_up = queue.get(wanted.id)
    assert given_up is not None
    assert (given_up.state, given_up.outcome) == ("failed", {"reason": "could not be run"})
    assert given_up.finished_at is not None


def test_a_keys_file_that_somebody_holds_is_told_by_health_until_it_is_free(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskanalytics.service.keys.access._BUSY_SECONDS", 0.2)
    with contextlib.closing(Access.beside(database)) as access:
        queue = Queue(access)
        with contextlib.closing(sqlite3.connect(f"{database}.access.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(DatabaseError, match="database is locked"):
                queue.request("aurelia-chat")
            assert access.trouble
        assert queue.request("aurelia-chat").state == "queued"
        assert not access.trouble
