"""What is kept of clauses and texts while they are read: versions of a document repeat each other, and so may documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

_CLEARED: Final[list[Callable[[], object]]] = []


def remembered(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Have a function remember what it gave, for its last different arguments, until `forget`.

    Parameters
    ----------
    most : int
        How many.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        found = lru_cache(most)(function)
        forgets(found.cache_clear)
        return cast("Callable[P, T]", found)

    return decorated


def forgets(clear: Callable[[], object]) -> None:
    """Have something called by `forget`.

    Parameters
    ----------
    clear : callable
    """
    _CLEARED.append(clear)


def forget() -> None:
    """Give back the memory of what was remembered."""
    for clear in _CLEARED:
        clear()
