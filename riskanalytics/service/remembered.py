"""Answers to reads, kept in memory until the database changes."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Final, Self

from riskanalytics.service.store.read import Store

_MOST: Final = 64 * 1024 * 1024
LEAST_PACKED: Final = 1024
"""Bytes from which on a body is packed."""


@dataclass(frozen=True, slots=True)
class Made:
    """A body that was made.

    Parameters
    ----------
    body : bytes
    packed : bytes or None
        The same as gzip (RFC 1952); None where it is too short to gain by it.
    tag : str
        Weak entity tag: it stands for the packed and the plain body.
    """

    body: bytes
    packed: bytes | None
    tag: str

    @classmethod
    def of(cls, body: bytes) -> Self:
        """Pack and tag a body."""
        packed = gzip.compress(body, 5, mtime=0) if len(body) >= LEAST_PACKED else None
        return cls(body, packed, f'W/"{hashlib.sha256(body).hexdigest()[:32]}"')

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.body) + len(self.packed or b"")


class Remembered:
    """Bodies of answers with their entity tags, the least asked for forgotten first.

    Parameters
    ----------
    store : Store
        What the answers are made from; any change of it forgets them all.
    most : int
        Bytes that are kept at most.
    """

    def __init__(self, store: Store, most: int = _MOST) -> None:
        self._store = store
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Made] = OrderedDict()
        self._size = 0
        self._epoch = 0

    def get(self, key: Hashable, build: Callable[[], bytes]) -> Made:
        """Return a body: as kept, else made from one state of the database.

        Parameters
        ----------
        key : hashable
            What the body depends on besides the database.
        build : callable
            Makes the body; what it raises is handed on and nothing is kept.
        """
        with self._lock:
            if self._store.changed():
                self._epoch += 1
                self._kept.clear()
                self._size = 0
            epoch = self._epoch
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        with self._store.one_state():
            body = build()
        made = Made.of(body)
        with self._lock:
            # what was made from a state that is gone must not outlive it
            if epoch == self._epoch and key not in self._kept and 8 * made.size <= self._most:
                self._kept[key] = made
                self._size += made.size
                while self._size > self._most:
                    self._size -= self._kept.popitem(last=False)[1].size
        return made
