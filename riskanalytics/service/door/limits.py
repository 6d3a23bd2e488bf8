"""Limits of pace (specification section 8): a sliding window for each key or address, shared by all server processes.

A row counts the accepted requests of a subject's current minute and of the one before, of which as much is counted as
lies within the last sixty seconds. Requests at the same moment may pass a little beyond a limit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Final

from sqlalchemy import Connection, text

from riskanalytics.errors import DatabaseError
from riskanalytics.service.store.engine import WRITES, engine_of, lent
from riskanalytics.service.store.schema import PACE
from riskanalytics.settings.databases import Place

WINDOW: Final = 60
"""Seconds."""
_SWEPT_EVERY: Final = 3600
_COUNTED: Final = text("SELECT began, taken, before FROM pace WHERE subject = :subject")
_TAKE: Final = text(
    "INSERT INTO pace (subject, began, taken, before) VALUES (:subject, :began, 1, :before) ON CONFLICT (subject) DO "
    "UPDATE SET taken = CASE WHEN pace.began = excluded.began THEN pace.taken + 1 ELSE 1 END, "
    "began = excluded.began, before = excluded.before"
)
_SWEEP: Final = text("DELETE FROM pace WHERE began < :began")


@dataclass(frozen=True, slots=True)
class Pace:
    """Requests per minute; None is no limit.

    Parameters
    ----------
    tiers : dict of str to int or None
        Per key, by tier (specification section 8).
    reads, posts : int or None
        Per address, on the open endpoints (DESIGN section 6).
    """

    tiers: dict[str, int | None] = field(default_factory=lambda: {"starter": 60, "pro": 300, "enterprise": None})
    reads: int | None = 1200
    posts: int | None = 120


UNLIMITED: Final = Pace(tiers={}, reads=None, posts=None)
"""For a service inside the process that uses it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a limit says to one request.

    Parameters
    ----------
    name : str
        Of the limit: a tier, `reads` or `posts`.
    quota : int
    remaining : int
        Requests left in the window after this one.
    seconds : int
        Until this minute's requests begin to leave the window; of a refused request until another is accepted.
    accepted : bool
    """

    name: str
    quota: int
    remaining: int
    seconds: int
    accepted: bool

    def headers(self) -> dict[str, str]:
        """Return the RateLimit fields (IETF draft ratelimit-headers-10), and Retry-After where it is refused."""
        fields = {
            "RateLimit-Policy": f'"{self.name}";q={self.quota};w={WINDOW}',
            "RateLimit": f'"{self.name}";r={self.remaining};t={self.seconds}',
        }
        return fields if self.accepted else fields | {"Retry-After": str(self.seconds)}


class Limiter:
    """Counts requests in the database of the keys.

    Parameters
    ----------
    place : Path or Server, optional
        Where the keys are; the count is in memory without it.
    clock : callable
        Seconds of the wall clock, which processes share.

    Raises
    ------
    DatabaseError
        If it cannot be read.
    """

    def __init__(self, place: Place | None = None, clock: Callable[[], float] = time.time) -> None:
        self._engine = engine_of(place, durable=False).execution_options(**WRITES)
        self._clock = clock
        self._swept = clock()
        self.trouble = False
        """Whether the last request could not be counted, and was let through."""
        with self._engine.begin() as connection:
            PACE.create(connection, checkfirst=True)

    def take(self, subject: str, name: str, quota: int | None) -> Verdict | None:
        """Count a request, unless its limit is reached.

        Parameters
        ----------
        subject : str
            Who asks: a subscription or an address.
        name : str
            Of the limit.
        quota : int or None

        Returns
        -------
        Verdict or None
            None where there is no limit, or nothing can be counted.
        """
        if quota is None:
            return None
        try:
            with lent(self._engine) as connection:
                verdict = _counted(connection, subject, name, quota, self._clock())
                if self._clock() - self._swept > _SWEPT_EVERY:
                    self._swept = self._clock()
                    connection.execute(_SWEEP, {"began": self._swept - _SWEPT_EVERY})
                connection.commit()
        except DatabaseError:
            self.trouble = True
            return None
        self.trouble = False
        return verdict

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _counted(connection: Connection, subject: str, name: str, quota: int, now: float) -> Verdict:
    """Count a request in its subject's row, unless the limit is reached."""
    began, taken, before = connection.execute(_COUNTED, {"subject": subject}).one_or_none() or (now, 0, 0)
    if not began <= now < began + 2 * WINDOW:
        began, taken, before = now, 0, 0
    elif now >= began + WINDOW:
        began, taken, before = began + WINDOW, 0, taken
    left = began + WINDOW - now
    counted = taken + max(0, math.ceil(before * left / WINDOW) - 1)
    if counted < quota:
        connection.execute(_TAKE, {"subject": subject, "began": began, "before": before})
        return Verdict(name, quota, quota - counted - 1, math.ceil(left), accepted=True)
    wait = left - WINDOW * (quota - taken) / before if taken < quota else left
    return Verdict(name, quota, 0, max(1, math.ceil(wait)), accepted=False)


def subject_of(address: str | None) -> str:
    """Return whose window an open request counts in: an IPv4 address, or an IPv6 network of 64 bits.

    Parameters
    ----------
    address : str or None
        Of the peer, or of whom a trusted proxy names.
    """
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return "address:unknown"
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return f"address:{parsed.ipv4_mapped}"
        return f"address:{IPv6Address(int(parsed) >> 64 << 64)}/64"
    return f"address:{parsed}"
