"""What could not be read, by the address that told it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

MOST: Final = 1_000
"""Problems of one address that are told one by one."""


class Problem(NamedTuple):
    """Something that a server did not give, or that could not be read.

    Parameters
    ----------
    slug : str or None
        Platform that it costs; None where it concerns all, or nobody can say which.
    what : str
        One sentence.
    where : str
        Path that was asked, with the day where one was asked for.
    """

    slug: str | None
    what: str
    where: str


class Problems:
    """What the newest reading of each address met; an address that is read again begins anew."""

    def __init__(self) -> None:
        self._met: dict[str, dict[Problem, None]] = {}

    def __iter__(self) -> Iterator[Problem]:
        return iter([problem for met in list(self._met.values()) for problem in list(met)])

    def begin(self, where: str) -> None:
        """Forget what an earlier reading of an address met."""
        self._met.pop(where, None)

    def add(self, what: str, where: str, slug: str | None = None) -> None:
        """Keep a problem, each once; of one address 1,000, and that there are more."""
        met = self._met.setdefault(where, {})
        told = len(met) < MOST
        met[
            Problem(slug if told else None, what if told else f"more than {MOST:,} problems: not all are told", where)
        ] = None
