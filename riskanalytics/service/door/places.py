"""Places in which open requests are answered at once, so that those who have a key do not wait behind them.

A place is held only while an answer is made. Threads of one interpreter take turns, so more places would answer no more
requests, and a request with a key would wait for more turns of others.
"""

from __future__ import annotations

import asyncio
from typing import Final

MOST: Final = 4
"""Open requests whose answers one process makes at once."""
MOST_OF_ONE: Final = 2
"""Of them, those of one address."""
PLACE: Final = "place"
"""Where the state of a request holds its `Place`."""


class Places:
    """Lets so many requests through at once, in all and of one asker; the others wait their turn.

    Parameters
    ----------
    most, most_of_one : int
    """

    def __init__(self, most: int = MOST, most_of_one: int = MOST_OF_ONE) -> None:
        self._most_of_one = most_of_one
        self._all = asyncio.Semaphore(most)
        self._of: dict[str, tuple[asyncio.Semaphore, int]] = {}

    def of(self, asker: str) -> Place:
        """Return the place of one request, which is not taken yet.

        Parameters
        ----------
        asker : str
        """
        return Place(self, asker)

    async def enter(self, asker: str) -> None:
        """Wait for a place of an asker."""
        own, askers = self._of.get(asker) or (asyncio.Semaphore(self._most_of_one), 0)
        self._of[asker] = own, askers + 1
        try:
            await own.acquire()
            try:
                await self._all.acquire()
            except BaseException:
                own.release()
                raise
        except BaseException:
            self._forget(asker)
            raise

    def leave(self, asker: str) -> None:
        """Give a place of an asker to whoever waits."""
        self._all.release()
        self._of[asker][0].release()
        self._forget(asker)

    def _forget(self, asker: str) -> None:
        """Count one request of an asker less."""
        own, askers = self._of.pop(asker)
        if askers > 1:
            self._of[asker] = own, askers - 1


class Place:
    """The place of one request.

    Parameters
    ----------
    places : Places
    asker : str
    """

    def __init__(self, places: Places, asker: str) -> None:
        self._places = places
        self._asker = asker
        self._held = False

    async def take(self) -> None:
        """Wait for the place and hold it."""
        if not self._held:
            await self._places.enter(self._asker)
            self._held = True

    def leave(self) -> None:
        """Give it up, if it is held: what follows only waits."""
        if self._held:
            self._held = False
            self._places.leave(self._asker)
