"""Answers to reads, kept in memory until the database changes."""

from __future__ import annotations

import functools
import gzip
import hashlib
import threading
from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from cachetools import LRUCache

from riskanalytics.service.store.read import Store

_MOST: Final = 64 * 1024 * 1024
_LEAST_PACKED: Final = 1024
_OVERHEAD: Final = 1000
"""Bytes of the objects around a key and a body."""


class Sent(NamedTuple):
    """What goes out with a body, whoever asks.

    Parameters
    ----------
    media_type : str
    vary : str
        What the answer depends on besides `Accept-Encoding`, which is added where it is packed.
    headers : mapping
    """

    media_type: str = "application/json"
    vary: str = ""
    headers: Mapping[str, str] = MappingProxyType({})


AS_JSON: Final = Sent()
UNSTORED: Final = Sent(headers={"Cache-Control": "no-store"})
"""For what is true for one request or one moment only."""


class Made:
    """A body that was made, and the same as gzip (RFC 1952) once a reader took that.

    Parameters
    ----------
    body : bytes
    sent : Sent
    """

    def __init__(self, body: bytes, sent: Sent = AS_JSON) -> None:
        self.body = body
        self.sent = sent
        # weak: it stands for the packed and the plain body
        self.tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        self.packable = len(body) >= _LEAST_PACKED

    @functools.cached_property
    def packed(self) -> bytes:
        """The body as gzip; the same bytes for the same body."""
        return gzip.compress(self.body, 5, mtime=0)


class _Kept(NamedTuple):
    """A body that is kept, and the bytes that it takes with its key."""

    made: Made
    size: int


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
        self._lock = threading.Lock()
        self._kept: LRUCache[Hashable, _Kept] = LRUCache(most, lambda kept: kept.size)
        self._version: object = None

    def has(self, key: Hashable) -> bool:
        """Say whether a body is kept, of whatever state of the database."""
        return key in self._kept

    def kept(self, key: Hashable) -> Made | None:
        """Return a body that is kept; None where it is none of the database as it stands."""
        if not self.has(key):
            return None
        self._turn_to(self._store.version())
        with self._lock:
            kept = self._kept.get(key)
        return kept and kept.made

    def _turn_to(self, version: object) -> None:
        """Forget what was made from another version of the database."""
        with self._lock:
            if self._version != version:
                self._version = version
                self._kept.clear()

    def get(self, key: Hashable, build: Callable[[], bytes], sent: Sent = AS_JSON) -> Made:
        """Return a body: as kept, else made from one state of the database.

        Parameters
        ----------
        key : hashable
            What the body depends on besides the database.
        build : callable
            Makes the body; what it raises is handed on and nothing is kept.
        sent : Sent
            What goes out with it.
        """
        if (kept := self.kept(key)) is not None:
            return kept
        with self._store.one_state() as version:
            self._turn_to(version)
            body = build()
        made = Made(body, sent)
        # the packed form will stand beside the body, and long questions with short answers must not fill the memory
        size = len(body) + len(body) // 4 + _OVERHEAD + len(repr(key))
        with self._lock:
            # what was made from a state that is gone must not outlive it
            if version == self._version and 8 * size <= self._kept.maxsize:
                self._kept[key] = _Kept(made, size)
        return made
