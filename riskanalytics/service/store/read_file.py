"""The reading side of a SQLite file: connections that only read, and what tells that it was written or replaced."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.checksum import told_on
from riskanalytics.service.store.connections import Connections
from riskanalytics.service.store.files import BRIDGE, SCHEMA_VERSION, check_file, check_pages
from riskanalytics.service.store.seam import Connection


class FileReader:
    """Reads a file, for any number of threads.

    Parameters
    ----------
    path : Path
        A database of ours; may be written by another process at the same time.

    Raises
    ------
    DatabaseError
        If the file is missing, of another program, cut off, or newer than this version.
    """

    def __init__(self, path: Path) -> None:
        check_file(path)
        self._path = path
        self._connections = Connections(self._opened, self._mark, _is_current)

    def close(self) -> None:
        """Close all connections; one that is in use closes when it is no longer."""
        self._connections.close()

    def lent(self) -> AbstractContextManager[Connection]:
        """Lend this thread a connection for the length of a block."""
        return self._connections.lent()

    def version(self) -> object:
        """Return what is another one after anybody has written."""
        with self.lent() as connection:
            return told_on(connection)

    def begin(self, connection: Connection) -> object:
        """Let a connection read one state; return its version."""
        connection.execute("BEGIN")
        return told_on(connection)

    def _opened(self) -> sqlite3.Connection:
        """Open a connection that only reads; again, where a backup takes the place of the file just then."""
        check_file(self._path)
        mark = self._mark()
        connection = sqlite3.connect(
            f"{self._path.resolve().as_uri()}?mode=ro", uri=True, timeout=10, check_same_thread=False,
            isolation_level=None,
        )  # fmt: skip
        try:
            (schema,) = connection.execute("PRAGMA user_version").fetchone()
            if self._mark()[:2] != mark[:2]:
                connection.close()
                return self._opened()
            for statement in BRIDGE.get(schema, ()):
                connection.execute(statement)
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        connection.row_factory = sqlite3.Row
        return connection

    def _mark(self) -> tuple[int, int, int, int]:
        """Return what changes with another file under the name, or another state of it."""
        try:
            found = self._path.stat()
        except OSError as error:
            raise DatabaseError(f"{self._path} cannot be read: {error.strerror}") from error
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def check_integrity(self) -> None:
        """Do as `Store.check_integrity` says."""
        with self.lent() as connection:
            check_pages(connection, self._path)


def _is_current(connection: sqlite3.Connection) -> bool:
    """Say whether a file's tables need no bridge: an older one may be brought up to date while it is read."""
    try:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        return bool(schema <= SCHEMA_VERSION and schema not in BRIDGE)
    except sqlite3.DatabaseError:
        return False
