"""A cache inside the process that is bounded by the text it keeps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class TextCache(Generic[Key, Value]):
    """Results by key; when the texts kept grow past the limit, the older half is let go.

    Parameters
    ----------
    limit : int
        Characters kept at most.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[Key, tuple[Value, int]] = {}
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Key, size: int, make: Callable[[], Value]) -> Value:
        """Return what is kept under a key, made now where it is not.

        Parameters
        ----------
        key : hashable
        size : int
            Characters that keeping it costs.
        make : callable
            Makes the value; two threads may both make it, with the same result.
        """
        hit = self._kept.get(key)
        if hit is not None:
            return hit[0]
        value = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = (value, size)
                self._size += size
            if self._size > self._limit:
                self._let_go()
        return value

    def __len__(self) -> int:
        return len(self._kept)

    def _let_go(self) -> None:
        """Drop the older half; the lock is held."""
        for key in list(self._kept)[: max(1, len(self._kept) // 2)]:
            self._size -= self._kept.pop(key)[1]
