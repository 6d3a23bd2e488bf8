"""Keys and tiers, in a second file beside the database, `<database>.access.sqlite`; on a server in tables of their own.

A key is kept only as HMAC-SHA256 (RFC 2104) under a random secret of that file. The tier is looked up, never read from
the key's prefix (specification sections 3 and 5). The same file holds the queue of corrections and the pace, so that
the database itself changes by reviews only. What is written is on the disk before the call returns.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Self

from sqlalchemy import Connection, delete, insert, select, text, update

from riskanalytics.errors import DatabaseError, SettingsError
from riskanalytics.service.store.engine import WRITES, engine_of, lent
from riskanalytics.service.store.files import keys_beside, make_private
from riskanalytics.service.store.schema import KEYS, SECRET, SUBSCRIPTION, make_tables
from riskanalytics.settings.databases import Place, Server

PREFIXES: Final = {"starter": "svc_", "pro": "apc_live_", "enterprise": "apc_live_"}
"""Tier -> beginning of its keys (specification section 5)."""
_EMAIL: Final = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_SECRET: Final = text("INSERT INTO secret (id, pepper) VALUES (1, :pepper) ON CONFLICT DO NOTHING")
_OF, _ENDED = SUBSCRIPTION.c, SUBSCRIPTION.c.ended_at


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
        self.place = place
        self.trouble = False
        """Whether the last writing failed."""
        self.embedded_key = ""
        """The key that `embedded` made."""
        try:
            if isinstance(place, Path):
                make_private(place)
        except OSError as error:
            raise DatabaseError(f"the keys' file {place} cannot be made: {error.strerror}") from error
        self._reading = engine_of(place)
        self._writing = self._reading.execution_options(**WRITES)
        try:
            with self.transaction() as connection:
                make_tables(connection, KEYS)
                connection.execute(_SECRET, {"pepper": secrets.token_bytes(32)})
                self._pepper = bytes(connection.execute(select(SECRET.c.pepper)).scalar_one())
        except DatabaseError:
            self.close()
            raise

    @classmethod
    def beside(cls, database: Place) -> Self:
        """Return the keys of a database."""
        return cls(database if isinstance(database, Server) else keys_beside(database))

    @classmethod
    def embedded(cls) -> Self:
        """Return keys in memory with one random Enterprise key, for a service in the process."""
        access = cls(None)
        access.embedded_key = access.issue("embedded@localhost.localdomain", "enterprise")
        return access

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
        row = {"email": email, "tier": tier, "digest": self.digest(key), "started_at": now()}
        with self.transaction() as connection:
            connection.execute(insert(SUBSCRIPTION), row)
        return key

    def withdraw(self, key: str) -> None:
        """Take back a key that could not be delivered."""
        with self.transaction() as connection:
            connection.execute(delete(SUBSCRIPTION).where(_OF.digest == self.digest(key)))

    def end(self, email: str) -> int:
        """End all subscriptions of an address, whose keys stop working at once; return how many were active."""
        ended = update(SUBSCRIPTION).where(_OF.email == email, _ENDED.is_(None)).values(ended_at=now())
        with self.transaction() as connection:
            return connection.execute(ended).rowcount

    def listed(self) -> list[tuple[str, str, str, str]]:
        """Return (email, tier, started, ended or "active") of all subscriptions, oldest first."""
        with self.reading() as connection:
            rows = connection.execute(select(_OF.email, _OF.tier, _OF.started_at, _ENDED).order_by(_OF.id))
            return [(email, tier, started, ended or "active") for email, tier, started, ended in rows]

    def holder_of(self, key: str) -> tuple[int, str] | None:
        """Return the number and the tier of an active key's subscription; None for any other key."""
        wanted = select(_OF.id, _OF.tier).where(_OF.digest == self.digest(key), _ENDED.is_(None))
        with self.reading() as connection:
            row = connection.execute(wanted).one_or_none()
        return None if row is None else (row.id, row.tier)

    def digest(self, text: str) -> bytes:
        """Return what is stored of a key, or of anything else that nobody may read back."""
        return hmac.new(self._pepper, text.encode("utf-8", errors="surrogatepass"), hashlib.sha256).digest()

    def reading(self) -> AbstractContextManager[Connection]:
        """Lend a connection to read; what other processes wrote is seen at once."""
        return lent(self._reading)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Lend a connection to write: all or nothing.

        Raises
        ------
        DatabaseError
            If it cannot be read or written.
        """
        try:
            with lent(self._writing) as connection:
                yield connection
                connection.commit()
        except DatabaseError:
            self.trouble = True
            raise
        self.trouble = False

    def close(self) -> None:
        """Close all connections, and forget what is in memory."""
        self._reading.dispose()


def now(before: timedelta = timedelta()) -> str:
    """Return the time of the wall clock, or some time before, ISO 8601 UTC."""
    return (datetime.now(UTC) - before).strftime("%Y-%m-%dT%H:%M:%SZ")
