"""The reading side of a SQLite file: connections that only read, and what tells that it was written or replaced."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.checker import Checker
from riskanalytics.service.store.checksum import File
from riskanalytics.service.store.connections import Connections
from riskanalytics.service.store.files import BRIDGE, SCHEMA_VERSION, check_file
from riskanalytics.service.store.seam import Connection

_TRIES: Final = 5


class FileReader:
    """Reads a file, for any number of threads.

    Parameters
    ----------
    path : Path
        A database of ours; may be written by another process at the same time.
    known : object
        What `checked` of another reader of the file told: it is not read through again while it is as it was then.

    Raises
    ------
    DatabaseError
        If the file is missing, of another program, cut off, or newer than this version.
    """

    def __init__(self, path: Path, known: object = None) -> None:
        check_file(path)
        self._path = path
        self._connections = Connections(self._opened, self._mark, _is_current)
        self._watching = threading.Lock()
        self._watcher: tuple[object, sqlite3.Connection] | None = None
        self._watches = 0
        self._checker = Checker(path, self._opened, known)

    @property
    def checked(self) -> object:
        """The state of the file that was found whole, for other readers of it; None where it was not."""
        return self._checker.found_whole

    def close(self) -> None:
        """Close all connections; one that is in use closes when it is no longer."""
        self._connections.close()
        with self._watching:
            self._watch(None)
        self._checker.close()

    def lent(self) -> AbstractContextManager[Connection]:
        """Lend this thread a connection for the length of a block."""
        return self._connections.lent()

    def version(self) -> object:
        """Return what is another one after anybody has written, or put another file in the place of this one."""
        with self._watching:
            mark = self._mark()
            if self._watcher is None or self._watcher[0] != mark:
                self._watch((mark, self._opened()))
            assert self._watcher is not None  # noqa: S101 (opened above)
            return self._watches, *self._watcher[1].execute("PRAGMA data_version").fetchone()

    def begin(self, connection: Connection) -> object:
        """Let a connection read one state; return the version before."""
        version = self.version()
        connection.execute("BEGIN")
        return version

    def _watch(self, watcher: tuple[object, sqlite3.Connection] | None) -> None:
        """Put another connection in the place of the one that sees what others write; that is locked."""
        self._watches += 1
        if self._watcher is not None:
            self._watcher[1].close()
        self._watcher = watcher

    def _opened(self) -> sqlite3.Connection:
        """Open a connection that only reads; again, where a backup takes the place of the file just then."""
        for _ in range(_TRIES):
            file = File.of(self._path)
            check_file(self._path)
            connection = sqlite3.connect(
                f"{self._path.resolve().as_uri()}?mode=ro", uri=True, timeout=10, check_same_thread=False,
                isolation_level=None,
            )  # fmt: skip
            try:
                if self._checker.check(connection, file):
                    (schema,) = connection.execute("PRAGMA user_version").fetchone()
                    for statement in BRIDGE.get(schema, ()):
                        connection.execute(statement)
                    connection.execute("PRAGMA query_only = ON")
                    connection.row_factory = sqlite3.Row
                    return connection
            except BaseException:
                connection.close()
                raise
            connection.close()
        raise DatabaseError(f"{self._path} is replaced again and again: try later")

    def _mark(self) -> tuple[File, int]:
        """Return what tells the file, as it was last checked, from another one under its name or another state of it."""
        return File.of(self._path), self._checker.found

    def check_again(self) -> None:
        """Do as `Store.check_again` says."""
        self._checker.check_again()

    def check_integrity(self) -> None:
        """Do as `Store.check_integrity` says."""
        with self.lent() as connection:
            (told,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if told != "ok":
            raise DatabaseError(f"{self._path} is damaged: restore a backup, or ingest again into a new file")


def _is_current(connection: sqlite3.Connection) -> bool:
    """Say whether a file's tables are those of this version: an older one may be brought up to date while it is read."""
    try:
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        return bool(schema == SCHEMA_VERSION)
    except sqlite3.DatabaseError:
        return False
