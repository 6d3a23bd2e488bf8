"""Connections to a SQLite file: lent to one thread at a time, a few of them kept."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Generic, TypeVar

MOST_IDLE: Final = 8
"""Connections that are kept while nobody uses them; each costs two descriptors and its page cache."""

Mark = TypeVar("Mark")


@contextmanager
def _as_it_is(_: sqlite3.Connection) -> Iterator[None]:
    """Put nothing around the time in which a connection is lent."""
    yield


class Connections(Generic[Mark]):
    """Lends connections to threads and takes them back, so that none outlives the thread that asked for it.

    A thread that asks again while it has one gets the same.

    Parameters
    ----------
    opened : callable
        Opens a connection with `check_same_thread=False`.
    mark : callable
        Tells what a connection must have been opened under to be used again, such as the file's number.
    lasting : callable
        Says of a connection that comes back whether it may be used again.
    around : callable
        Gives a context manager for the time in which a connection is lent.
    """

    def __init__(
        self,
        opened: Callable[[], sqlite3.Connection],
        mark: Callable[[], Mark],
        lasting: Callable[[sqlite3.Connection], bool] = lambda _: True,
        around: Callable[[sqlite3.Connection], AbstractContextManager[None]] = _as_it_is,
    ) -> None:
        self._opened = opened
        self._mark = mark
        self._lasting = lasting
        self._around = around
        self._lent = threading.local()
        self._idle: list[tuple[Mark, sqlite3.Connection]] = []
        self._lock = threading.Lock()
        self._closed = 0

    @contextmanager
    def lent(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for the length of a block.

        Raises
        ------
        sqlite3.Error
            As opening does.
        """
        mine: sqlite3.Connection | None = getattr(self._lent, "connection", None)
        if mine is not None:
            yield mine
            return
        closed, mark = self._closed, self._mark()
        connection = self._again(mark) or self._opened()
        self._lent.connection = connection
        try:
            with self._around(connection):
                yield connection
        finally:
            self._lent.connection = None
            self._back(mark, connection, closed)

    def _again(self, mark: Mark) -> sqlite3.Connection | None:
        """Give a connection that was opened under a mark, and close those that were opened under another."""
        with self._lock:
            fit = [pair for pair in self._idle if pair[0] == mark]
            past = [pair for pair in self._idle if pair[0] != mark]
            connection = fit.pop()[1] if fit else None
            self._idle = fit
        for _, other in past:
            other.close()
        return connection

    def _back(self, mark: Mark, connection: sqlite3.Connection, closed: int) -> None:
        """Keep a connection, or close it where enough are kept, or where it is not as it was lent."""
        if not connection.in_transaction and self._lasting(connection):
            with self._lock:
                if closed == self._closed and len(self._idle) < MOST_IDLE:
                    self._idle.append((mark, connection))
                    return
        connection.close()

    def close(self) -> None:
        """Close the connections that nobody uses; those that are lent close when they come back."""
        with self._lock:
            self._closed += 1
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()
