"""The work that a request makes: how long the database was read for it, and whether anybody still waits."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.server import ServerConnection

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
        self._ends: list[Callable[[], None]] = []

    def leave(self) -> None:
        """Say that nobody waits for it any more."""
        self.vain = True
        for end in tuple(self._ends):
            end()

    @contextmanager
    def ended_by(self, end: Callable[[], None]) -> Iterator[None]:
        """Have something called if nobody waits any more while a block runs."""
        self._ends.append(end)
        try:
            yield
        finally:
            self._ends.remove(end)


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
    try:
        with _timed(work):
            yield
    finally:
        connection.set_progress_handler(None, 0)


@contextmanager
def counted_away(connection: ServerConnection) -> Iterator[None]:
    """Do as `counted` does where a server reads; its own time is not known and not counted.

    Parameters
    ----------
    connection : ServerConnection
    """
    work = CURRENT.get()
    if work is None:
        yield
        return
    with work.ended_by(connection.call_off), _timed(work):
        yield


@contextmanager
def _timed(work: Work) -> Iterator[None]:
    """Count the time of a block."""
    began = time.thread_time()
    try:
        yield
    finally:
        work.seconds += time.thread_time() - began


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
