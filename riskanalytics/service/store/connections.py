"""Connections to a database: lent to one thread at a time, a few of them kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.seam import Connection

MOST_IDLE: Final = 8
"""Connections that are kept while nobody uses them; each costs two descriptors and its page cache."""

_AGAIN_AFTER: Final = 0.1
"""Seconds after which a database that had no connection left is asked again."""

Mark = TypeVar("Mark")
Lent = TypeVar("Lent", bound=Connection)


class NoneLeftError(DatabaseError):
    """All connections that the database admits are in use, by whomever."""


class Connections(Generic[Mark, Lent]):
    """Lends connections to threads and takes them back, so that none outlives the thread that asked for it.

    A thread that asks again while it has one gets the same.

    Parameters
    ----------
    opened : callable
        Opens a connection that any thread may use.
    mark : callable
        Tells what a connection must have been opened under to be used again, such as the file's number.
    lasting : callable
        Says of a connection that comes back whether it may be used again.
    most : int, optional
        Connections that are lent at once: further threads wait.
    alive : callable
        Says of a connection that was kept whether it has not ended meanwhile.
    patience : float
        Seconds that a thread waits for a connection where no more may be opened, or the database has none left.
    """

    def __init__(
        self,
        opened: Callable[[], Lent],
        mark: Callable[[], Mark],
        lasting: Callable[[Lent], bool] = lambda _: True,
        most: int | None = None,
        alive: Callable[[Lent], bool] = lambda _: True,
        patience: float = 30.0,
    ) -> None:
        self._opened = opened
        self._mark = mark
        self._lasting = lasting
        self._alive = alive
        self._patience = patience
        self._lent = threading.local()
        self._idle: list[tuple[Mark, Lent]] = []
        self._turns = None if most is None else threading.BoundedSemaphore(most)
        self._lock = threading.Lock()
        self._closed = 0

    @contextmanager
    def lent(self) -> Iterator[Lent]:
        """Lend a connection for the length of a block.

        Raises
        ------
        DatabaseError
            If none is free for long, or as opening does.
        """
        mine: Lent | None = getattr(self._lent, "connection", None)
        if mine is not None:
            yield mine
            return
        with self._turn():
            closed, mark = self._closed, self._mark()
            connection = self._usable(mark)
            self._lent.connection = connection
            try:
                yield connection
            finally:
                self._lent.connection = None
                self._back(mark, connection, closed)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait until one more may be lent."""
        if self._turns is None:
            yield
            return
        if not self._turns.acquire(timeout=self._patience):
            raise DatabaseError("all connections to the database have been in use for long: try later")
        try:
            yield
        finally:
            self._turns.release()

    def _usable(self, mark: Mark) -> Lent:
        """Give a connection that was kept, or a new one; where the database has none left, wait for the first of either."""
        deadline = time.monotonic() + self._patience
        while True:
            while (connection := self._again(mark)) is not None:
                if self._alive(connection):
                    return connection
                connection.close()
            try:
                return self._opened()
            except NoneLeftError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(_AGAIN_AFTER)

    def _again(self, mark: Mark) -> Lent | None:
        """Give a connection that was opened under a mark, and close those that were opened under another."""
        with self._lock:
            fit = [pair for pair in self._idle if pair[0] == mark]
            past = [pair for pair in self._idle if pair[0] != mark]
            connection = fit.pop()[1] if fit else None
            self._idle = fit
        for _, other in past:
            other.close()
        return connection

    def _back(self, mark: Mark, connection: Lent, closed: int) -> None:
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
