"""A checksum of the whole database in the database itself: a file that was damaged since it was written is not read.

A writer writes the checksum when it is done, and takes it away with the first thing it writes after that. So a file
whose writer was killed has none, and is read unchecked until the next writer is done. Its state then names the last
checksum, on which it is based: a log that another database left under the file's name is told by that. The checksum
covers every byte but its own page and those bytes of the header that SQLite changes when it copies a file or counts its
changes (https://www.sqlite.org/fileformat2.html, section 1.3).
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import DatabaseError

_LEAF: Final = 0x0D
"""First byte of a page that holds rows."""
TABLE: Final = "CREATE TABLE checksum (sha256 TEXT, based_on TEXT)"
SINCE: Final = 3
"""Version of the tables from which on a database has one."""
_NONE_YET: Final = "no such table: checksum"
_VARYING: Final = ((18, 20), (24, 28), (40, 44), (92, 100))
_AT_ONCE: Final = 1 << 16
"""Bytes of a file that are held: a few hundred records of a list are not more."""


class DamagedError(DatabaseError):
    """A file does not have its checksum: it stays so until it is written again."""


class File(NamedTuple):
    """Which file a path names, and what changes when anybody but SQLite's log writes into it."""

    device: int
    number: int
    size: int
    changed: int
    """Nanoseconds."""

    @classmethod
    def of(cls, path: Path) -> File:
        """Look a path up.

        Raises
        ------
        DatabaseError
            If there is no file.
        """
        try:
            found = path.stat()
        except OSError as error:
            raise DatabaseError(f"{path} cannot be read: {error.strerror}") from error
        return cls(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class Descriptors:
    """Descriptors for reading the bytes of databases, one for each file.

    To close any descriptor of a file gives up all locks that this process holds on it, those of SQLite among them
    (https://www.sqlite.org/howtocorrupt.html, section 2.2). So one is held until nobody in this process uses the file.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[tuple[int, int], tuple[int, int]] = {}
        self._surplus: list[int] = []

    def hold(self, path: Path) -> tuple[int, int]:
        """Open a file, or count one more user of it; `let_go` must follow.

        Parameters
        ----------
        path : Path

        Returns
        -------
        tuple of int
            The file's device and number.

        Raises
        ------
        DatabaseError
            If it cannot be opened.
        """
        with self._lock:
            known = File.of(path)[:2]
            if known not in self._held:
                try:
                    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
                except OSError as error:
                    raise DatabaseError(f"{path} cannot be read: {error.strerror}") from error
                found = os.fstat(descriptor)
                known = found.st_dev, found.st_ino
                if known in self._held:
                    self._surplus.append(descriptor)  # the path names another file by now, which is held already
                self._held.setdefault(known, (descriptor, 0))
            descriptor, users = self._held[known]
            self._held[known] = descriptor, users + 1
            return known

    def let_go(self, file: tuple[int, int]) -> None:
        """Count one user less, and close the descriptor of a file that has none."""
        with self._lock:
            descriptor, users = self._held.pop(file)
            if users > 1:
                self._held[file] = descriptor, users - 1
            else:
                os.close(descriptor)

    def read(self, file: tuple[int, int], at: int, size: int) -> bytes:
        """Read bytes of a file that is held.

        Raises
        ------
        DatabaseError
            If the disk does not give them.
        """
        with self._lock:
            descriptor, _ = self._held[file]
            try:
                os.lseek(descriptor, at, os.SEEK_SET)
                return os.read(descriptor, size)
            except OSError as error:
                raise DatabaseError(f"the database cannot be read: {error.strerror}") from error


DESCRIPTORS: Final = Descriptors()
"""Those of this process."""


def written(connection: sqlite3.Connection) -> tuple[str | None, str | None]:
    """Return the checksum that a file holds, and the last one on which its state is based.

    Parameters
    ----------
    connection : sqlite3.Connection

    Returns
    -------
    tuple of str or None
        The first is None where the last writer did not end; the second where there was none before.
    """
    try:
        row: tuple[str | None, str | None] | None = connection.execute("SELECT * FROM checksum").fetchone()
    except sqlite3.OperationalError as error:
        if str(error) != _NONE_YET:
            raise
        row = None
    return row or (None, None)


def told_by(path: Path) -> str:
    """Return the checksum that the last writer of a file left; empty where it did not end, or left none.

    Parameters
    ----------
    path : Path
        Of a database of ours.

    Raises
    ------
    DatabaseError
    """
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
            return written(connection)[0] or ""
    except sqlite3.Error as error:
        raise DatabaseError(f"{path} cannot be read: {error}") from error


def computed(connection: sqlite3.Connection, file: tuple[int, int]) -> str:
    """Return the checksum of a file as it is.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction, so that nobody brings another state into the file meanwhile.
    file : tuple of int
        What `DESCRIPTORS.hold` returned.
    """
    own = _own_page(connection)
    digest, at = hashlib.sha256(), 0
    while chunk := bytearray(DESCRIPTORS.read(file, at, _AT_ONCE)):
        for begin, end in (*_VARYING, own):
            first, last = max(begin - at, 0), min(end - at, len(chunk))
            if first < last:
                chunk[first:last] = bytes(last - first)
        digest.update(chunk)
        at += len(chunk)
    return digest.hexdigest()


def _own_page(connection: sqlite3.Connection) -> tuple[int, int]:
    """Return where in the file the page of the checksum begins and ends."""
    (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'checksum'").fetchone()
    (length,) = connection.execute("PRAGMA page_size").fetchone()
    return (page - 1) * length, page * length


def _in_file(connection: sqlite3.Connection, file: tuple[int, int]) -> tuple[str | None, str | None]:
    """Return what `written` does, of the file without its log (https://www.sqlite.org/fileformat2.html, sections 1.6, 2.1)."""
    begin, end = _own_page(connection)
    page = DESCRIPTORS.read(file, begin, end - begin)
    if len(page) < end - begin or page[0] != _LEAF or page[3:5] != b"\0\1":
        return None, None
    at = int.from_bytes(page[8:10])
    for _ in ("payload", "rowid"):
        _, at = _varint(page, at)
    if at >= len(page):
        return None, None
    head, at = at, _varint(page, at)[1]
    kinds = []
    for _ in ("sha256", "based_on"):
        kind, at = _varint(page, at)
        kinds.append(kind)
    at = head + page[head]
    row = []
    for kind in kinds:
        length = max(0, (kind - 13) // 2)
        row.append(page[at : at + length].decode("ascii", errors="replace") or None)
        at += length
    return row[0], row[1]


def _fits(of_file: tuple[str | None, str | None], told: str | None, based_on: str) -> bool:
    """Say whether a file and its log are of one database: whether the file is the state that the log is based on, or later."""
    sha256, base = of_file
    return sha256 == based_on or (base == based_on and sha256 in (None, told))


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """Return a number of one to nine bytes and where it ends."""
    number = 0
    for place in range(at, min(at + 9, len(page))):
        number = number << 7 | page[place] & 0x7F
        if page[place] < 0x80:
            return number, place + 1
    return number, min(at + 9, len(page))


def withdraw(connection: sqlite3.Connection, file: tuple[int, int]) -> None:
    """Take the checksum away: what follows is based on it.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a writer, in a transaction.
    file : tuple of int
        What `DESCRIPTORS.hold` returned.
    """
    told, _ = written(connection)
    if told is not None:
        # one that stands in the log only may come into the file at any time: then nothing can be said of the file
        based_on = told if _in_file(connection, file)[0] == told else None
        connection.execute("UPDATE checksum SET sha256 = NULL, based_on = ?", (based_on,))


def check(connection: sqlite3.Connection, file: tuple[int, int], path: Path) -> None:
    """Refuse a file that is not what its last writer left.

    Parameters
    ----------
    connection : sqlite3.Connection
        In no transaction.
    file : tuple of int
        What `DESCRIPTORS.hold` returned.
    path : Path
        For the message.

    Raises
    ------
    DatabaseError
    """
    # else SQLite follows a place beyond the page of the checksum, and what it reads there may pass for no checksum
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute("BEGIN")
    try:
        told, based_on = written(connection)
        if based_on is not None and not _fits(_in_file(connection, file), told, based_on):
            raise DatabaseError(
                f"{path} and the log beside it ({path.name}-wal) are of two databases: put a backup in the place of a "
                "database with riskanalytics restore"
            )
        if told is not None and told != computed(connection, file):
            raise DamagedError(f"{path} is damaged: restore a backup, or ingest again into a new file")
    finally:
        connection.execute("ROLLBACK")
        connection.execute("PRAGMA cell_size_check = OFF")


def check_file(path: Path) -> None:
    """Refuse a file as `check` does; its log stays as it is, which the end of a writer's connection would play into it.

    Parameters
    ----------
    path : Path
        Of a database of ours.

    Raises
    ------
    DatabaseError
    """
    file = DESCRIPTORS.hold(path)
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
            connection.isolation_level = None
            check(connection, file, path)
    finally:
        DESCRIPTORS.let_go(file)


def write(connection: sqlite3.Connection, file: tuple[int, int]) -> None:
    """Write the checksum of a file, if nobody else writes to it now and no reader keeps an older state of it.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a writer, in no transaction.
    file : tuple of int
        What `DESCRIPTORS.hold` returned.
    """
    if written(connection)[0] is not None:
        return
    seen = connection.execute("PRAGMA data_version").fetchone()
    _, pages, brought = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if pages < 0 or pages != brought:  # below 0 where another connection brings its log into the file
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA data_version").fetchone() == seen:
            told = computed(connection, file)
            if not connection.execute("UPDATE checksum SET sha256 = ?", (told,)).rowcount:
                connection.execute("INSERT INTO checksum VALUES (?, NULL)", (told,))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
