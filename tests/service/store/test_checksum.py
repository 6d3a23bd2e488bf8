"""The checksum of a database: a file with one bit changed is refused, whole ones are read, whoever wrote or copied them."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Store
from riskanalytics.service.review import review_platform
from riskanalytics.service.store import checksum
from riskanalytics.service.store.backup import backup
from riskanalytics.service.store.files import BRIDGE, UPGRADE
from riskanalytics.service.store.search import search_clauses
from riskanalytics.service.store.write import Writer
from tests.service.given import without_lead_ins


@pytest.fixture
def copied(given_database: Path, tmp_path: Path) -> Path:
    """A copy of the literal database that a test may damage."""
    return Path(shutil.copy(given_database, tmp_path / "copied.sqlite"))


def checksum_in(database: Path) -> str | None:
    with closing(sqlite3.connect(database)) as connection:
        return checksum.written(connection)[0]


def everything(database: Path) -> str:
    """What the database answers: states, findings, changes, counts, texts and a search."""
    with closing(Store(database)) as store:
        states = [store.platform(slug) for slug, _ in store.names()]
        told = [
            store.platforms(limit=99), store.changes(limit=99), store.coverage(), store.newest, states,
            [store.findings(state) for state in states if state],
            search_clauses(store, "models", surface=None, limit=9, offset=0),
        ]  # fmt: skip
        return json.dumps(told, default=str)


def flipped(database: Path, at: int) -> None:
    """Change one bit of a file."""
    with database.open("r+b") as file:
        file.seek(at // 8)
        (byte,) = file.read(1)
        file.seek(at // 8)
        file.write(bytes([byte ^ 1 << at % 8]))


def test_one_changed_bit_gives_a_refusal_or_the_right_answer(copied: Path) -> None:
    right, chance = everything(copied), random.Random(3)
    refused = 0
    for _ in range(150):
        at = chance.randrange(copied.stat().st_size * 8)
        flipped(copied, at)
        try:
            assert everything(copied) == right, f"bit {at}"
        except DatabaseError as error:
            refused += 1
            assert "\n" not in str(error)
        flipped(copied, at)
    assert refused > 140
    assert everything(copied) == right


def test_a_bit_that_changes_under_an_open_database_is_seen_by_the_next_read(copied: Path) -> None:
    with closing(Store(copied)) as store:
        assert store.count() == 3
        flipped(copied, copied.stat().st_size * 8 - 9)
        for _ in range(2):
            with pytest.raises(DatabaseError, match="is damaged: restore a backup, or ingest again"):
                store.count()
        flipped(copied, copied.stat().st_size * 8 - 9)
        assert store.count() == 3


def test_a_bit_that_changes_without_a_trace_is_found_by_checking_again(copied: Path) -> None:
    with closing(Store(copied)) as store:
        assert store.count() == 3
        store.check_again()
        before = copied.stat()
        flipped(copied, copied.stat().st_size * 8 - 9)
        os.utime(copied, ns=(before.st_atime_ns, before.st_mtime_ns))
        with pytest.raises(DatabaseError, match="is damaged"):
            store.check_again()
        with pytest.raises(DatabaseError, match="is damaged"):
            store.count()


def test_a_writer_takes_the_checksum_away_before_it_writes_and_writes_it_anew_at_its_end(copied: Path) -> None:
    first = checksum_in(copied)
    assert first
    with closing(Store(copied)) as store, Writer(copied) as writer:
        assert checksum_in(copied) == first
        with writer.transaction():
            writer.remember("a", "b")
        assert checksum_in(copied) is None
        assert store.meta("a") == "b"
    second = checksum_in(copied)
    assert second not in (None, first)
    with closing(Store(copied)) as store:
        assert store.meta("a") == "b"


def test_what_a_killed_writer_leaves_is_read_without_a_checksum(copied: Path) -> None:
    writer = Writer(copied)
    with writer.transaction():
        writer.remember("a", "b")
    writer.connection.close()  # as the system closes it
    assert checksum_in(copied) is None
    with closing(Store(copied)) as store:
        assert store.meta("a") == "b"
    with Writer(copied):
        pass
    assert checksum_in(copied)


def test_no_checksum_is_written_while_a_reader_keeps_an_older_state_or_another_writer_writes(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskanalytics.service.store.write_file._PATIENCE", 50)
    with closing(Store(copied)) as store, store.one_state():
        assert store.count() == 3
        with Writer(copied) as writer, writer.transaction():
            writer.remember("a", "b")
        assert checksum_in(copied) is None
        assert store.meta("a") is None
    with Writer(copied):
        pass
    assert checksum_in(copied)


def test_readers_see_a_whole_file_while_others_review_it_again_and_again(copied: Path) -> None:
    def states() -> Iterator[object]:
        with closing(Store(copied)) as store:
            for _ in range(8):
                yield store.coverage()
                with Writer(copied) as writer:
                    review_platform(writer, "aurelia-chat")

    first, *others = states()
    assert all(other == first for other in others)


def test_a_backup_and_what_is_restored_from_it_keep_the_checksum(copied: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.sqlite"
    backup(copied, kept)
    backup(kept, copied)
    assert checksum_in(copied) == checksum_in(kept)
    assert checksum_in(copied)
    with closing(Store(copied)) as store:
        assert store.count() == 3
    flipped(copied, copied.stat().st_size * 8 - 9)
    with pytest.raises(DatabaseError, match="is damaged: restore a backup"):
        backup(copied, tmp_path / "other.sqlite")
    assert not (tmp_path / "other.sqlite").exists()


def test_a_file_of_the_version_before_is_read_and_gets_its_checksum_from_the_next_writer(copied: Path) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        connection.execute("DROP TABLE checksum")
        without_lead_ins(connection)
        connection.execute("ALTER TABLE document DROP COLUMN url")
        connection.execute("PRAGMA user_version = 2")
    with closing(Store(copied)) as store:
        assert store.count() == 3
    with Writer(copied):
        pass
    assert checksum_in(copied)
    assert UPGRADE.keys() == BRIDGE.keys()


def test_a_file_of_a_version_with_a_checksum_is_whole_after_its_upgrade(copied: Path) -> None:
    with Writer(copied) as writer, writer.transaction() as connection:
        without_lead_ins(connection)
        connection.execute("ALTER TABLE document DROP COLUMN url")
        connection.execute("PRAGMA user_version = 3")
    assert checksum_in(copied)
    for _ in range(2):
        with Writer(copied):
            pass
        with closing(Store(copied)) as store:
            assert store.count() == 3
        assert checksum_in(copied)


def test_the_locks_of_a_file_are_kept_while_anybody_of_this_process_uses_it(copied: Path) -> None:
    """To close a descriptor gives up the locks: a second user must not lose them by the first one's end."""
    one, other = Store(copied), Store(copied)
    assert one.count() == other.count() == 3
    held = set(checksum.DESCRIPTORS._held.values())
    one.close()
    file = checksum.File.of(copied)[:2]
    assert checksum.DESCRIPTORS._held[file][1] == 1
    other.close()
    assert file not in checksum.DESCRIPTORS._held
    assert len(held) >= 1


def test_what_is_damaged_while_a_writer_works_is_found_beside_the_answers(copied: Path) -> None:
    with closing(Store(copied)) as store:
        assert store.count() == 3
        with Writer(copied) as writer, writer.transaction():
            writer.remember("a", "b")
        before = copied.stat()
        flipped(copied, copied.stat().st_size * 8 - 9)
        os.utime(copied, ns=(before.st_atime_ns, before.st_mtime_ns))
        deadline = time.monotonic() + 5
        with pytest.raises(DatabaseError, match="is damaged"):
            while time.monotonic() < deadline:
                store.count()


def test_a_log_that_another_database_left_is_told_and_not_played_into_the_file(copied: Path, tmp_path: Path) -> None:
    """As when a backup is copied by hand over a database whose writer was killed."""
    older = tmp_path / "older.sqlite"
    backup(copied, older)
    for word in ("b", "c"):
        with Writer(copied) as writer, writer.transaction():
            writer.remember("a", word)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(copied)], check=False)
    assert killed.returncode == 1
    with closing(Store(copied)) as store:
        assert store.meta("a") == "d"
    kept = Path(f"{copied}-wal").read_bytes()
    assert kept
    copied.write_bytes(older.read_bytes())
    Path(f"{copied}-shm").unlink(missing_ok=True)
    for opened in (lambda: Store(copied).count(), lambda: Writer(copied), lambda: backup(copied, tmp_path / "b")):
        with pytest.raises(DatabaseError, match="are of two databases"):
            opened()
    assert Path(f"{copied}-wal").read_bytes() == kept
    backup(older, copied)
    with closing(Store(copied)) as store:
        assert store.meta("a") is None


KILLED = """
import os, sys
from pathlib import Path
from riskanalytics.service.store.write import Writer
writer = Writer(Path(sys.argv[1]))
with writer.transaction():
    writer.remember("a", "d")
os._exit(1)
"""


def test_a_checksum_that_stands_in_the_log_only_is_no_base(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader keeps the last writer's checksum out of the file; the next writer's state is based on the one before."""
    monkeypatch.setattr("riskanalytics.service.store.write_file._PATIENCE", 20)
    with closing(Store(copied)) as store:
        for word in ("b", "c", "d"):
            with store.one_state():
                store.count()
                with Writer(copied) as writer, writer.transaction():
                    writer.remember("a", word)
        assert store.meta("a") == "d"
    with closing(Store(copied)) as store:
        assert store.meta("a") == "d"
    with Writer(copied):
        pass
    assert checksum_in(copied)


CHECKPOINT = """
import fcntl, sys
log = open(sys.argv[1] + "-shm", "r+b")
fcntl.lockf(log, fcntl.LOCK_EX, 1, 121)
print("locked", flush=True)
sys.stdin.read()
"""
"""Holds the lock under which a connection brings its log into the file (https://www.sqlite.org/walformat.html, 2.3)."""


def test_no_checksum_is_written_while_another_process_brings_its_log_into_the_file(copied: Path) -> None:
    """SQLite then says nothing of the log (-1), and at once."""
    with (
        Writer(copied) as writer,
        subprocess.Popen(
            [sys.executable, "-c", CHECKPOINT, str(copied)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as other,
    ):
        with writer.transaction():
            writer.remember("a", "b")
        assert other.stdout is not None
        assert other.stdout.readline() == b"locked\n"
        assert tuple(writer.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()) == (1, -1, -1)
        checksum.write(writer.connection, writer._target._file)
        assert checksum_in(copied) is None
        other.communicate(b"")
    assert checksum_in(copied)


def test_a_writer_gives_up_no_lock_of_its_process(copied: Path) -> None:
    locks = Path("/proc/locks")
    if not locks.exists():
        pytest.skip("the locks of this system cannot be listed")

    def held() -> int:
        number = f":{copied.stat().st_ino} "
        return sum(number in line and f" {os.getpid()} " in line for line in locks.read_text().splitlines())

    with closing(Store(copied)) as store, store.one_state():
        store.count()
        before = held()
        assert before
        with Writer(copied):
            assert held() >= before


def test_a_backup_that_takes_the_place_of_a_file_while_it_is_opened_is_no_damage(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.sqlite"
    backup(copied, other)
    with Writer(other) as writer, writer.transaction():
        writer.remember("a", "b")
    real, pending = sqlite3.connect, [True]

    def connect(*values: Any, **named: Any) -> sqlite3.Connection:
        connection = real(*values, **named)
        if "isolation_level" in named and pending and "mode=ro" in str(values[0]):
            connection.execute("SELECT count(*) FROM sqlite_schema")
            pending.clear()
            backup(other, copied)
        return connection

    monkeypatch.setattr("riskanalytics.service.store.read_file.sqlite3.connect", connect)
    with closing(Store(copied)) as store:
        assert store.count() == 3
        assert store.meta("a") == "b"
        assert not pending


@pytest.mark.parametrize("at", [3, 70, 200], ids=["magic", "application", "schema"])
def test_damage_at_the_beginning_of_a_file_that_left_no_trace_is_told_by_the_next_read(copied: Path, at: int) -> None:
    with closing(Store(copied)) as store:
        assert store.count() == 3
        before = copied.stat()
        flipped(copied, at * 8)
        os.utime(copied, ns=(before.st_atime_ns, before.st_mtime_ns))
        with pytest.raises((DatabaseError, sqlite3.DatabaseError)):
            store.check_again()
        with pytest.raises(DatabaseError):
            store.count()


def test_a_disk_that_gives_no_bytes_is_told_in_one_line(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    with closing(Store(copied)) as store:
        os.utime(copied)
        with monkeypatch.context() as during:
            during.setattr("riskanalytics.service.store.checksum.os.read", broken)
            with pytest.raises(DatabaseError, match="cannot be read: Input/output error"):
                store.count()
        assert store.count() == 3


def test_the_log_of_an_older_state_of_the_same_database_is_told(copied: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer.sqlite"
    newer.write_bytes(copied.read_bytes())
    subprocess.run([sys.executable, "-c", KILLED, str(copied)], check=False)
    with Writer(newer) as writer, writer.transaction():
        writer.remember("a", "newer")
    copied.write_bytes(newer.read_bytes())
    Path(f"{copied}-shm").unlink(missing_ok=True)
    with pytest.raises(DatabaseError, match="are of two databases"):
        Store(copied)


@pytest.mark.parametrize("junk", [b"\xff", b"\x0d\x00\x00\x00\x01\x00\x00\x00\xff\xff"], ids=["another", "beyond"])
def test_a_page_of_the_checksum_that_is_overwritten_is_a_refusal(copied: Path, junk: bytes) -> None:
    with closing(sqlite3.connect(copied)) as connection:
        begin, end = checksum._own_page(connection)
    with copied.open("r+b") as file:
        file.seek(begin)
        file.write((junk * (end - begin))[: end - begin])
    held = dict(checksum.DESCRIPTORS._held)
    with pytest.raises(DatabaseError):
        Store(copied)
    assert held == checksum.DESCRIPTORS._held


def test_a_file_is_compared_with_its_checksum_piece_by_piece(tmp_path: Path) -> None:
    database = tmp_path / "long.sqlite"
    with Writer(database) as writer, writer.transaction():
        writer.remember("word", "w" * 3_000_000)
    tracemalloc.start()
    with closing(Store(database)) as store:
        store.check_integrity()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000
