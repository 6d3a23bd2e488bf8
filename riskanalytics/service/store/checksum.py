"""A checksum of the whole database in the database itself: a file that was damaged since it was written is not read.

A writer writes the checksum when it is done, and takes it away with the first thing it writes after that. So a file
whose writer was killed has none, and is read unchecked until the next writer is done. Its state then names the last
checksum, on which it is based: a log that another database left under the file's name is told by that. The checksum
covers every byte but its own page and those bytes of the header that SQLite changes when it copies a file or counts its
changes (https://www.sqlite.org/fileformat2.html, section 1.3).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from riskanalytics.errors import DatabaseError

TABLE: Final = "CREATE TABLE checksum (sha256 TEXT, based_on TEXT)"
_NONE_YET: Final = "no such table: checksum"
_VARYING: Final = ((18, 20), (24, 28), (40, 44), (92, 100))
_AT_ONCE: Final = 1 << 22


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


def _is_in(told: str, connection: sqlite3.Connection, file: tuple[int, int]) -> bool:
    """Say whether a checksum stands in the file itself, and not only in its log."""
    begin, end = _own_page(connection)
    return told.encode() in DESCRIPTORS.read(file, begin, end - begin)


def withdraw(connection: sqlite3.Connection, file: tuple[int, int]) -> None:
    """Take the checksum away: what follows is based on it.

    Parameters
    ----------
    connection : sqlite3.Connection
        Of a writer, in a transaction.
    file : tuple of int
        What `DESCRIPTORS.hold` returned.
    """
    told, based_on = written(connection)
    if told is not None:
        based_on = told if _is_in(told, connection, file) else based_on
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
    connection.execute("BEGIN")
    try:
        told, based_on = written(connection)
        if based_on is not None and not _is_in(based_on, connection, file):
            raise DatabaseError(
                f"{path} and the log beside it ({path.name}-wal) are of two databases: put a backup in the place of a "
                "database with riskanalytics restore"
            )
        if told is not None and told != computed(connection, file):
            raise DatabaseError(f"{path} is damaged: restore a backup, or ingest again into a new file")
    finally:
        connection.execute("ROLLBACK")


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
    if pages != brought:
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


class _Checked(NamedTuple):
    """What is known of the bytes of a file: which it was, the checksum that it told, and what was wrong."""

    file: File
    told: str | None
    damage: str | None


class Checker:
    """Checks a database for the readers of a process: once after each time it was written.

    Parameters
    ----------
    path : Path
    opened : callable
        Opens a connection that calls `check`.
    """

    def __init__(self, path: Path, opened: Callable[[], sqlite3.Connection]) -> None:
        self.found = 0
        """How often damage was found that left no trace: connections opened before are then not used again."""
        self._path = path
        self._opened = opened
        self._lock = threading.Lock()
        self._held: tuple[int, int] | None = None
        self._checked: _Checked | None = None

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            if self._held is not None:
                DESCRIPTORS.let_go(self._held)
            self._held = self._checked = None

    def check(self, connection: sqlite3.Connection) -> None:
        """Refuse a damaged file; one that was checked since it was written is not read again for it.

        After a writer has ended the file is checked beside the answers: it would keep all readers waiting.

        Parameters
        ----------
        connection : sqlite3.Connection
            New; in no transaction.

        Raises
        ------
        DatabaseError
        """
        with self._lock:
            file = File.of(self._path)
            if self._checked is None or self._checked.file != file:
                told, _ = written(connection)
                known = self._checked is not None and self._checked.file[:2] == file[:2] and self._checked.told != told
                self._checked = _Checked(file, told, None if known else self._damage(connection))
                if known and told is not None:
                    threading.Thread(target=self._check_beside, daemon=True).start()
            if self._checked.damage is not None:
                raise DatabaseError(self._checked.damage)

    def check_again(self) -> None:
        """Check the file although nobody has written it; what is found is told by the next read, too.

        Raises
        ------
        DatabaseError
        """
        connection = self._opened()
        file, held = File.of(self._path), DESCRIPTORS.hold(self._path)
        try:
            check(connection, held, self._path)
        except DatabaseError as error:
            with self._lock:
                if file == File.of(self._path):
                    self._checked = _Checked(file, None, str(error))
                    self.found += 1
            raise
        finally:
            DESCRIPTORS.let_go(held)
            connection.close()

    def _check_beside(self) -> None:
        """Check in a thread of its own."""
        with contextlib.suppress(DatabaseError, sqlite3.Error):
            self.check_again()

    def _damage(self, connection: sqlite3.Connection) -> str | None:
        """Return what is wrong with the bytes of the file."""
        held = DESCRIPTORS.hold(self._path)
        try:
            check(connection, held, self._path)
        except DatabaseError as error:
            return str(error)
        finally:
            if self._held is not None:
                DESCRIPTORS.let_go(self._held)
            self._held = held  # until another file is checked: see `Descriptors`
        return None
