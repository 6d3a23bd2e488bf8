"""Files that are damaged, replaced or rewritten under a running service: a refusal in one line, never wrong data."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from riskanalytics.errors import DatabaseError
from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Access, Store
from riskanalytics.service.store.files import backup
from riskanalytics.service.store.search import search_clauses
from tests.service.given import FILES, Caller, by_hand, written


@pytest.fixture
def copied(given_database: Path, tmp_path: Path) -> Path:
    """A copy of the literal database that a test may damage."""
    return Path(shutil.copy(given_database, tmp_path / "copied.sqlite"))


@pytest.fixture
def on_copy(copied: Path) -> Iterator[Caller]:
    caller = Caller(copied)
    yield caller
    caller.close()


def test_a_database_truncated_while_served_is_one_line_in_the_log(
    copied: Path, on_copy: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    assert on_copy.call("/api/coverage").status == 200
    copied.write_bytes(b"")
    for path in ("/api/coverage", "/platform/aurelia-chat", "/llms.txt", "/health"):
        reply = on_copy.call(path)
        assert (reply.status, reply.headers["content-type"]) == (503, "application/problem+json")
        assert reply.headers["retry-after"] == "30"
        assert str(copied.parent) not in reply.body.decode()
    logged = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(logged) == 4
    assert all(record.exc_info is None and "\n" not in record.getMessage() for record in logged)


def test_an_unreadable_key_file_is_one_line_in_the_log(given_database: Path, tmp_path: Path) -> None:
    with closing(Access(tmp_path / "keys")) as access:
        key = access.issue("a@b.example", "pro")
        with closing(sqlite3.connect(tmp_path / "keys")) as other:
            other.execute("DROP TABLE subscription")
        with pytest.raises(DatabaseError, match=r"keys cannot be used: no such table"):
            access.holder_of(key)
    caller = Caller(given_database)
    with caller.access.transaction() as connection:
        connection.execute(text("DROP TABLE subscription"))
    reply = caller.call("/api/v1/platforms", tier="pro")
    assert (reply.status, reply.json()["title"]) == (503, "Service unavailable")
    assert len(reply.headers["x-request-id"]) == 16
    caller.close()


def test_a_snapshot_with_changed_bytes_is_not_served(copied: Path) -> None:
    with by_hand(copied) as writer:
        sha256, body = writer.execute("SELECT sha256, body FROM snapshot LIMIT 1").fetchone()
        for damaged in (zlib.compress(zlib.decompress(body).replace(b"not", b"now") + b" "), body[:-4]):
            writer.execute("UPDATE snapshot SET body = ? WHERE sha256 = ?", (damaged, sha256))
            writer.commit()
            caller = Caller(copied)
            assert caller.call(f"/archive/{sha256}").status == 503
            caller.close()


def test_a_truncated_file_is_refused_on_every_attempt(copied: Path) -> None:
    with closing(Store(copied)) as before:
        with before.one_state():
            assert Path(f"{copied}-wal").stat().st_size == 0
            os.truncate(copied, copied.stat().st_size - 1)
            for _ in range(2):
                with pytest.raises(DatabaseError, match="is truncated"):
                    Store(copied)
        with pytest.raises(DatabaseError, match="is truncated"):
            before.count()
    with pytest.raises(DatabaseError, match="is truncated"):
        Store(copied)


def test_a_client_that_disconnects_within_its_body_logs_no_error(
    caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "https",
        "path": "/api/verified/ask", "raw_path": b"/api/verified/ask", "query_string": b"", "root_path": "",
        "headers": [(b"content-type", b"application/json")], "server": ("x", 443), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    unread: list[dict[str, Any]] = [{"type": "http.request", "body": b"{", "more_body": True}]

    async def receive() -> dict[str, Any]:
        return unread.pop() if unread else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        pass

    asyncio.run(caller.app(scope, receive, send))
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_backup_that_replaces_a_served_file_is_used_by_the_next_request(
    copied: Path, on_copy: Caller, tmp_path: Path
) -> None:
    assert on_copy.call("/api/coverage").json()["tracked"] == 3
    restored = tmp_path / "restored.sqlite"
    backup(copied, restored)
    with by_hand(restored) as writer:
        writer.execute("DELETE FROM state WHERE platform_id = (SELECT id FROM platform WHERE slug = 'cafe-lumiere')")
    backup(restored, copied)
    assert on_copy.call("/api/coverage").json()["tracked"] == 2
    junk = tmp_path / "junk"
    junk.write_bytes(b"junk" * 5000)
    junk.replace(copied)
    assert on_copy.call("/api/coverage").status == 503
    copied.unlink()
    assert on_copy.call("/api/coverage").status == 503


def read_through(database: Path) -> None:
    """Ask a database for names, states, findings and a search."""
    with closing(Store(database)) as store:
        states = [store.platform(slug) for slug, _ in store.names()]
        for state in states:
            store.findings(state or {})
        search_clauses(store, "models", surface=None, limit=9, offset=0)
        store.check_integrity()


def test_readers_and_writers_refuse_any_overwritten_sector_in_one_line(copied: Path, tmp_path: Path) -> None:
    whole, refused, dataset = copied.read_bytes(), 0, written(tmp_path / "dataset", FILES)
    for at in range(0, len(whole), 4096):
        copied.write_bytes(whole[:at] + b"\xff" * 512 + whole[at + 512 :])
        try:
            read_through(copied)
            with open_collection(dataset) as collection:
                ingest(collection, copied)
        except DatabaseError as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > len(whole) // 4096 // 2


def test_damaged_table_text_gives_a_one_line_error(copied: Path) -> None:
    """SQLite repeats them in its message, which Python then cannot read."""
    whole = copied.read_bytes()
    copied.write_bytes(whole.replace(b" ON change (", b" ON \xe3hange ("))
    with pytest.raises(DatabaseError, match="is malformed"):
        Store(copied)
