"""Files that are, or are not, databases of ours."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.files import check_file
from riskanalytics.service.store.write import Writer


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


def test_a_file_of_other_bytes_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "letter.sqlite"
    path.write_text("Dear reader, this is no database at all.\n" * 20, encoding="utf-8")
    with pytest.raises(DatabaseError, match="is not a database of riskanalytics") as told:
        check_file(path)
    assert "\n" not in str(told.value)
