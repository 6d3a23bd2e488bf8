"""Windows of the pace: which requests of whom were accepted in the last sixty seconds.

They stand in a file of their own, `<database>.pace.sqlite`, that all server processes of a database share. Nothing in it
outlives a minute, so nothing is synced to the disk: a power cut forgets a minute of requests. Where the file cannot be
written, because the disk is full or somebody holds it, each process counts in memory, and says so in `/health`.
"""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from cachetools import LRUCache

from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.service.store.connections import Connections
from riskanalytics.service.store.files import make_private

WINDOW_SECONDS: Final = 60
SECOND: Final = 1_000_000_000
WINDOW: Final = WINDOW_SECONDS * SECOND
"""Length of a window in nanoseconds."""
_PATIENCE: Final = 1.0
"""Seconds that one request waits for the file."""
_AGAIN_AFTER: Final = 5.0
"""Seconds after which a file that failed is tried again: nobody waits for it meanwhile."""
_SWEPT_EVERY: Final = 1024
_MOST_SUBJECTS: Final = 20_000
_TABLES: Final = (
    "CREATE TABLE request (subject TEXT NOT NULL, at INTEGER NOT NULL)",
    "CREATE INDEX request_by_subject ON request (subject, at)",
)


class Place(NamedTuple):
    """What a window says to one request."""

    taken: int
    """Requests in the window without this one."""
    oldest: int
    """Time of the first of them; that of this one where there is none."""
    granted: int
    """Places that it got."""
    at: int
    """When it asked: read while nobody else writes, or a request that waited would take later ones for the future."""

    @property
    def accepted(self) -> bool:
        """Whether it got any."""
        return self.granted > 0


Clock = Callable[[], int]
"""Nanoseconds of the machine's monotonic clock."""


class MemoryWindows:
    """Windows of one process; those of the subjects that asked longest ago are forgotten when there are too many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: LRUCache[str, deque[int]] = LRUCache(_MOST_SUBJECTS)

    def take(self, subject: str, clock: Clock, quota: int, wanted: int = 1) -> Place:
        """Take places, as many of those wanted as are free.

        Parameters
        ----------
        subject : str
        clock : callable
        quota, wanted : int
        """
        with self._lock:
            at = clock()
            window = self._taken.setdefault(subject, deque())
            while window and not at - WINDOW < window[0] <= at:
                window.popleft()
            granted = max(0, min(wanted, quota - len(window)))
            place = Place(len(window), window[0] if window else at, granted, at)
            window.extend([at] * granted)
            return place


class SharedWindows:
    """Windows in a file.

    Parameters
    ----------
    path : Path
        Made where it is not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connections = Connections(self._opened, lambda: None)
        self._asked = 0
        self._lost_until = 0.0

    def take(self, subject: str, clock: Clock, quota: int, wanted: int = 1) -> Place:
        """Take places, as many of those wanted as are free.

        Parameters
        ----------
        subject : str
        clock : callable
        quota, wanted : int

        Raises
        ------
        DatabaseError
            If the file cannot be read or written now.
        """
        if time.monotonic() < self._lost_until:
            raise DatabaseError(f"{self.path} could not be written a moment ago")
        self._asked += 1
        with self._transaction() as connection:
            at = clock()
            since = at - WINDOW
            # after a reboot the clock begins anew: times from the future are forgotten
            connection.execute("DELETE FROM request WHERE subject = ? AND (at <= ? OR at > ?)", (subject, since, at))
            if self._asked % _SWEPT_EVERY == 0:
                connection.execute("DELETE FROM request WHERE at <= ? OR at > ?", (since, at))
            counted = connection.execute("SELECT count(*), min(at) FROM request WHERE subject = ?", (subject,))
            taken, oldest = counted.fetchone()
            place = Place(taken, at if oldest is None else oldest, max(0, min(wanted, quota - taken)), at)
            connection.executemany("INSERT INTO request VALUES (?, ?)", [(subject, at)] * place.granted)
        return place

    def close(self) -> None:
        """Close the file."""
        self._connections.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection in a transaction that no other writer shares."""
        try:
            with self._connections.lent() as connection:
                _begin(connection)
                with connection:  # commits, or takes back
                    yield connection
        except (sqlite3.Error, OSError) as error:
            self._lost_until = time.monotonic() + _AGAIN_AFTER
            raise DatabaseError(f"{self.path} cannot be written: {one_line(error)}") from error

    def _opened(self) -> sqlite3.Connection:
        """Open the file, and make it first where it is not there."""
        if not self.path.exists():
            self._make()
        connection = sqlite3.connect(self.path, timeout=0, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA synchronous = OFF")
        return connection

    def _make(self) -> None:
        """Make the file whole under another name: two processes may do so at once, and the first gives it its name."""
        part = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}")
        try:
            make_private(part)
            with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                for statement in _TABLES:
                    connection.execute(statement)
            with contextlib.suppress(FileExistsError):
                os.link(part, self.path)
        finally:
            part.unlink(missing_ok=True)


def _begin(connection: sqlite3.Connection) -> None:
    """Begin a transaction that writes. SQLite's own waiting grows to a tenth of a second, in which others go first."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.0002, 0.002))  # noqa: S311 (no secret)
        else:
            return
