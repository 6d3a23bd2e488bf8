"""Windows of the pace: which requests of whom were accepted in the last sixty seconds.

They stand in a file of their own, `<database>.pace.sqlite`, that all server processes of a database share. Nothing in it
outlives a minute, so nothing is synced to the disk: a power cut forgets a minute of requests. Where the file cannot be
written, because the disk is full or somebody holds it, each process counts in memory, and says so in `/health`. Where a
PostgreSQL server has the database, its processes on all machines share a table there, and its clock.
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

from riskanalytics.databases import Server
from riskanalytics.errors import DatabaseError, one_line
from riskanalytics.service.store.connections import Connections
from riskanalytics.service.store.files import make_private
from riskanalytics.service.store.seam import Values
from riskanalytics.service.store.server import opened
from riskanalytics.service.store.tables import statements

WINDOW_SECONDS: Final = 60
SECOND: Final = 1_000_000_000
WINDOW: Final = WINDOW_SECONDS * SECOND
"""Length of a window in nanoseconds."""
_PATIENCE: Final = 1.0
"""Seconds that one request waits for the file."""
_ANSWER: Final = 3.0
"""Seconds in which a server must have answered one request."""
_AGAIN_AFTER: Final = 5.0
"""Seconds after which a file that failed is tried again: nobody waits for it meanwhile."""
_SWEPT_EVERY: Final = 1024
_MOST_SUBJECTS: Final = 20_000
_MOST_CONNECTIONS: Final = 3
"""Of a process to a server."""
_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtextextended(:subject, 0))"
_TAKE: Final = f"""
WITH now AS (SELECT (extract(epoch FROM clock_timestamp()) * {SECOND})::bigint AS at),
  gone AS (DELETE FROM request r USING now WHERE r.subject = :subject AND (r.at <= now.at - {WINDOW} OR r.at > now.at)),
  taken AS (SELECT count(r.at) AS taken, coalesce(min(r.at), min(now.at)) AS oldest, min(now.at) AS at FROM now
    LEFT JOIN request r ON r.subject = :subject AND r.at > now.at - {WINDOW} AND r.at <= now.at),
  place AS (SELECT taken, oldest, at, greatest(0, least(:wanted, :quota - taken)) AS granted FROM taken),
  put AS (INSERT INTO request SELECT :subject, at FROM place, generate_series(1, granted))
SELECT taken, oldest, granted, at FROM place"""  # noqa: S608 (numbers of this module)
"""What `SharedWindows.take` does, in one round trip and by the server's clock."""
_SWEEP: Final = f"DELETE FROM request WHERE at <= (extract(epoch FROM clock_timestamp()) * {SECOND})::bigint - {WINDOW}"  # noqa: S608


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
                for statement in statements("pace.sql"):
                    connection.execute(statement)
            with contextlib.suppress(FileExistsError):
                os.link(part, self.path)
        finally:
            part.unlink(missing_ok=True)


class ServerWindows:
    """Windows in a table of a server.

    Parameters
    ----------
    server : Server
    """

    def __init__(self, server: Server) -> None:
        self._connections = Connections(
            lambda: opened(server, _ANSWER, synchronous_commit="off", lock_timeout=f"{int(1000 * _PATIENCE)}ms"),
            lambda: self._lost, lambda connection: connection.lasting, most=_MOST_CONNECTIONS,
            alive=lambda connection: connection.alive, patience=_ANSWER,
        )  # fmt: skip
        self._lost = 0
        self._asked = 0
        self._lost_until = 0.0

    def take(self, subject: str, clock: Clock, quota: int, wanted: int = 1) -> Place:
        """Take places, as `SharedWindows` does; the server's times are told by this process's clock.

        Parameters
        ----------
        subject : str
        clock : callable
        quota, wanted : int

        Raises
        ------
        DatabaseError
            If the server cannot be reached or written now.
        """
        if time.monotonic() < self._lost_until:
            raise DatabaseError("the server could not be written a moment ago")
        self._asked += 1
        values = {"subject": subject, "quota": quota, "wanted": wanted}
        steps: list[tuple[str, Values]] = [("BEGIN", ()), (_LOCK, values), (_TAKE, values), ("COMMIT", ())]
        if self._asked % _SWEPT_EVERY == 0:
            steps.append((_SWEEP, ()))
        asked = clock()
        try:
            with self._connections.lent() as connection:
                taken, oldest, granted, at = connection.together(*steps)[2].fetchone()
        except DatabaseError:
            self._lost += 1  # what was opened before it may have ended too
            self._lost_until = time.monotonic() + _AGAIN_AFTER
            raise
        return Place(taken, asked - (at - oldest), granted, asked)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()


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
