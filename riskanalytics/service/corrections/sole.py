"""One process of all that serve a database runs its corrections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from riskanalytics.databases import Place
from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.server import ServerConnection, opened

_LOCK: Final = "SELECT pg_try_advisory_lock(hashtext(current_schema() || '.corrections'))"

_PATIENCE: Final = 3.0
"""Seconds after which a server that does not answer counts as gone."""


@contextmanager
def sole(database: Place) -> Iterator[Callable[[], bool] | None]:
    """Keep this process the one for the length of a block: give what says whether it still is, or None where it is not.

    Parameters
    ----------
    database : Path or Server
        A lock beside the file; on a server one that goes with its connection.

    Raises
    ------
    DatabaseError, OSError
    """
    if isinstance(database, Path):
        lock = FileLock(f"{database}.corrections.lock", mode=0o600)
        try:
            held = lock.acquire(timeout=0)
        except Timeout:
            yield None
            return
        with held:
            yield lambda: True
        return
    with closing(opened(database, _PATIENCE)) as connection:
        yield partial(_answers, connection) if connection.execute(_LOCK).fetchone()[0] else None


def _answers(connection: ServerConnection) -> bool:
    """Say whether a connection lives, and its lock with it; being asked keeps it from being closed as idle."""
    try:
        connection.execute("SELECT 1")
    except DatabaseError:
        return False
    return True
