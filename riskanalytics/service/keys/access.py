"""Keys and tiers, in a second file beside the database, `<database>.access.sqlite`; on a server in tables of their own.

A key is kept only as HMAC-SHA256 (RFC 2104) under a random secret of that file, compared in constant time.
The tier is looked up, never read from the key's prefix (specification sections 3 and 5). The same file holds the
queue of corrections, so that the database itself changes by reviews only. What is written is on the disk before the
call returns.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import re
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple, Self

from riskanalytics.databases import Place, Server
from riskanalytics.errors import DatabaseError, SettingsError, one_line
from riskanalytics.service.store.connections import Connections
from riskanalytics.service.store.files import make_private
from riskanalytics.service.store.seam import Connection
from riskanalytics.service.store.server import ServerConnection, opened
from riskanalytics.service.store.tables import statements

PREFIXES: Final = {"starter": "svc_", "pro": "apc_live_", "enterprise": "apc_live_"}
"""Tier -> beginning of its keys (specification section 5)."""
_EMAIL: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_LONGEST_KEY: Final = 200
_BUSY_SECONDS: Final = 4
_NO_MORE: Final = "DROP TABLE IF EXISTS request"
"""The windows of the pace stood there once."""
_MOST: Final = 3
"""Connections of a process to a server for keys."""
_PATIENCE: Final = 15.0
"""Seconds in which a server must answer: a little more than those that it waits for another writer."""


class Subscription(NamedTuple):
    """One subscription, without its key.

    Parameters
    ----------
    email, tier : str
    started_at : str
        ISO 8601 UTC.
    ended_at : str or None
        None while it is active.
    """

    email: str
    tier: str
    started_at: str
    ended_at: str | None


class Access:
    """Keys of one database.

    Parameters
    ----------
    place : Path or Server, optional
        The second file, or the server that has the database; None keeps it in memory.

    Raises
    ------
    DatabaseError
        If it cannot be read or written.
    """

    def __init__(self, place: Place | None) -> None:
        self._place = place
        self.trouble = False
        """Whether the file could not be written when that was last tried."""
        self._embedded_key: str | None = None
        self._lock = threading.RLock()
        self._lost = 0
        most = _MOST if isinstance(place, Server) else None
        self._connections = Connections(
            self._connect, lambda: self._lost, self._lasting, most=most, alive=_alive, patience=_PATIENCE
        )
        self._memory = None if place is not None else self._connect()
        try:
            if isinstance(place, Path):
                make_private(place)
            self._pepper = self._made_ready()
        except OSError as error:
            raise DatabaseError(f"the keys' file {place} cannot be used: {error.strerror}") from error
        except DatabaseError:
            self.close()
            raise

    def _made_ready(self) -> bytes:
        """Make what is not there yet, and return the secret."""
        with self.transaction() as connection:
            if not isinstance(self._place, Server):  # there the first ingest makes all tables
                for statement in (_NO_MORE, *statements("access.sql")):
                    connection.execute(statement)
            connection.execute("INSERT INTO secret VALUES (1, ?) ON CONFLICT DO NOTHING", (secrets.token_bytes(32),))
            (pepper,) = connection.execute("SELECT pepper FROM secret").fetchone()
        return bytes(pepper)

    @classmethod
    def beside(cls, database: Place) -> Self:
        """Return the keys of a database."""
        if isinstance(database, Server):
            return cls(database)
        return cls(database.with_name(database.name + ".access.sqlite"))

    @property
    def windows(self) -> Place | None:
        """File of the pace's windows, `<database>.pace.sqlite`, or the server; None where the keys are in memory."""
        place = self._place
        if not isinstance(place, Path):
            return place
        return place.with_name(place.name.removesuffix(".access.sqlite") + ".pace.sqlite")

    @classmethod
    def embedded(cls) -> Self:
        """Return keys in memory with one random Enterprise key, for a service in the process."""
        access = cls(None)
        access._embedded_key = access.issue("embedded@localhost.localdomain", "enterprise")
        return access

    @property
    def embedded_key(self) -> str:
        """The key that `embedded` made."""
        if self._embedded_key is None:
            raise SettingsError("only an embedded service has a key of its own")
        return self._embedded_key

    def issue(self, email: str, tier: str) -> str:
        """Start a subscription.

        Parameters
        ----------
        email : str
        tier : str
            `starter`, `pro` or `enterprise`.

        Returns
        -------
        str
            The key, which works once this returns; it cannot be had again.

        Raises
        ------
        SettingsError
            If the address or the tier is not one.
        """
        if tier not in PREFIXES:
            raise SettingsError(f"a tier is starter, pro or enterprise, not {tier[:40]!r}")
        if not _EMAIL.fullmatch(email):
            raise SettingsError(f"{email[:80]!r} is no mail address")
        key = PREFIXES[tier] + secrets.token_urlsafe(32)
        with self.transaction() as connection:
            connection.execute(
                "INSERT INTO subscription (email, tier, digest, started_at) VALUES (?, ?, ?, ?)",
                (email, tier, self.digest(key), now()),
            )
        return key

    def withdraw(self, key: str) -> None:
        """Take back a key that could not be delivered."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM subscription WHERE digest = ?", (self.digest(key),))

    def end(self, email: str) -> int:
        """End all subscriptions of an address; their keys stop working at once.

        Returns
        -------
        int
            How many were active.
        """
        with self.transaction() as connection:
            cursor = connection.execute(
                "UPDATE subscription SET ended_at = ? WHERE email = ? AND ended_at IS NULL", (now(), email)
            )
            return cursor.rowcount

    def listed(self) -> list[Subscription]:
        """Return all subscriptions, oldest first."""
        with self.transaction() as connection:
            rows = connection.execute("SELECT email, tier, started_at, ended_at FROM subscription ORDER BY id")
            return [Subscription(*row) for row in rows]

    def holder_of(self, key: str) -> tuple[int, str] | None:
        """Return the number and the tier of an active key's subscription; None for any other, in the same time.

        Parameters
        ----------
        key : str
            As it was sent.
        """
        digest = self.digest(key[:_LONGEST_KEY])
        with self.reading() as connection:
            row = connection.execute(
                "SELECT digest, id, tier FROM subscription WHERE digest = ? AND ended_at IS NULL", (digest,)
            ).fetchone()
        stored, number, tier = row if row is not None else (b"\0" * 32, 0, "")
        same = hmac.compare_digest(bytes(stored), digest) and len(key) <= _LONGEST_KEY
        return (number, tier) if same else None

    def digest(self, text: str) -> bytes:
        """Return what is stored of a key, or of anything else that nobody may read back."""
        return hmac.new(self._pepper, text.encode("utf-8", errors="surrogatepass"), hashlib.sha256).digest()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give this thread's connection; what other processes wrote is seen at once.

        Raises
        ------
        DatabaseError
            If it cannot be read or written.
        """
        try:
            if self._memory is not None:
                with self._lock:
                    yield self._memory
                return
            with self._connections.lent() as connection:
                yield connection
        except sqlite3.Error as error:
            raise DatabaseError(f"the keys' file {self._place} cannot be used: {one_line(error)}") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Give a connection inside a transaction that no other writer shares: all or nothing; one inside another joins it."""
        try:
            with self.reading() as connection:
                if connection.in_transaction:
                    yield connection
                    return
                try:
                    self._begin(connection)
                    yield connection
                    connection.execute("COMMIT")
                    self.trouble = False
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
        except DatabaseError:
            self.trouble = True
            raise

    def try_writing(self) -> None:
        """Have `trouble` tell how it is now.

        Raises
        ------
        DatabaseError
        """
        with self.transaction():
            pass

    def _begin(self, connection: Connection) -> None:
        """Begin a transaction that no other writer shares: on a server each locks the same row first."""
        if isinstance(self._place, Server):
            connection.execute("BEGIN")
            connection.execute("SELECT id FROM secret FOR UPDATE")
        else:
            connection.execute("BEGIN IMMEDIATE")

    def _lasting(self, connection: Connection) -> bool:
        """Say whether a connection may be used again; one that the server has ended tells that the others have ended too."""
        lasting = not isinstance(connection, ServerConnection) or connection.lasting
        self._lost += not lasting
        return lasting

    def _connect(self) -> Connection:
        """Open a connection."""
        if isinstance(self._place, Server):
            return opened(self._place, _PATIENCE)
        connection = sqlite3.connect(
            self._place or ":memory:", timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def close(self) -> None:
        """Close all connections, and forget what is in memory."""
        self._connections.close()
        if self._memory is not None:
            with self._lock:
                self._memory.close()


def now() -> str:
    """Return the time of the wall clock, ISO 8601 UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _alive(connection: Connection) -> bool:
    """Say whether a connection that was kept has not ended meanwhile."""
    return not isinstance(connection, ServerConnection) or connection.alive
