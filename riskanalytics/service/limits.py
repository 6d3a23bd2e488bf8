"""Limits of pace (specification section 8): exact sliding windows, shared by all server processes of a database.

A window counts the accepted requests of the last sixty seconds by the machine's monotonic clock, which all processes
of a machine share and which no change of the wall clock moves. Refused requests are not counted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final

from riskanalytics.errors import DatabaseError
from riskanalytics.service.windows import SECOND, WINDOW_SECONDS, MemoryWindows, Place, SharedWindows

WORK_SECONDS: Final = 24.0
"""Processor time that the open requests of one address may take in a window; each counts for its share of them."""
_MOST_FULL: Final = 10_000
"""Subjects without a free place that are remembered."""


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
    path : Path, optional
        File of the windows, shared by processes; in memory without it.
    clock : callable
        Monotonic nanoseconds, the same in all processes.
    """

    def __init__(self, path: Path | None = None, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self._shared = None if path is None else SharedWindows(path)
        self._memory = MemoryWindows()
        self._full: dict[str, tuple[int, int]] = {}
        self.alone = False
        """Whether the file could not be used for the last request: other processes then count apart."""

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
        at = self._clock()
        since, until = self._full.get(subject, (0, 0))
        if since <= at < until:  # no place can be free before the oldest request has left
            return _verdict(name, quota, Place(quota, until - WINDOW_SECONDS * SECOND, accepted=False, at=at))
        place = self._place(subject, quota)
        if place.accepted:
            self._full.pop(subject, None)
        else:
            if len(self._full) >= _MOST_FULL:
                self._full.clear()
            self._full[subject] = place.at, place.oldest + WINDOW_SECONDS * SECOND
        return _verdict(name, quota, place)

    def charge(self, subject: str, quota: int, places: int) -> None:
        """Take more places in a window, for a request that made much work; those that are free.

        Parameters
        ----------
        subject : str
        quota, places : int
        """
        for _ in range(places):
            if not self._place(subject, quota).accepted:
                return

    def close(self) -> None:
        """Close the file of the windows."""
        if self._shared is not None:
            self._shared.close()

    def _place(self, subject: str, quota: int) -> Place:
        """Take a place in the shared window; in that of this process where the file cannot be used."""
        if self._shared is not None:
            try:
                place = self._shared.take(subject, self._clock, quota)
            except DatabaseError:
                self.alone = True
            else:
                self.alone = False
                return place
        return self._memory.take(subject, self._clock, quota)


def _verdict(name: str, quota: int, place: Place) -> Verdict:
    """Tell what a place in a window means for a request."""
    free_at = place.oldest + WINDOW_SECONDS * SECOND
    seconds = max(1, math.ceil((free_at - place.at) / SECOND))
    return Verdict(name, quota, max(0, quota - place.taken - place.accepted), seconds, place.accepted)


def places_for(seconds: float, quota: int) -> int:
    """Return for how many more requests one counts that took so much processor time.

    Parameters
    ----------
    seconds : float
    quota : int
        Requests in a window.
    """
    return int(seconds * quota / WORK_SECONDS)


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
