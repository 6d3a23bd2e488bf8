"""Backups: one consistent state, also of a database that is written meanwhile."""

from __future__ import annotations

import contextlib
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access, Store, subscriptions
from riskanalytics.service.store import backup


def test_a_backup_holds_the_data_and_the_keys_and_no_key(given_database: Path, tmp_path: Path) -> None:
    database = tmp_path / "live.sqlite"
    backup(given_database, database)
    with contextlib.closing(Access.beside(database)) as access:
        key = access.issue("ann@company.example", "pro")
        backup(database, tmp_path / "copy.sqlite")
    with contextlib.closing(Store(tmp_path / "copy.sqlite")) as copy, contextlib.closing(Store(database)) as live:
        assert copy.platforms(limit=9) == live.platforms(limit=9)
        copy.check_integrity()
    with contextlib.closing(Access.beside(tmp_path / "copy.sqlite")) as restored:
        assert restored.holder_of(key) == (1, "pro")
    for path in tmp_path.iterdir():
        assert key.encode() not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_backup_of_a_database_that_is_written_is_one_state(tmp_path: Path, given_database: Path) -> None:
    database = tmp_path / "live.sqlite"
    backup(given_database, database)
    ended = threading.Event()

    def write() -> None:
        with contextlib.closing(sqlite3.connect(database, isolation_level=None, timeout=10)) as connection:
            number = 0
            while not ended.is_set():
                number += 1
                connection.execute("BEGIN IMMEDIATE")
                for key in ("one", "two"):
                    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, str(number)))
                connection.execute("COMMIT")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(20):
            backup(database, tmp_path / f"{number}.sqlite")
    finally:
        ended.set()
        writer.join()
    seen = set()
    for number in range(20):
        with contextlib.closing(Store(tmp_path / f"{number}.sqlite")) as copy:
            assert copy.meta("one") == copy.meta("two")
            seen.add(copy.meta("one"))
    assert len(seen) > 1


def test_what_cannot_be_copied_leaves_the_older_backup_as_it_was(tmp_path: Path, given_database: Path) -> None:
    target = tmp_path / "copy.sqlite"
    backup(given_database, target)
    whole = target.read_bytes()
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(whole[: len(whole) // 2])
    (tmp_path / "other.sqlite").write_text("something else")
    for database in (damaged, tmp_path / "other.sqlite", tmp_path / "missing.sqlite"):
        with pytest.raises(DatabaseError) as refused:
            backup(database, target)
        assert "\n" not in str(refused.value)
    with pytest.raises(DatabaseError, match="is the database itself"):
        backup(target, target)
    with pytest.raises(DatabaseError, match="could not be copied"):
        backup(given_database, tmp_path / "no folder" / "copy.sqlite")
    assert target.read_bytes() == whole
    left = {path.name.removesuffix("-shm").removesuffix("-wal") for path in tmp_path.iterdir()}
    assert sorted(left) == ["copy.sqlite", "damaged.sqlite", "other.sqlite"]


def test_a_backup_beside_a_running_subscription_file_replaces_it_whole(tmp_path: Path, given_database: Path) -> None:
    database, target = tmp_path / "live.sqlite", tmp_path / "copy.sqlite"
    backup(given_database, database)
    subscriptions.start(database, "ann@company.example", "pro", outbox=tmp_path / "outbox")
    backup(database, target)
    subscriptions.end(database, "ann@company.example")
    backup(database, target)
    assert [row[3] != "active" for row in subscriptions.listed(target)] == [True]
