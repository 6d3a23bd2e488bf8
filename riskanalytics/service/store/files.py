"""Which files are databases of ours."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.service.store.schema import SCHEMA_VERSION

APPLICATION_ID: Final = 0x5249534B
"""`RISK`, in the header of every database of ours."""
_NAME_OURS: Final = "name one that 'riskanalytics ingest' made"
_HEAD: Final = "SELECT * FROM pragma_application_id, pragma_user_version, pragma_page_count, pragma_page_size"


def is_blank(path: Path) -> bool:
    """Say whether nothing was ever put into a file: what a run leaves that was stopped before it made its tables.

    Parameters
    ----------
    path : Path
        Need not be there.
    """
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return True
    try:
        return _answer(path, "SELECT 1 FROM sqlite_schema LIMIT 1") is None
    except sqlite3.Error:
        return False


def check_file(path: Path, *, older: bool = True) -> None:
    """Refuse a file that is not a whole database of ours.

    Parameters
    ----------
    path : Path
    older : bool, optional
        Whether one of an older version will do.

    Raises
    ------
    DatabaseError
        One line: missing, of another program, cut off, or of another version.
    """
    if not path.is_file():
        raise DatabaseError(f"there is no database {path}")
    try:
        application, version, pages, size = _answer(path, _HEAD) or ()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CANTOPEN:
            raise DatabaseError(f"{path} cannot be opened: its folder must be one that may be written") from error
        raise DatabaseError(f"{path} is not a database of riskanalytics: {one_line(error)}; {_NAME_OURS}") from error
    if application != APPLICATION_ID and is_blank(path):
        raise DatabaseError(f"{path} is empty: ingest a collection into it first")
    if application != APPLICATION_ID:
        raise DatabaseError(f"{path} is a database of another program; {_NAME_OURS}")
    check_version(path, version, older=older)
    log = Path(f"{path}-wal")
    # reading leaves an empty log behind: only one that holds pages may explain a short file
    if not (log.exists() and log.stat().st_size) and path.stat().st_size < pages * size:
        raise DatabaseError(f"{path} is cut off: restore it, or ingest again into a new file")


def check_version(place: object, version: int, *, older: bool) -> None:
    """Refuse tables of another version.

    Parameters
    ----------
    place : Path or Server
    version : int
    older : bool
        Whether an older one will do.

    Raises
    ------
    DatabaseError
    """
    if version > SCHEMA_VERSION:
        raise DatabaseError(f"{place} was made by a newer riskanalytics: upgrade to read it")
    if version < SCHEMA_VERSION and not older:
        raise DatabaseError(f"{place} was made by an older riskanalytics: ingest into it once to read it")


def check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file whose pages do not fit together, or its full-text index (SQLite `quick_check`).

    Parameters
    ----------
    connection : Connection
    path : Path
        For the message.

    Raises
    ------
    DatabaseError, sqlite3.DatabaseError
    """
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise DatabaseError(f"{path} is damaged: restore a backup, or ingest again into a new file")


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read, where there is none.

    One that is there is not opened: to close it again would give up the locks that this process has on it
    (https://www.sqlite.org/howtocorrupt.html, section 2.2).

    Parameters
    ----------
    path : Path

    Raises
    ------
    OSError
        If it cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk, where the system can: a file that was renamed keeps its new name.

    Parameters
    ----------
    folder : Path
    """
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _answer(path: Path, statement: str) -> tuple[int, ...] | None:
    """Ask a file one thing."""
    try:
        return _asked(path, "ro", statement)
    except sqlite3.OperationalError as error:
        # a writer that was killed while it made the file left steps to undo, which only a writer can
        if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
        return _asked(path, "rw", statement)


def _asked(path: Path, mode: str, statement: str) -> tuple[int, ...] | None:
    """Ask a file that is opened for reading (`ro`) or writing too (`rw`)."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=10)) as connection:
        try:
            row: tuple[int, ...] | None = connection.execute(statement).fetchone()
        except UnicodeDecodeError as error:  # SQLite's message repeats the damaged words of a table
            raise sqlite3.DatabaseError("database disk image is malformed") from error
        return row
