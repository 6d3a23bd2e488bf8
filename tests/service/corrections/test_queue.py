"""The queue of corrections: one open for a platform, the same answer to a repeated request, an end to what fails."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access
from riskanalytics.service.corrections import Queue
from riskanalytics.service.corrections.queue import MOST_ATTEMPTS, KeyReusedError


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
