"""The writing side of a SQLite file: its tables, and the turn of a writer."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.service.store.checksum import renew
from riskanalytics.service.store.files import (
    APPLICATION_ID,
    INGESTING,
    SCHEMA_VERSION,
    UPGRADE,
    check_file,
    is_blank,
    make_private,
)
from riskanalytics.service.store.tables import statements

_BUSY_SECONDS: Final = 10


class FileTarget:
    """A file that one writer writes.

    Parameters
    ----------
    path : Path
        Made (mode 0600) with its tables where it is not there, brought up to date where it is older.
    ingests : bool, optional
        Whether no other one may ingest meanwhile.

    Raises
    ------
    DatabaseError
        If the file is not ours, is of a newer version, cannot be written, or another writer is at work.
    """

    def __init__(self, path: Path, *, ingests: bool = False) -> None:
        self._path = path
        self._turn = contextlib.ExitStack()
        if not is_blank(path):
            check_file(path)
        self._fresh = False
        self.connection = self._open(ingests=ingests)

    def begin(self) -> None:
        """Begin a transaction that no other writer shares."""
        self.connection.execute("BEGIN IMMEDIATE")
        renew(self.connection)

    def told(self, error: BaseException) -> DatabaseError | None:
        """Return what a person is told of a failure to write; None where it was none."""
        return _cannot_write(self._path, error) if isinstance(error, sqlite3.Error | zlib.error) else None

    def close(self, *, failed: bool) -> None:
        """Close the file; one that was made and holds nothing goes where the writer failed."""
        with self._turn:
            self._close(failed=failed)

    def _close(self, *, failed: bool) -> None:
        """Do so while the turn lasts."""
        with contextlib.suppress(sqlite3.Error):  # a reader may hold the log; it is folded in later
            self.connection.execute("PRAGMA busy_timeout = 0")
            self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            empty = self._fresh and not self.connection.execute("SELECT 1 FROM capture LIMIT 1").fetchone()
        finally:
            self.connection.close()
        if failed and empty:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{self._path}{suffix}").unlink(missing_ok=True)

    def _open(self, *, ingests: bool) -> sqlite3.Connection:
        """Open the file, make or upgrade its tables, and take the write lock once as a test."""
        with contextlib.ExitStack() as opened:
            try:
                make_private(self._path)
                if ingests:  # before anything waits for the other's transactions
                    opened.callback(self._turn.close)
                    self._turn.enter_context(_only_ingest(self._path))
                connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
                opened.callback(connection.close)
                self._made_ready(connection)
            except (sqlite3.Error, OSError) as error:
                raise _cannot_write(self._path, error) from error
            opened.pop_all()
        return connection

    def _made_ready(self, connection: sqlite3.Connection) -> None:
        """Make or upgrade the tables."""
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -16000")
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if not version:
            self._make_tables(connection)
            self._fresh = True
        for statement in UPGRADE.get(version, ()):
            connection.execute(statement)
        if version != SCHEMA_VERSION:
            renew(connection)
        connection.execute("COMMIT")
        connection.row_factory = sqlite3.Row

    @staticmethod
    def _make_tables(connection: sqlite3.Connection) -> None:
        """Make all tables inside the transaction that is open."""
        for statement in statements("schema.sql"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


@contextlib.contextmanager
def _only_ingest(path: Path) -> Iterator[None]:
    """Refuse a second ingest while a block runs."""
    lock = FileLock(f"{path.resolve()}.ingest.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DatabaseError(INGESTING.format(path)) from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows takes no file away that is open
            Path(lock.lock_file).unlink()
        lock.release()


def _cannot_write(path: Path, error: Exception) -> DatabaseError:
    """One line about why a database cannot be written."""
    if "locked" in str(error):
        return DatabaseError(f"another process is writing {path}: wait until it has ended")
    return DatabaseError(f"{path} cannot be written: {one_line(error)}")
