"""Places in which open requests are answered at once, so that those who have a key do not wait behind them.

A place is held only while an answer is made. Threads of one interpreter take turns, so more places would answer no more
requests, and a request with a key would wait for more turns of others.
"""

from __future__ import annotations

import asyncio
from typing import Final
from weakref import WeakValueDictionary

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
        # an asker is forgotten with the last of its requests: only they hold its places
        self._of: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def of(self, asker: str) -> Place:
        """Return the place of one request, which is not taken yet.

        Parameters
        ----------
        asker : str
        """
        return Place(self._of.setdefault(asker, asyncio.Semaphore(self._most_of_one)), self._all)


class Place:
    """The place of one request.

    Parameters
    ----------
    own, all_places : asyncio.Semaphore
        Places of its asker, and of all.
    """

    def __init__(self, own: asyncio.Semaphore, all_places: asyncio.Semaphore) -> None:
        self._own = own
        self._all = all_places
        self._held = False

    async def take(self) -> None:
        """Wait for the place and hold it."""
        if self._held:
            return
        await self._own.acquire()
        try:
            await self._all.acquire()
        except BaseException:
            self._own.release()
            raise
        self._held = True

    def leave(self) -> None:
        """Give the place up, if it is held: what follows only waits."""
        if self._held:
            self._held = False
            self._all.release()
            self._own.release()
