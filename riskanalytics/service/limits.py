"""Limits of pace (specification section 8): exact sliding windows, shared by all server processes of a database.

A window counts the accepted requests of the last sixty seconds by the machine's monotonic clock, which all processes
of a machine share and which no change of the wall clock moves. Refused requests are not counted. After a reboot the
clock begins anew: times from the future are forgotten.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from typing import Final

from riskanalytics.service.access import Access

WINDOW_SECONDS: Final = 60
_SECOND: Final = 1_000_000_000
_SWEPT_EVERY: Final = 1024


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
        Until a place in the window is free again, rounded up.
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
            "RateLimit-Policy": f'"{self.name}";q={self.quota};w={WINDOW_SECONDS}',
            "RateLimit": f'"{self.name}";r={self.remaining};t={self.seconds}',
        }
        return fields if self.accepted else fields | {"Retry-After": str(self.seconds)}


class Limiter:
    """Counts requests in windows.

    Parameters
    ----------
    access : Access
        Holds the windows.
    clock : callable
        Monotonic nanoseconds, the same in all processes.
    """

    def __init__(self, access: Access, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._access = access
        self._clock = clock
        self._taken = 0

    def take(self, subject: str, name: str, quota: int | None) -> Verdict | None:
        """Take a place in a window.

        Parameters
        ----------
        subject : str
            Whose window: a subscription or an address.
        name : str
            Of the limit.
        quota : int or None

        Returns
        -------
        Verdict or None
            None where there is no limit.
        """
        if quota is None:
            return None
        self._taken += 1
        with self._access.transaction() as connection:
            at = self._clock()
            since = at - WINDOW_SECONDS * _SECOND
            connection.execute("DELETE FROM request WHERE subject = ? AND (at <= ? OR at > ?)", (subject, since, at))
            if self._taken % _SWEPT_EVERY == 0:
                connection.execute("DELETE FROM request WHERE at <= ? OR at > ?", (since, at))
            taken, oldest = connection.execute(
                "SELECT count(*), min(at) FROM request WHERE subject = ?", (subject,)
            ).fetchone()
            accepted = taken < quota
            if accepted:
                connection.execute("INSERT INTO request (subject, at) VALUES (?, ?)", (subject, at))
        free_at = (at if oldest is None else oldest) + WINDOW_SECONDS * _SECOND
        seconds = max(1, math.ceil((free_at - at) / _SECOND))
        return Verdict(name, quota, max(0, quota - taken - accepted), seconds, accepted)


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
