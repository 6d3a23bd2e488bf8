"""Limits of pace (specification section 8): exact sliding windows, shared by all server processes of a database.

A window counts the accepted requests of the last sixty seconds by the machine's monotonic clock, which all processes
of a machine share and which no change of the wall clock moves. Refused requests are not counted. From a quota of 600 on
a place may be taken up to a second before the request that uses it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final

from cachetools import TLRUCache

from riskanalytics.databases import Place
from riskanalytics.errors import DatabaseError
from riskanalytics.service.door import windows
from riskanalytics.service.door.windows import (
    SECOND,
    WINDOW,
    WINDOW_SECONDS,
    MemoryWindows,
    ServerWindows,
    SharedWindows,
)

_MOST_REMEMBERED: Final = 10_000
"""Subjects without a free place, and with places taken ahead."""
_AHEAD_FROM: Final = 600
"""Requests in a window from which on a busy subject's places are taken together: the smaller limits are exact."""
_MOST_AHEAD: Final = 16
_AHEAD_FOR: Final = SECOND
"""How long places that were taken together may be used; each window begins with its first request."""


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


@dataclass(slots=True)
class _Ahead:
    """Places of one subject that were taken together, and how many of them are used."""

    place: windows.Place
    used: int = 1
    renewed: bool = False

    @property
    def left(self) -> int:
        """Places that are not used."""
        return self.place.granted - self.used


class Limiter:
    """Counts requests in windows.

    A subject with a large quota that asks often takes places ahead, twice as many each time, so that not each of its
    requests writes to the file. Places that it does not use within a second are lost to it.

    Parameters
    ----------
    place : Path or Server, optional
        File or server of the windows, shared by processes; in memory without it.
    clock : callable
        Monotonic nanoseconds, the same in all processes.
    """

    def __init__(self, place: Place | None = None, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self._shared: SharedWindows | ServerWindows | None = None
        if place is not None:
            self._shared = SharedWindows(place) if isinstance(place, Path) else ServerWindows(place)
        self._memory = MemoryWindows()
        # until no place can be free: when the oldest request leaves the window
        self._full: TLRUCache[str, int, int] = TLRUCache(_MOST_REMEMBERED, lambda _, until, __: until, clock)
        self._ahead: TLRUCache[str, _Ahead, int] = TLRUCache(
            _MOST_REMEMBERED, lambda _, ahead, __: ahead.place.at + _AHEAD_FOR, clock
        )
        self._lock = threading.Lock()
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
        if (known := self.known(subject, name, quota)) is not None:
            return known
        place = self._place(subject, quota, self._wanted(subject, quota))
        with self._lock:
            ahead = self._ahead.get(subject)
            if not place.accepted:
                self._full[subject] = place.oldest + WINDOW
            elif quota >= _AHEAD_FROM and (ahead is None or ahead.left < place.granted - 1):
                self._ahead[subject] = _Ahead(place)
        return _verdict(name, quota, place, 1)

    def known(self, subject: str, name: str, quota: int | None) -> Verdict | None:
        """Answer without the file: from places taken ahead, or where none can be free yet; None where it must be asked.

        Parameters
        ----------
        subject, name, quota
            As of `take`.
        """
        if quota is None:
            return None
        with self._lock:
            if (until := self._full.get(subject)) is not None:
                return _verdict(name, quota, windows.Place(quota, until - WINDOW, 0, self._clock()), 0)
            ahead = self._ahead.get(subject)
            if ahead is None or not ahead.left:
                return None
            ahead.used += 1
            return _verdict(name, quota, ahead.place, ahead.used)

    def _wanted(self, subject: str, quota: int) -> int:
        """Return how many places are taken together: twice as many as before, if those were soon used."""
        with self._lock:
            ahead = self._ahead.get(subject)
            if quota < _AHEAD_FROM or ahead is None or ahead.renewed:
                return 1
            ahead.renewed = True  # by this thread: what others took together at the same time would be lost
            return min(_MOST_AHEAD, 2 * ahead.place.granted)

    def close(self) -> None:
        """Close the file of the windows."""
        if self._shared is not None:
            self._shared.close()

    def _place(self, subject: str, quota: int, wanted: int) -> windows.Place:
        """Take places in the shared window; in that of this process where the file cannot be used."""
        if self._shared is not None:
            try:
                place = self._shared.take(subject, self._clock, quota, wanted)
            except DatabaseError:
                self.alone = True
            else:
                self.alone = False
                return place
        return self._memory.take(subject, self._clock, quota, wanted)


def _verdict(name: str, quota: int, place: windows.Place, used: int) -> Verdict:
    """Tell what places in a window mean for the request that uses so many of them with those before."""
    seconds = max(1, math.ceil((place.oldest + WINDOW - place.at) / SECOND))
    return Verdict(name, quota, max(0, quota - place.taken - used), seconds, place.accepted)


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
