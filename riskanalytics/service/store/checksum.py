"""A checksum of the whole database in the database itself: a file that was damaged since it was written is not read.

A writer writes the checksum when it is done, and takes it away with the first thing it writes after that. So a file
whose writer was killed has none, and is read unchecked until the next writer is done. The checksum covers every byte but
its own page and those bytes of the header that SQLite changes when it copies a file or counts its changes
(https://www.sqlite.org/fileformat2.html, section 1.3).
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import DatabaseError

TABLE: Final = "CREATE TABLE checksum (sha256 TEXT NOT NULL)"
_NONE_YET: Final = "no such table: checksum"
_VARYING: Final = ((18, 20), (24, 28), (40, 44), (92, 100))
_AT_ONCE: Final = 1 << 20


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

    def hold(self, path: Path) -> tuple[int, int]:
        """Open a file, or count one more user of it; `let_go` must follow.

        Parameters
        ----------
        path : Path

        Returns
        -------
        tuple of int
            The file's device and number.
        """
        with self._lock:
            known = File.of(path)[:2]
            if known not in self._held:
                descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
                found = os.fstat(descriptor)
                known = found.st_dev, found.st_ino
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
        """Read bytes of a file that is held."""
        with self._lock:
            descriptor, _ = self._held[file]
            os.lseek(descriptor, at, os.SEEK_SET)
            return os.read(descriptor, size)


DESCRIPTORS: Final = Descriptors()
"""Those of this process."""


def written(connection: sqlite3.Connection) -> str | None:
    """Return the checksum that a file holds; None where its last writer did not end.

    Parameters
    ----------
    connection : sqlite3.Connection
    """
    try:
        row = connection.execute("SELECT sha256 FROM checksum").fetchone()
    except sqlite3.OperationalError as error:
        if str(error) == _NONE_YET:
            return None
        raise
    return None if row is None else str(row[0])


def computed(connection: sqlite3.Connection, file: tuple[int, int]) -> str:
    """Return the checksum of a file as it is.

    Parameters
    ----------
    connection : sqlite3.Connection
        In a transaction, so that nobody brings another state into the file meanwhile.
    file : tuple of int
        What `DESCRIPTORS.hold` returned.
    """
    (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'checksum'").fetchone()
    (length,) = connection.execute("PRAGMA page_size").fetchone()
    own = ((page - 1) * length, page * length)
    digest, at = hashlib.sha256(), 0
    while chunk := bytearray(DESCRIPTORS.read(file, at, _AT_ONCE)):
        for begin, end in (*_VARYING, own):
            first, last = max(begin - at, 0), min(end - at, len(chunk))
            if first < last:
                chunk[first:last] = bytes(last - first)
        digest.update(chunk)
        at += len(chunk)
    return digest.hexdigest()


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
    connection.execute("BEGIN")
    try:
        told = written(connection)
        if told is not None and told != computed(connection, file):
            raise DatabaseError(f"{path} is damaged: restore a backup, or ingest again into a new file")
    finally:
        connection.execute("ROLLBACK")


def write(connection: sqlite3.Connection, file: tuple[int, int]) -> None:
    """Write the checksum of a file, if nobody else writes to it now and no reader keeps an older state of it.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a writer, in no transaction.
    file : tuple of int
        What `DESCRIPTORS.hold` returned.
    """
    if written(connection) is not None:
        return
    seen = connection.execute("PRAGMA data_version").fetchone()
    _, pages, brought = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if pages != brought:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA data_version").fetchone() == seen:
            connection.execute("INSERT INTO checksum VALUES (?)", (computed(connection, file),))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
