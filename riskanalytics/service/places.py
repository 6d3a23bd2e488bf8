"""Places in which open requests are answered at once: some threads stay free for those who have a key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

MOST: Final = 24
"""Open requests that one process answers at once, of the forty threads that it has."""
MOST_OF_ONE: Final = 8
"""Of them, those of one address."""


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

    @asynccontextmanager
    async def taken(self, asker: str) -> AsyncIterator[None]:
        """Wait for a place and hold it for the length of a block.

        Parameters
        ----------
        asker : str
        """
        own, askers = self._of.get(asker) or (asyncio.Semaphore(self._most_of_one), 0)
        self._of[asker] = own, askers + 1
        try:
            async with own, self._all:
                yield
        finally:
            own, askers = self._of.pop(asker)
            if askers > 1:
                self._of[asker] = own, askers - 1
