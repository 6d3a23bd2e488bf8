"""The queue of corrections: one open for a platform, the same answer to a repeated request, an end to what fails."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access
from riskanalytics.service.corrections import Queue
from riskanalytics.service.corrections.queue import KeyReusedError


def test_an_open_correction_is_joined_and_a_repeated_request_gives_the_same_answer(access: Access) -> None:
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
    assert queue.request("aurelia-chat")["id"] != first["id"]
    with pytest.raises(KeyReusedError):
        queue.request("cafe-lumiere", "key-1")


def test_what_was_cut_off_waits_again(access: Access) -> None:
    queue = Queue(access)
    wanted = queue.request("aurelia-chat")["id"]
    queue.take()
    assert queue.take() is None
    queue.recover()
    assert (queue.take() or {})["id"] == wanted


def test_what_ended_long_ago_is_forgotten_with_its_keys(access: Access) -> None:
    queue = Queue(access)
    old = queue.request("aurelia-chat", "key-1")
    queue.finish(old["id"], "done", {})
    with access.transaction() as connection:
        connection.execute(text("UPDATE correction SET finished_at = '2020-01-01T00:00:00Z'"))
    queue.request("cafe-lumiere")
    assert queue.get(old["id"]) is None
    assert queue.request("cafe-lumiere", "key-1")["platform"] == "cafe-lumiere"


def test_a_keys_file_that_somebody_holds_is_told_by_health_until_it_is_free(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskanalytics.service.store.engine._BUSY_SECONDS", 0.2)
    with contextlib.closing(Access.beside(database)) as access:
        queue = Queue(access)
        with contextlib.closing(sqlite3.connect(f"{database}.access.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(DatabaseError, match="another process is writing"):
                queue.request("aurelia-chat")
            assert access.trouble
        assert queue.request("aurelia-chat")["state"] == "queued"
        assert not access.trouble
