"""How many requests are on their way at once, and when the next may start: as the server bears and says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from riskanalytics.errors import RateLimited

AT_ONCE: Final = 16
"""Most requests on their way at once."""
_FIRST: Final = 4
_REMAINING: Final = re.compile(r";\s*r=(\d{1,9})\b")
_RESET: Final = re.compile(r";\s*t=(\d{1,6})\b")


class Pace:
    """The pace of one server; used on one loop.

    It begins with four requests at once. Each answer allows one more, up to 16; a server that is busy (429, 503) halves
    them. No more are sent than the RateLimit field (draft-ietf-httpapi-ratelimit-headers) says are left.

    Parameters
    ----------
    pause : callable
        Waits for some seconds.
    clock : callable
        Monotonic time, in seconds.
    """

    def __init__(self, pause: Callable[[float], Awaitable[None]], clock: Callable[[], float]) -> None:
        self._pause, self._clock = pause, clock
        self._limit, self._active = float(_FIRST), 0
        self._left: int | None = None
        self._not_before = 0.0
        self._moved = asyncio.Event()

    async def begin(self, path: str, patience: float) -> None:
        """Wait for the turn of one more request, if that is within so many seconds."""
        ends = self._clock() + patience
        while True:
            wait = self._not_before - self._clock()
            if wait > 0:
                if self._not_before > ends:
                    said = f"{path}: the server allows no more requests for {wait:,.0f} s"
                    raise RateLimited(said, status=429, path=path, told_to_wait=wait)
                await self._pause(wait)
                self._left = None
            elif self._active < self._limit and (self._left is None or self._left > 0):
                break
            else:
                self._moved.clear()
                await self._moved.wait()
        self._active += 1
        if self._left is not None:
            self._left -= 1

    def end(self) -> None:
        """Count one request that is over, whatever came of it."""
        self._active -= 1
        if not self._active and self._left is not None and self._left <= 0:
            self._left = None
        self._moved.set()

    def answered(self, headers: Mapping[str, str]) -> None:
        """Read what a server says is left, and allow one more at once."""
        self._limit = min(AT_ONCE, self._limit + 1)
        field = headers.get("ratelimit", "")
        left, reset = _REMAINING.search(field), _RESET.search(field)
        if left is None:
            return
        self._left = int(left[1]) - (self._active - 1)
        if int(left[1]) == 0 and reset:
            self._limit = 1.0
            self._not_before = self._clock() + int(reset[1])

    def busy(self, wait: float) -> None:
        """Halve what is on its way at once; nothing is sent for as long as the server asks."""
        self._limit = max(1.0, self._limit / 2)
        self._not_before = max(self._not_before, self._clock() + wait)
