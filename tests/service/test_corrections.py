"""Corrections: a queue with one per platform, runs that repair wrong data, and reported failures."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access, Store
from riskanalytics.service.corrections import Queue, rerun, run_corrections
from riskanalytics.service.door.problems import Problem
from riskanalytics.service.store.files import backup
from riskanalytics.service.store.records import Json
from riskanalytics.service.subscriptions import now
from riskanalytics.settings.databases import Place
from tests.service.given import by_hand


def content(database: Path) -> list[tuple[object, ...]]:
    """What readers see of all platforms."""
    with contextlib.closing(Store(database)) as store:
        states = [store.platform(slug) for slug, _ in store.names()]
        return [(state, store.findings(state)) for state in states if state is not None]


@pytest.fixture
def database(given_database: Path, tmp_path: Path) -> Path:
    """A copy that a test may write to."""
    backup(given_database, tmp_path / "copy.sqlite")
    return tmp_path / "copy.sqlite"


@pytest.fixture
def access(copied_place: Place) -> Iterator[Access]:
    """The queue's place, in a file and on a server."""
    made = Access.of(copied_place)
    yield made
    made.close()


def test_an_unfinished_correction_is_reused_and_a_repeated_request_gets_the_same_response(access: Access) -> None:
    queue = Queue(access)
    first = queue.request("aurelia-chat", "key-1")
    assert queue.request("aurelia-chat") == first
    assert queue.request("aurelia-chat", "key-2") == first
    assert queue.take() == first | {"state": "running"}
    assert queue.take() is None
    assert queue.request("aurelia-chat") == first | {"state": "running"}
    queue.finish(first["id"], "done", {"reread": 0})
    again = queue.request("aurelia-chat", "key-2")
    assert (again["id"], again["state"], again["outcome"]) == (first["id"], "done", {"reread": 0})
    assert first["requested_at"] <= again["finished_at"] <= now()
    assert queue.request("aurelia-chat")["id"] != first["id"]
    with pytest.raises(Problem):
        queue.request("cafe-lumiere", "key-1")


def test_an_interrupted_correction_waits_again(access: Access) -> None:
    queue = Queue(access)
    wanted = queue.request("aurelia-chat")["id"]
    queue.take()
    assert queue.take() is None
    queue.recover()
    assert (queue.take() or {})["id"] == wanted
    queue.finish(wanted, "failed", {"reason": "none"})
    queue.recover()
    assert (queue.get(wanted) or {})["state"] == "failed"
    assert queue.take() is None


def test_each_platform_has_its_own_correction_and_the_longest_waiting_one_runs_first(access: Access) -> None:
    queue = Queue(access)
    wanted = [queue.request(slug)["id"] for slug in ("northwind-draft", "aurelia-chat", "cafe-lumiere")]
    assert len(set(wanted)) == 3
    assert [(queue.take() or {})["id"] for _ in wanted] == wanted


def test_old_corrections_are_deleted_with_their_idempotency_keys(access: Access) -> None:
    queue = Queue(access)
    old = queue.request("aurelia-chat", "key-1")
    queue.finish(old["id"], "done", {})
    with access.transaction() as connection:
        connection.execute(text(f"UPDATE correction SET finished_at = '{now(timedelta(days=29, hours=23))}'"))
    queue.finish(queue.request("northwind-draft")["id"], "done", {})
    assert queue.get(old["id"]) is not None
    with access.transaction() as connection:
        connection.execute(text(f"UPDATE correction SET finished_at = '{now(timedelta(days=30, hours=1))}'"))
    queue.request("cafe-lumiere")
    assert queue.get(old["id"]) is None
    assert queue.request("cafe-lumiere", "key-1")["platform"] == "cafe-lumiere"


def test_health_reports_a_locked_key_file_until_it_is_free(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskanalytics.service.store.engine._BUSY_SECONDS", 0.2)
    with contextlib.closing(Access.of(database)) as access:
        queue = Queue(access)
        with contextlib.closing(sqlite3.connect(f"{database}.access.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(DatabaseError, match="another process is writing"):
                queue.request("aurelia-chat")
            assert access.trouble
        assert queue.request("aurelia-chat")["state"] == "queued"
        assert not access.trouble


def damage(database: Path, statement: str) -> None:
    with by_hand(database) as connection:
        connection.execute(statement)


def test_a_correction_of_correct_data_changes_nothing(database: Path) -> None:
    before = content(database)
    assert rerun(database, "aurelia-chat") == {
        "findings": {"added": 0, "removed": 0, "kept": 5},
        "rating_before": "MED",
        "rating_after": "MED",
        "reread": 0,
    }
    assert content(database) == before


def test_a_correction_repairs_wrong_stored_findings(database: Path) -> None:
    before = content(database)
    damage(database, "UPDATE finding SET start = start + 1 WHERE surface = 'content_license'")
    found = rerun(database, "aurelia-chat")
    assert found["findings"] == {"added": 1, "removed": 1, "kept": 4}
    assert found["reread"] == 1
    assert content(database) == before


def test_a_correction_states_what_was_missing_and_the_rating_before_and_after(database: Path) -> None:
    damage(database, "DELETE FROM finding WHERE surface IN ('content_license', 'terms_changes')")
    damage(database, "UPDATE state SET rating = 'LOW'")
    found = rerun(database, "aurelia-chat")
    assert found["findings"] == {"added": 2, "removed": 0, "kept": 3}
    assert (found["rating_before"], found["rating_after"]) == ("LOW", "MED")


@pytest.mark.parametrize("rules", ["those of now", "older"])
def test_a_damaged_snapshot_is_reported_and_the_platform_is_unchanged(database: Path, rules: str) -> None:
    before = content(database)
    if rules == "older":
        damage(database, "UPDATE snapshot SET rules = 'older'")
    damage(database, "UPDATE snapshot SET sha256 = replace(sha256, substr(sha256, 1, 4), 'ffff')")
    with pytest.raises(DatabaseError, match="is damaged"):
        rerun(database, "aurelia-chat")
    assert [state["rating"] for state, _ in content(database)] == [state["rating"] for state, _ in before]


def test_a_snapshot_that_cannot_be_unpacked_is_reported_as_damage(database: Path) -> None:
    damage(database, "UPDATE snapshot SET body = substr(body, 1, 9)")
    with pytest.raises(DatabaseError, match=r"copy\.sqlite is damaged: restore a backup"):
        rerun(database, "aurelia-chat")


def finished(database: Place, queue: Queue, *identifiers: str, seconds: float = 60) -> list[Json]:
    """Run corrections until these have ended."""

    async def run() -> list[Json]:
        task = asyncio.ensure_future(run_corrections(database, queue))
        try:
            async with asyncio.timeout(seconds):
                while True:
                    found = [queue.get(identifier) or {} for identifier in identifiers]
                    if all(one["state"] in ("done", "failed") for one in found):
                        return found
                    await asyncio.sleep(0.05)
        finally:
            task.cancel()

    return asyncio.run(run())


@pytest.mark.slow
def test_corrections_run_and_their_outcome_is_stored(copied_place: Place, access: Access) -> None:
    queue = Queue(access)
    wanted = [queue.request(slug)["id"] for slug in ("aurelia-chat", "cafe-lumiere")]
    found = finished(copied_place, queue, *wanted)
    assert [one["state"] for one in found] == ["done", "done"]
    assert found[0]["outcome"]["findings"] == {"added": 0, "removed": 0, "kept": 5}


@pytest.mark.slow
def test_a_failed_correction_is_reported_and_the_next_one_runs(database: Path) -> None:
    with by_hand(database) as connection:
        connection.execute(
            "UPDATE snapshot SET sha256 = replace(sha256, substr(sha256, 1, 4), 'ffff') WHERE id IN (SELECT snapshot_id "
            "FROM capture c JOIN document d ON d.id = c.document_id JOIN platform p ON p.id = d.platform_id "
            "WHERE p.slug = 'aurelia-chat')"
        )
    with contextlib.closing(Access.of(database)) as access:
        queue = Queue(access)
        wanted = [queue.request(slug)["id"] for slug in ("aurelia-chat", "northwind-draft")]
        found = finished(database, queue, *wanted)
    assert [one["state"] for one in found] == ["failed", "done"]
    assert found[0]["outcome"] == {"reason": "the review could not be run; the platform is unchanged"}


HELD = """
import asyncio, sys
from pathlib import Path
from riskanalytics.service import Access
from riskanalytics.service.corrections import Queue, run_corrections
database = Path(sys.argv[1])
asyncio.run(run_corrections(database, Queue(Access.of(database))))
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.7, 1.5, 2.5])
def test_the_next_server_runs_the_correction_of_a_killed_one(database: Path, after: float) -> None:
    before = content(database)
    with contextlib.closing(Access.of(database)) as access:
        queue = Queue(access)
        wanted = queue.request("aurelia-chat")["id"]
        process = subprocess.Popen([sys.executable, "-c", HELD, str(database)])
        time.sleep(after)
        process.kill()
        process.wait()
        assert [one["state"] for one in finished(database, queue, wanted)] == ["done"]
    assert content(database) == before
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
