"""A consistent copy of a database while it is served and written (SQLite online backup)."""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import sqlite3
import time
from pathlib import Path
from typing import Final

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.service.store.files import check_file, check_pages, make_private, sync_folder

_LONG: Final = 3600
"""Seconds."""


def backup(database: Path, target: Path) -> None:
    """Copy a database, and the keys beside it, whole or not at all.

    Parameters
    ----------
    database : Path
    target : Path
        Replaced where it is there; the keys go to `<target>.access.sqlite`.

    Raises
    ------
    DatabaseError
        If the database is none of ours or damaged, or the target cannot be written; the target is then as it was.

    Notes
    -----
    With a backup as the database and the database as the target it restores. A plain copy would leave the log of the
    database that was there, and SQLite would play that log into the backup.
    """
    check_file(database)
    if target.exists() and target.samefile(database):
        raise DatabaseError(f"{target} is the database itself: name another file")
    keys = database.with_name(database.name + ".access.sqlite")
    made: list[tuple[Path, Path]] = []
    try:
        for source, copy in ((database, target), (keys, target.with_name(target.name + ".access.sqlite"))):
            if source.exists():
                _sweep(copy)
                part = copy.with_name(f".{copy.name}.{secrets.token_hex(4)}")
                made.append((part, copy))
                _copied(source, part)
        for part, copy in made:
            _take_in_log(copy)
            part.replace(copy)
            for suffix in ("-wal", "-shm"):
                Path(f"{copy}{suffix}").unlink(missing_ok=True)
        sync_folder(target.parent)
    except OSError as error:
        raise DatabaseError(f"{database} could not be copied to {target}: {error.strerror}") from error
    except sqlite3.Error as error:
        raise DatabaseError(f"{database} could not be copied to {target}: {one_line(error)}") from error
    finally:
        for part, _ in made:
            with contextlib.suppress(OSError):
                part.unlink()


def _sweep(copy: Path) -> None:
    """Delete what copies under this name left that were killed; nobody has written to it for long."""
    for part in copy.parent.glob(f".{glob.escape(copy.name)}.{'[0-9a-f]' * 8}*"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > _LONG:
                part.unlink()


def _take_in_log(database: Path) -> None:
    """Bring what stands in the log of a file into the file, so that the log is empty and may go."""
    if not database.exists():
        return
    with (
        contextlib.suppress(sqlite3.Error),  # a damaged file is what is replaced
        contextlib.closing(sqlite3.connect(database, timeout=10)) as connection,
    ):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copied(source: Path, part: Path) -> None:
    """Copy one file to a new one, checked and on the disk."""
    make_private(part)
    with (
        contextlib.closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as reader,
        contextlib.closing(sqlite3.connect(part)) as writer,
    ):
        reader.backup(writer)  # in one step: one state, however much is written meanwhile
        check_pages(writer, source)
    with part.open("rb") as file:
        os.fsync(file.fileno())
