"""Fictional platforms with written policies and a dated history: the embedded default.

Nothing here speaks of a real vendor. The database is built on first use from written clauses, by the same
ingest, extraction and reviews that real archives go through, and kept in the user's cache folder.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Final

from filelock import FileLock

from riskanalytics.demo.collection import DemoCollection, digest
from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.ingest import ingest
from riskanalytics.service.store.files import check_file
from riskanalytics.settings import load_settings

__all__ = ["DemoCollection", "demo_database"]

_BESIDE: Final = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database."""
_UNUSED: Final = 7 * 24 * 3600
"""Seconds after which a demo of another version is removed."""

Progress = Callable[[str, int, int | None], None]


def demo_database(cache: Path | None = None, progress: Progress | None = None) -> Path:
    """Return the demo's database, built on first use.

    Its name tells the version of the package and a hash of rules and written policies, so a newer package
    never reads an older demo.

    Parameters
    ----------
    cache : Path, optional
        Folder to keep it in; the setting's where None.
    progress : callable, optional
        Told the phase, the steps done and the steps in all, while it is built.

    Returns
    -------
    Path
        A complete database; another process that builds it at the same time is waited for.

    Raises
    ------
    SettingsError
        If the folder cannot be written: one line.
    """
    folder = cache or load_settings().cache
    path = folder / f"demo-{version('riskanalytics')}-{digest()}.sqlite"
    if _whole(path):
        with contextlib.suppress(OSError):
            os.utime(path)  # used now: a build by another version leaves it
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with FileLock(folder / "demo.lock", mode=0o600):
            if not _whole(path):
                _build(path, progress)
    except (OSError, sqlite3.Error) as error:
        raise SettingsError(
            f"the cache folder {folder} cannot be written: set RISKANALYTICS_CACHE to another"
        ) from error
    return path


def _whole(path: Path) -> bool:
    """Say whether a complete database stands there."""
    with contextlib.suppress(DatabaseError, OSError):
        check_file(path)
        return True
    return False


def _build(path: Path, progress: Progress | None) -> None:
    """Build beside the place and move there when whole; the caller holds the lock."""
    _sweep(path)
    with tempfile.TemporaryDirectory(prefix="demo-building-", dir=path.parent) as scratch:
        fresh = Path(scratch) / path.name
        ingest(DemoCollection(), fresh, progress=progress)
        _close(fresh)
        for ending in _BESIDE:
            Path(f"{path}{ending}").unlink(missing_ok=True)
        fresh.replace(path)


def _close(path: Path) -> None:
    """Keep all in the one file: readers then write nothing beside it, and a read-only folder will do."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")


def _sweep(path: Path) -> None:
    """Remove what killed builders left, and the demos of other versions that nobody has used for a week."""
    for left in path.parent.glob("demo-building-*"):
        shutil.rmtree(left, ignore_errors=True)
    for old in path.parent.glob("demo-*.sqlite*"):
        if not old.name.startswith(path.name):
            with contextlib.suppress(OSError):
                if time.time() - old.stat().st_mtime > _UNUSED:
                    old.unlink()
