"""The work that a request makes: how long the database was read for it, and whether anybody still waits."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from riskanalytics.errors import DatabaseError

_STEPS: Final = 20_000
"""Steps of SQLite's machine, about a millisecond, between two looks whether anybody still waits."""


class ClientGoneError(DatabaseError):
    """Nobody waits for what a thread reads; there is nobody to tell it either."""


class Work:
    """The work of one request. Threads that work for it alone find it by their context."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """Of processor time."""
        self.vain = False
        """Whether nobody waits for it any more."""


CURRENT: Final[ContextVar[Work | None]] = ContextVar("work", default=None)
"""That of the request for which this thread or task runs."""


@contextmanager
def counted(connection: sqlite3.Connection) -> Iterator[None]:
    """Count the time of a block in which a thread reads, and end its statements once nobody waits.

    Parameters
    ----------
    connection : sqlite3.Connection
    """
    work = CURRENT.get()
    if work is None:
        yield
        return
    connection.set_progress_handler(lambda: work.vain, _STEPS)
    began = time.thread_time()
    try:
        yield
    finally:
        work.seconds += time.thread_time() - began
        connection.set_progress_handler(None, 0)


def refuse_vain() -> None:
    """End the work of this thread if nobody waits for it.

    Raises
    ------
    ClientGoneError
    """
    work = CURRENT.get()
    if work is not None and work.vain:
        raise ClientGoneError("the client has gone")


def spent(seconds: float) -> None:
    """Count work that is done elsewhere for the request for which this thread or task runs.

    Parameters
    ----------
    seconds : float
        Of processor time.
    """
    work = CURRENT.get()
    if work is not None:
        work.seconds += seconds
