"""Files that are, or are not, databases of ours."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.dataset.embedded import checksum_of
from riskanalytics.errors import DatabaseError
from riskanalytics.service import Store
from riskanalytics.service.store import backup
from riskanalytics.service.store.files import check_file
from riskanalytics.service.store.schema import SCHEMA_VERSION, version_of
from riskanalytics.service.store.write import Writer
from tests.service.given import by_hand, without_lead_ins


def test_what_a_killed_writer_left_to_undo_is_undone(tmp_path: Path) -> None:
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


def test_a_writer_goes_on_after_one_that_was_killed_before_it_had_made_its_tables(tmp_path: Path) -> None:
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


def test_a_database_of_the_version_before_is_read_after_its_next_writing(given_database: Path, tmp_path: Path) -> None:
    older = Path(shutil.copy(given_database, tmp_path / "older.sqlite"))
    with by_hand(older) as connection:
        without_lead_ins(connection)
        connection.execute("CREATE TABLE checksum (sha256 TEXT, based_on TEXT)")
        connection.execute("DELETE FROM meta WHERE key = 'state'")
        connection.execute("PRAGMA user_version = 4")
    assert checksum_of(older) == ""
    with pytest.raises(DatabaseError, match="was made by an older riskanalytics: ingest into it once to read it"):
        Store(older)
    with Writer(older) as writer, writer.transaction() as connection:
        assert version_of(connection) == SCHEMA_VERSION
    with closing(Store(older)) as store:
        assert store.count() == 3
        assert store.version() == checksum_of(older) != ""


def test_a_database_of_a_newer_version_is_refused_in_a_sentence(given_database: Path, tmp_path: Path) -> None:
    newer = Path(shutil.copy(given_database, tmp_path / "newer.sqlite"))
    with closing(Store(newer)):
        with by_hand(newer) as connection:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        for refuse in (lambda: Store(newer), lambda: Writer(newer), lambda: backup(newer, tmp_path / "copy.sqlite")):
            with pytest.raises(DatabaseError, match="was made by a newer riskanalytics: upgrade to read it"):
                refuse()


def test_each_transaction_gives_a_file_another_state_and_a_copy_keeps_it(given_database: Path, tmp_path: Path) -> None:
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
    with pytest.raises(DatabaseError, match="is not a database of riskanalytics") as told:
        check_file(path)
    assert "\n" not in str(told.value)
