"""What a git tree has that the one before it had not, without reading all of both (gitformat-pack, gitcore "tree objects").

A commit of an archive changes a document, and its tree names all services: read entry by entry, a history would cost the
number of its commits times that of its services.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

_ENTRY: Final = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_TREE: Final = 2
"""Number of the type of trees."""


class Entry(NamedTuple):
    """One entry of a tree.

    Parameters
    ----------
    mode : int
    name : bytes
    sha : bytes
        Name of the object, in hexadecimal.
    """

    mode: int
    name: bytes
    sha: bytes


class _Read(NamedTuple):
    """A tree, where each of its entries begins, and where the last one ends."""

    sha: bytes
    content: bytes
    places: list[int]


class Trees:
    """The trees of a repository.

    Parameters
    ----------
    raw : callable
        Gives the number of the type of an object, and its bytes, by its name, as dulwich's object stores do.
    """

    def __init__(self, raw: Callable[[bytes], tuple[int, bytes]]) -> None:
        self._raw = raw
        self._last = _Read(b"", b"", [0])

    def entries(self, sha: bytes) -> list[Entry]:
        """Return all entries of a tree.

        Raises
        ------
        ValueError, KeyError
            If it is damaged, missing, or no tree.
        """
        content = self._content(sha)
        return [entry for _, entry in _entries(content, 0, (len(content),))]

    def new(self, before: bytes | None, after: bytes) -> Iterator[tuple[Entry, Entry | None]]:
        """Give what a tree has and the one before it had not, in its order, each with what had its name before.

        Parameters
        ----------
        before : bytes or None
            Name of the tree before; None where there was none.
        after : bytes

        Raises
        ------
        ValueError, KeyError
            If a tree is damaged or missing, or the object is none.
        """
        old, content = self._of(before), self._content(after)
        first = bisect_right(old.places, _same_begin(old.content, content)) - 1
        begin, moved = old.places[first], len(content) - len(old.content)
        same_end = _same_end(old.content[begin:], content[begin:])
        rest = bisect_left(old.places, len(old.content) - same_end)
        found = list(_entries(content, begin, (place + moved for place in islice(old.places, rest, None))))
        end = found[-1][0] if found else begin
        rest = old.places.index(end - moved, rest)
        had = {entry.name: entry for _, entry in _entries(old.content, begin, (old.places[rest],))}
        places = [begin, *(place for place, _ in found[:-1])] if found else []
        moved_on = [place + moved for place in old.places[rest:]] if moved else old.places[rest:]
        self._last = _Read(after, content, old.places[:first] + places + moved_on)
        yield from ((entry, had.get(entry.name)) for _, entry in found if had.get(entry.name) != entry)

    def _of(self, sha: bytes | None) -> _Read:
        """Return a tree with the places of its entries; those of the last one are known."""
        if sha == self._last.sha:
            return self._last
        content = b"" if sha is None else self._content(sha)
        return _Read(sha or b"", content, [0, *(place for place, _ in _entries(content, 0, (len(content),)))])

    def _content(self, sha: bytes) -> bytes:
        """Return the bytes of a tree."""
        kind, content = self._raw(sha)
        if kind != _TREE:
            raise ValueError(f"{sha.decode()} is no tree")
        return content


def _entries(content: bytes, begin: int, ends: Iterable[int]) -> Iterator[tuple[int, Entry]]:
    """Give the entries from a place to the first of some others at which one ends, each with the place where it ends."""
    place = begin
    for end in ends:
        while place < end:
            entry = _ENTRY.match(content, place)
            if entry is None:
                raise ValueError("a tree is damaged")
            place = entry.end()
            yield place, Entry(int(entry[1], 8), entry[2], entry[3].hex().encode())
        if place == end:
            return
    raise ValueError("a tree is damaged")


def _same_begin(one: bytes, other: bytes) -> int:
    """Return how many bytes two begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def _same_end(one: bytes, other: bytes) -> int:
    """Return how many bytes two end with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        equal = one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]
        low, high = (middle, high) if equal else (low, middle - 1)
    return low
