"""Files that are or are not riskanalytics databases; consistent backups, even during writes."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.dataset.embedded import checksum_of
from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access, Store, subscriptions
from riskanalytics.service.store.files import backup, check_file
from riskanalytics.service.store.schema import SCHEMA_VERSION, version_of
from riskanalytics.service.store.write import Writer
from tests.service.given import by_hand, overwritten, without_lead_ins


def test_uncommitted_writes_of_a_killed_writer_are_rolled_back(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.sqlite", tmp_path / "killed.sqlite"
    with Writer(whole):
        pass
    with closing(sqlite3.connect(whole, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO meta VALUES (?, ?)", [(f"key {at}", "x" * 5000) for at in range(50)])
        for ending in ("", "-journal"):
            shutil.copyfile(f"{whole}{ending}", f"{killed}{ending}")
        connection.execute("ROLLBACK")
    check_file(killed)
    with closing(sqlite3.connect(killed)) as connection:
        assert connection.execute("SELECT count(*) FROM meta WHERE key LIKE 'key %'").fetchone() == (0,)


def test_a_writer_continues_after_one_killed_before_creating_its_tables(tmp_path: Path) -> None:
    begun, killed = tmp_path / "begun.sqlite", tmp_path / "killed.sqlite"
    with closing(sqlite3.connect(begun, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        for number in range(50):
            connection.execute(f"CREATE TABLE t{number} (a TEXT)")
        for ending in ("", "-journal"):
            shutil.copyfile(f"{begun}{ending}", f"{killed}{ending}")
        connection.execute("ROLLBACK")
    assert killed.stat().st_size > 0
    with Writer(killed) as writer:
        assert writer.recall("rules") is None


def test_a_database_of_the_previous_version_is_readable_after_the_next_write(
    given_database: Path, tmp_path: Path
) -> None:
    older = Path(shutil.copy(given_database, tmp_path / "older.sqlite"))
    with by_hand(older) as connection:
        without_lead_ins(connection)
        connection.execute("CREATE TABLE checksum (sha256 TEXT, based_on TEXT)")
        connection.execute("DELETE FROM meta WHERE key = 'state'")
        connection.execute("PRAGMA user_version = 4")
    assert checksum_of(older) == ""
    with pytest.raises(
        DatabaseError, match="was created by an older riskanalytics: upgrade it with 'riskanalytics ingest'"
    ):
        Store(older)
    backup(older, tmp_path / "kept.sqlite")
    with pytest.raises(DatabaseError, match="was created by an older"):
        Store(tmp_path / "kept.sqlite")
    with Writer(older) as writer, writer.transaction() as connection:
        assert version_of(connection) == SCHEMA_VERSION
    with closing(Store(older)) as store:
        assert store.count() == 3
        assert store.version() == checksum_of(older) != ""


def test_a_database_of_a_newer_version_is_refused_in_one_sentence(given_database: Path, tmp_path: Path) -> None:
    newer = Path(shutil.copy(given_database, tmp_path / "newer.sqlite"))
    with closing(Store(newer)):
        with by_hand(newer) as connection:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        for refuse in (lambda: Store(newer), lambda: Writer(newer), lambda: backup(newer, tmp_path / "copy.sqlite")):
            with pytest.raises(
                DatabaseError, match="was created by a newer riskanalytics: upgrade riskanalytics to read it"
            ):
                refuse()


def test_each_transaction_changes_the_state_token_of_a_file_and_copies_share_it(
    given_database: Path, tmp_path: Path
) -> None:
    database, copy = tmp_path / "live.sqlite", tmp_path / "copy.sqlite"
    backup(given_database, database)
    states = [checksum_of(given_database), checksum_of(database)]
    for word in ("b", "c"):
        with Writer(database) as writer, writer.transaction():
            writer.remember("a", word)
        states.append(checksum_of(database))
    with Writer(database), closing(Store(database)):
        pass
    backup(database, copy)
    assert checksum_of(copy) == checksum_of(database) == states[-1]
    assert states[0] == states[1]
    assert len(set(states)) == 3


def test_a_file_of_other_bytes_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "letter.sqlite"
    path.write_text("Dear reader, this is no database at all.\n" * 20, encoding="utf-8")
    with pytest.raises(DatabaseError, match="is not a riskanalytics database") as result:
        check_file(path)
    assert "\n" not in str(result.value)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [("CREATE TABLE mine (a TEXT)", "is a database of another program; use a database created by 'riskanalytics ingest'"),
     ("PRAGMA user_version = 0", "is empty: ingest a collection into it first")],
)  # fmt: skip
def test_an_empty_file_and_a_database_of_another_program_are_told_apart(
    tmp_path: Path, statement: str, reason: str
) -> None:
    path = tmp_path / "a.sqlite"
    with by_hand(path) as connection:
        connection.execute(statement)
    for refuse in (Store, check_file, lambda one: backup(one, tmp_path / "copy.sqlite")):
        with pytest.raises(DatabaseError) as refused:
            refuse(path)
        assert str(refused.value) == f"{path} {reason}"
    with pytest.raises(DatabaseError) as refused:
        Store(tmp_path / "none.sqlite")
    assert "none.sqlite" in str(refused.value) and not (tmp_path / "none.sqlite").exists()


def test_a_backup_contains_data_and_key_hashes_but_no_key(given_database: Path, tmp_path: Path) -> None:
    database = tmp_path / "live.sqlite"
    backup(given_database, database)
    with contextlib.closing(Access.of(database)) as access:
        key = access.issue("ann@company.example", "pro")
        backup(database, tmp_path / "copy.sqlite")
    with contextlib.closing(Store(tmp_path / "copy.sqlite")) as copy, contextlib.closing(Store(database)) as live:
        assert copy.platforms(limit=9) == live.platforms(limit=9)
        copy.check_integrity()
    with contextlib.closing(Access.of(tmp_path / "copy.sqlite")) as restored:
        assert restored.holder_of(key) == (1, "pro")
    for path in tmp_path.iterdir():
        assert key.encode() not in path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_backup_during_writes_is_one_state(tmp_path: Path, given_database: Path) -> None:
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


def test_a_failed_backup_leaves_the_older_one_unchanged(tmp_path: Path, given_database: Path) -> None:
    target = tmp_path / "copy.sqlite"
    backup(given_database, target)
    whole = target.read_bytes()
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(whole[: len(whole) // 2])
    (tmp_path / "other.sqlite").write_text("something else")
    (tmp_path / "overwritten.sqlite").write_bytes(overwritten(whole))
    for name in ("damaged", "other", "overwritten", "missing"):
        with pytest.raises(DatabaseError) as refused:
            backup(tmp_path / f"{name}.sqlite", target)
        assert "\n" not in str(refused.value)
    (tmp_path / "link.sqlite").symlink_to(target)
    for one, other in ((target, target), (target, tmp_path / "link.sqlite"), (tmp_path / "link.sqlite", target)):
        with pytest.raises(DatabaseError, match="is the database itself"):
            backup(one, other)
    (tmp_path / "link.sqlite").unlink()
    with pytest.raises(DatabaseError, match="could not be copied"):
        backup(given_database, tmp_path / "no folder" / "copy.sqlite")
    assert target.read_bytes() == whole
    left = {path.name.removesuffix("-shm").removesuffix("-wal") for path in tmp_path.iterdir()}
    assert sorted(left) == ["copy.sqlite", "damaged.sqlite", "other.sqlite", "overwritten.sqlite"]


def test_a_backup_removes_what_a_killed_one_left_an_hour_ago_and_nothing_of_a_running_one(
    tmp_path: Path, given_database: Path
) -> None:
    ages = {".copy.sqlite.old": 3700, ".copy.sqlite.new": 3500, ".other.sqlite.old": 3700}
    for name, age in ages.items():
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    backup(given_database, tmp_path / "copy.sqlite")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".copy.sqlite.new", ".other.sqlite.old", "copy.sqlite"]


def test_a_second_backup_replaces_the_key_file(tmp_path: Path, given_database: Path) -> None:
    database, target = tmp_path / "live.sqlite", tmp_path / "copy.sqlite"
    backup(given_database, database)
    subscriptions.start(database, "ann@company.example", "pro", outbox=tmp_path / "outbox")
    backup(database, target)
    subscriptions.end(database, "ann@company.example")
    backup(database, target)
    assert [row[3] != "active" for row in subscriptions.listed(target)] == [True]


FILL = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("INSERT INTO meta VALUES ('after the backup', 'yes')")
connection.executemany("INSERT INTO meta VALUES (?, ?)", [(str(n), "z" * 3000) for n in range(300)])
connection.commit()
os._exit(1)
"""


@pytest.mark.parametrize("harm", [pytest.param(None, marks=pytest.mark.slow), b"no database" * 1000])
def test_a_restored_backup_contains_nothing_of_the_replaced_database(
    given_database: Path, tmp_path: Path, harm: bytes | None
) -> None:
    database, file = tmp_path / "live.sqlite", tmp_path / "copy.sqlite"
    backup(given_database, database)
    with contextlib.closing(Access.of(database)) as access:
        key = access.issue("ann@company.example", "pro")
    backup(database, file)
    subscriptions.end(database, "ann@company.example")
    subprocess.run([sys.executable, "-c", FILL, str(database)], check=False)
    assert Path(f"{database}-wal").stat().st_size > 0
    if harm is not None:
        database.write_bytes(harm)
    served = Store(file)
    words = [sys.executable, "-m", "riskanalytics.cli", "restore", str(file), "--database", str(database)]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == f"{database}\n"
    with contextlib.closing(Store(database)) as restored:
        restored.check_integrity()
        assert restored.meta("after the backup") is None
        assert restored.platforms(limit=9) == served.platforms(limit=9)
    with contextlib.closing(Access.of(database)) as access:
        assert access.holder_of(key) == (1, "pro")
    served.close()


@pytest.mark.parametrize(
    "harm",
    [pytest.param(lambda whole: whole[:5000], marks=pytest.mark.slow), overwritten],
    ids=["cut off", "overwritten"],
)
def test_a_damaged_backup_is_not_restored(given_database: Path, tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    database, file = tmp_path / "live.sqlite", tmp_path / "copy.sqlite"
    backup(given_database, database)
    file.write_bytes(harm(database.read_bytes()))
    words = [sys.executable, "-m", "riskanalytics.cli", "restore", str(file), "--database", str(database)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    with contextlib.closing(Store(database)) as live:
        live.check_integrity()
