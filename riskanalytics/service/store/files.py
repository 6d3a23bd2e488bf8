"""Checks of SQLite database files, and backup of a file while other processes use it (SQLite online backup)."""

import contextlib
import glob
import os
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.files import sync_folder

from .schema import SCHEMA_VERSION

APPLICATION_ID: Final = 0x5249534B
"""SQLite application id in the header of every riskanalytics database: the letters `RISK`."""
_NAME_OURS: Final = "use a database created by 'riskanalytics ingest'"
DAMAGED: Final = "{} is damaged: restore a backup, or ingest again into a new file"


def access_file(database: Path) -> Path:
    """Return the path of the key file of a database, which holds the subscription keys: `<database>.access.sqlite`."""
    return database.with_name(database.name + ".access.sqlite")


def is_blank(path: Path) -> bool:
    """Return whether a file is missing or has no tables, as after a run that stopped before creating them.

    Parameters
    ----------
    path : Path
        File that may be missing.
    """
    try:
        return not path.exists() or _answer(path, "SELECT 1 FROM sqlite_schema LIMIT 1") is None
    except sqlite3.Error:
        return False


def check_file(path: Path, *, older: bool = True) -> None:
    """Raise an error if a file is not a complete riskanalytics database.

    Parameters
    ----------
    path : Path
    older : bool, optional
        Whether to accept a database of an older riskanalytics.

    Raises
    ------
    DatabaseError
        If the file is missing, truncated, of another program, of a newer riskanalytics, or of an older one and not accepted.
    """
    if not path.is_file():
        raise DatabaseError(f"there is no database {path}")
    try:
        head = "SELECT * FROM pragma_application_id, pragma_user_version, pragma_page_count, pragma_page_size"
        application, version, pages, size = _answer(path, head)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CANTOPEN:
            raise DatabaseError(f"{path} cannot be opened: its folder must be writable") from error
        raise DatabaseError(f"{path} is not a riskanalytics database: {one_line(error)}; {_NAME_OURS}") from error
    if application != APPLICATION_ID:
        empty = is_blank(path) and "is empty: ingest a collection into it first"
        raise DatabaseError(f"{path} {empty or f'is a database of another program; {_NAME_OURS}'}")
    check_version(path, version, older=older)
    log = Path(f"{path}-wal")
    # reading leaves an empty log behind; only a log with pages may explain a short file
    if not (log.exists() and log.stat().st_size) and path.stat().st_size < pages * size:
        raise DatabaseError(f"{path} is truncated: restore a backup, or ingest again into a new file")


def check_version(place: object, version: int, *, older: bool) -> None:
    """Raise an error if this riskanalytics cannot use a database because its tables have another schema version.

    Parameters
    ----------
    place : Path or Server
        Database, for the message.
    version : int
        Schema version of its tables.
    older : bool
        Whether to accept an older version.

    Raises
    ------
    DatabaseError
        If the version is newer, or older and not accepted.
    """
    if version > SCHEMA_VERSION:
        raise DatabaseError(f"{place} was created by a newer riskanalytics: upgrade riskanalytics to read it")
    if version < SCHEMA_VERSION and not older:
        raise DatabaseError(f"{place} was created by an older riskanalytics: upgrade it with 'riskanalytics ingest'")


def make_private(path: Path) -> None:
    """Create an empty file that only its owner may read, if it does not exist.

    An existing file is not opened, because closing it would release the locks of this process on it
    (https://www.sqlite.org/howtocorrupt.html, section 2.2).

    Raises
    ------
    OSError
        If the file cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _answer(path: Path, statement: str) -> Any:
    """Return one row of a database file. The file is opened for writing, so that SQLite can roll back after a killed writer."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True, timeout=10)) as db:
        try:
            return db.execute(statement).fetchone()
        # raised because the message of SQLite contains damaged names
        except UnicodeDecodeError as error:
            raise sqlite3.DatabaseError("database disk image is malformed") from error


def backup(database: Path, target: Path) -> None:
    """Copy a database and its key file, completely or not at all.

    Parameters
    ----------
    database : Path
    target : Path
        Path of the copy, replaced if it exists. The keys are copied to `<target>.access.sqlite`.

    Raises
    ------
    DatabaseError
        If the database is not a riskanalytics database or damaged, or the target cannot be written; the target is then
        unchanged.

    Notes
    -----
    To restore, pass the backup as the database and the database as the target. A plain copy would leave the log of the
    replaced database, and SQLite would apply that log to the backup.
    """
    check_file(database)
    if target.exists() and target.samefile(database):
        raise DatabaseError(f"{target} is the database itself: choose another file")
    try:
        # remains of copies killed more than an hour ago
        for left in target.parent.glob(f".{glob.escape(target.name)}.*"):
            if time.time() - left.stat().st_mtime > 3600:
                shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            made = {}
            for source, copy in ((database, target), (access_file(database), access_file(target))):
                if source.exists():
                    made[copy] = Path(folder) / copy.name
                    _copy(source, made[copy])
            for copy, part in made.items():
                if copy.exists():
                    # merges the log so that it can be deleted; a damaged target is replaced anyway
                    with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(copy, timeout=10)) as db:
                        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                part.replace(copy)
                for suffix in ("-wal", "-shm"):
                    Path(f"{copy}{suffix}").unlink(missing_ok=True)
        sync_folder(target.parent)
    except (OSError, sqlite3.Error) as error:
        raise DatabaseError(f"{database} could not be copied to {target}: {one_line(error)}") from error


def _copy(source: Path, part: Path) -> None:
    """Copy one database file to a new file, check it and sync it to disk."""
    make_private(part)
    with (
        closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as reader,
        closing(sqlite3.connect(part)) as writer,
    ):
        # in one step, so that the copy is one state despite concurrent writes
        reader.backup(writer)
        if writer.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise DatabaseError(DAMAGED.format(source))
    with part.open("rb") as file:
        os.fsync(file.fileno())
