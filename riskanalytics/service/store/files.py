"""Which files are databases of ours."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from riskanalytics.errors import DatabaseError

APPLICATION_ID: Final = 0x5249534B
"""`RISK`, in the header of every database of ours."""
SCHEMA_VERSION: Final = 2
"""1: the first. 2: a clause's roles, leads, and the direction of a change on each surface."""
_ROLES: Final = ("actor", "action", "object", "condition")
UPGRADE: Final = (
    *(f"ALTER TABLE finding ADD COLUMN {role} TEXT" for role in _ROLES),
    "CREATE TABLE lead AS SELECT * FROM finding WHERE 0",
    "CREATE INDEX lead_by_snapshot ON lead (snapshot_id)",
    "ALTER TABLE change ADD COLUMN directions TEXT NOT NULL DEFAULT '{}'",
    "DELETE FROM meta WHERE key = 'rules'",  # what the readings lack is read at the next ingest
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)
"""Make the tables of version 1 those of this version."""
BRIDGE: Final = (
    f"CREATE TEMP VIEW finding AS SELECT *, {', '.join(f'NULL AS {role}' for role in _ROLES)} FROM main.finding",
    "CREATE TEMP VIEW lead AS SELECT * FROM finding WHERE 0",
    "CREATE TEMP VIEW change AS SELECT *, '{}' AS directions FROM main.change",
)
"""Let a reader, who may not write the file, see version 1 as this version."""


def is_blank(path: Path) -> bool:
    """Tell whether nothing was ever put into a file: what a run leaves that was stopped before it made its tables.

    Parameters
    ----------
    path : Path
        Need not be there.
    """
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return True
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=10)
        try:
            return not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        finally:
            connection.close()
    except sqlite3.Error:
        return False


def check_file(path: Path) -> None:
    """Refuse a file that is not a whole database of ours.

    Parameters
    ----------
    path : Path

    Raises
    ------
    DatabaseError
        One line: missing, of another program, cut off, or newer than this version.
    """
    if not path.is_file():
        raise DatabaseError(f"there is no database {path}")
    try:
        application, version, pages, size = _told(path)
    except sqlite3.Error as error:
        raise DatabaseError(f"{path} is not a database of riskanalytics: {error}") from error
    if application != APPLICATION_ID and is_blank(path):
        raise DatabaseError(f"{path} is empty: ingest a collection into it first")
    if application != APPLICATION_ID:
        raise DatabaseError(f"{path} is a database of another program")
    if version > SCHEMA_VERSION:
        raise DatabaseError(f"{path} was made by a newer riskanalytics: upgrade to read it")
    log = Path(f"{path}-wal")
    # reading leaves an empty log behind: only one that holds pages may explain a short file
    if not (log.exists() and log.stat().st_size) and path.stat().st_size < pages * size:
        raise DatabaseError(f"{path} is cut off: restore it, or ingest again into a new file")


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


def _told(path: Path) -> list[int]:
    """Application, version, pages and their size in bytes, as the file tells them."""
    try:
        return _pragmas(path, "ro")
    except sqlite3.OperationalError as error:
        # a writer that was killed while it made the file left steps to undo, which only a writer can
        if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
        return _pragmas(path, "rw")


def _pragmas(path: Path, mode: str) -> list[int]:
    """Ask a file that is opened for reading (`ro`) or writing too (`rw`)."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=10)) as connection:
        names = ("application_id", "user_version", "page_count", "page_size")
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
