"""Which files are databases of ours."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.service.store.seam import Connection

APPLICATION_ID: Final = 0x5249534B
"""`RISK`, in the header of every database of ours."""
SCHEMA_VERSION: Final = 5
"""1: the first. 2: a clause's roles, leads, and the direction of a change on each surface. 3: a checksum of the file.
4: the address of a document's page. 5: what a clause continues, and no checksum."""
INGESTING: Final = "another ingest is writing {}: wait until it has ended"
"""What a person is told whose ingest would be the second at a time."""
_ROLES: Final = ("actor", "action", "object", "condition")
_TO_2: Final = (
    *(f"ALTER TABLE finding ADD COLUMN {role} TEXT" for role in _ROLES),
    "CREATE TABLE lead AS SELECT * FROM finding WHERE 0",
    "CREATE INDEX lead_by_snapshot ON lead (snapshot_id)",
    "ALTER TABLE change ADD COLUMN directions TEXT NOT NULL DEFAULT '{}'",
    "DELETE FROM meta WHERE key = 'rules'",  # what the readings lack is read at the next ingest
)
LEADS: Final = {"lead_in": "TEXT", "lead_start": "INTEGER", "lead_end": "INTEGER"}
"""Columns of version 5, in both tables of clauses, and their types."""
_TO_5: Final = (
    *(f"ALTER TABLE {table} ADD COLUMN {name} {kind}" for table in ("finding", "lead") for name, kind in LEADS.items()),
    "DROP TABLE IF EXISTS checksum",
    "PRAGMA user_version = 5",
)
_TO_4: Final = ("ALTER TABLE document ADD COLUMN url TEXT", *_TO_5)
UPGRADE: Final = {1: (*_TO_2, *_TO_4), 2: _TO_4, 3: _TO_4, 4: _TO_5}
"""Make the tables of an older version those of this version."""
_DOCUMENT: Final = "CREATE TEMP VIEW document AS SELECT *, NULL AS url FROM main.document"
_FROM_4: Final = tuple(
    f"CREATE TEMP VIEW {table} AS SELECT *, {', '.join(f'NULL AS {name}' for name in LEADS)} FROM main.{table}"
    for table in ("finding", "lead")
)
_FROM_3: Final = (_DOCUMENT, *_FROM_4)
_FROM_1: Final = (
    _DOCUMENT,
    f"CREATE TEMP VIEW finding AS SELECT *, {', '.join(f'NULL AS {name}' for name in (*_ROLES, *LEADS))} FROM main.finding",
    "CREATE TEMP VIEW lead AS SELECT * FROM finding WHERE 0",
    "CREATE TEMP VIEW change AS SELECT *, '{}' AS directions FROM main.change",
)
BRIDGE: Final[dict[int, tuple[str, ...]]] = {1: _FROM_1, 2: _FROM_3, 3: _FROM_3, 4: _FROM_4}
"""Let a reader, who may not write the file, see an older version as this version."""


_NAME_OURS: Final = "name one that 'riskanalytics ingest' made"
_HEAD: Final = "SELECT * FROM pragma_application_id, pragma_user_version, pragma_page_count, pragma_page_size"


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
        return _answer(path, "SELECT 1 FROM sqlite_schema LIMIT 1") is None
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
        application, version, pages, size = _answer(path, _HEAD) or ()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CANTOPEN:
            raise DatabaseError(f"{path} cannot be opened: its folder must be one that may be written") from error
        raise DatabaseError(f"{path} is not a database of riskanalytics: {one_line(error)}; {_NAME_OURS}") from error
    if application != APPLICATION_ID and is_blank(path):
        raise DatabaseError(f"{path} is empty: ingest a collection into it first")
    if application != APPLICATION_ID:
        raise DatabaseError(f"{path} is a database of another program; {_NAME_OURS}")
    if version > SCHEMA_VERSION:
        raise DatabaseError(f"{path} was made by a newer riskanalytics: upgrade to read it")
    log = Path(f"{path}-wal")
    # reading leaves an empty log behind: only one that holds pages may explain a short file
    if not (log.exists() and log.stat().st_size) and path.stat().st_size < pages * size:
        raise DatabaseError(f"{path} is cut off: restore it, or ingest again into a new file")


def check_pages(connection: Connection, path: Path) -> None:
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
