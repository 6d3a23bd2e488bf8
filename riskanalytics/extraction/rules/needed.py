"""Patterns behind the plain words without which they meet nothing: looking for words is many times as fast.

What a pattern needs is read out of the pattern itself, as the standard library's own parser cuts it: of "not sold|never
(?:sold|shared)" one of "not sold", "never sold", "never shared". Most clauses hold none of what a pattern needs, and the
pattern is not tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import product
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Final

_MOST: Final = 100
"""Words looked for at most; a pattern that needs one of more is tried at once."""
_NOTHING: Final = frozenset(("",))
_ZERO_WIDTH: Final = (kinds.AT, kinds.ASSERT, kinds.ASSERT_NOT)

Words = frozenset[str]


class Pattern:
    """A compiled pattern that is tried only where one of the words it needs stands.

    Parameters
    ----------
    pattern : str

    Raises
    ------
    re.error
        If it is no pattern.
    """

    def __init__(self, pattern: str) -> None:
        compiled = re.compile(pattern)
        self.pattern = pattern
        self.match, self.findall, self.finditer = compiled.match, compiled.findall, compiled.finditer
        self.split = compiled.split
        self._compiled = compiled

    @cached_property
    def search(self) -> Callable[..., re.Match[str] | None]:
        """Find the first place that meets the pattern, from an offset where one is given."""
        found, words = self._compiled.search, self._needed
        if not words:
            return found

        def search(said: str, start: int = 0) -> re.Match[str] | None:
            for word in words:  # no generator: this is called a million times
                if word in said:
                    return found(said, start)
            return None

        return search

    def sub(self, put: str, said: str) -> str:
        """Put something in place of all that meets the pattern."""
        words = self._needed
        return self._compiled.sub(put, said) if not words or any(word in said for word in words) else said

    @cached_property
    def _needed(self) -> tuple[str, ...]:
        """The shortest first: they are met most often. Read when first asked for."""
        return tuple(sorted(needed(self.pattern), key=lambda word: (len(word), word)))


def needed(pattern: str) -> Words:
    """Return words of which one stands in all that meets a pattern.

    Parameters
    ----------
    pattern : str

    Returns
    -------
    frozenset of str
        Empty where no such words are known, or the pattern says that case does not count.
    """
    tree = parser.parse(pattern)
    words = None if tree.state.flags & re.IGNORECASE else _needed(tree)
    return words if words and len(words) <= _MOST else frozenset()


def _needed(items: Iterable[Any]) -> Words | None:
    """Of the runs of plain words in a sequence, the one whose shortest is longest; None where there is none."""
    runs: list[Words] = []
    run = _NOTHING
    for kind, told in items:
        exact = _exact(kind, told)
        joined = None if exact is None else frozenset(map("".join, product(run, exact)))
        if joined is not None and len(joined) <= _MOST:
            run = joined
            continue
        runs += [run, exact if exact is not None else _inside(kind, told) or _NOTHING]
        run = _NOTHING
    usable = [_shortened(words) for words in (*runs, run) if "" not in words]
    return max(usable, key=lambda words: (min(map(len, words)), -len(words)), default=None)


def _shortened(words: Words) -> Words:
    """Leave out words that hold another one."""
    return frozenset(word for word in words if not any(other in word and other != word for other in words))


def _exact(kind: Any, told: Any) -> Words | None:
    """All that an item meets, where that is a few plain words."""
    if kind in _ZERO_WIDTH:
        return _NOTHING
    if kind in (kinds.LITERAL, kinds.IN):
        letters = [(kind, told)] if kind is kinds.LITERAL else told
        return frozenset(chr(code) for _, code in letters) if {one for one, _ in letters} == {kinds.LITERAL} else None
    if kind is kinds.SUBPATTERN and not told[1] and not told[2]:
        return _all_of(told[3])
    if kind is kinds.BRANCH:
        return _any_of([_all_of(branch) for branch in told[1]])
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT) and told[:2] == (0, 1) and (once := _all_of(told[2])):
        return once | _NOTHING
    return None


def _all_of(items: Iterable[Any]) -> Words | None:
    """All that a sequence meets, where that is a few plain words."""
    words = _NOTHING
    for kind, told in items:
        exact = _exact(kind, told)
        if exact is None or len(words) * len(exact) > _MOST:
            return None
        words = frozenset(map("".join, product(words, exact)))
    return words


def _any_of(branches: Iterable[Words | None]) -> Words | None:
    """Words of all branches; None where those of one are not known, or where they are too many."""
    every = frozenset[str]()
    for words in branches:
        if words is None or len(every) > _MOST:
            return None
        every |= words
    return every


def _inside(kind: Any, told: Any) -> Words | None:
    """What an item needs that meets more than plain words."""
    if kind is kinds.SUBPATTERN and not told[1] and not told[2]:
        return _needed(told[3])
    if kind is kinds.BRANCH:
        return _any_of([_needed(branch) for branch in told[1]])
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT) and told[0] > 0:
        return _needed(told[2])
    return None
