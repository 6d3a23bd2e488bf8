"""Units: the clauses of a text as a reader (a language model) sees them, each with its headings and its lead-in.

A unit is recognised by the hash of its words, its lead-in and its headings. The same words in another version of a document, or
in another document, have the same key, so that a reader reads them only once.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from .plain import plain
from .records import Clause, LeadIn
from .segment import moved, parts_of
from .sense import before_quote

_MARKS: Final = re.compile(r"\s*(#{1,6})\s")
_SETEXT: Final = re.compile(r"[^\n]*\n\s*(=|-)")
_INNERMOST: Final = 7
"""Level of a heading without marks, such as a bold line: below all others."""
_LONGEST: Final = 4000
_SHORTEST: Final = 5
_NO_WORDS: Final = re.compile(r"[\W\d_]*$")


class Unit(NamedTuple):
    """One clause of a text, as it is given to a reader (a language model).

    Parameters
    ----------
    clause : Clause
        The clause with its offsets in the whole text.
    words : str
        Plain words of the clause.
    lead_in : str
        The words before the clause that are needed to understand it, as plain text; empty if there are no such words.
    headings : tuple of str
        Headings above the clause, the outermost first.
    before : LeadIn or None
        The words of `lead_in` as they are in the text, with their offsets; None if no words must be quoted before the clause.
    key : str
        24 hexadecimal digits that identify the unit: a hash of words, lead-in and headings.
    """

    clause: Clause
    words: str
    lead_in: str
    headings: tuple[str, ...]
    before: LeadIn | None
    key: str


@lru_cache(2)
def units_of(text: str) -> tuple[Unit, ...]:
    """Return the units of a text, in its order.

    Left out are headings, and clauses that have no words, fewer than 5 characters or more than 4,000 characters.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    """
    return tuple(_units(text))


def unit_of(quote: str, lead_in: str = "") -> Unit:
    """Return a clause of another text as a unit without headings.

    Parameters
    ----------
    quote, lead_in : str
        The clause, and the words that it continues, as they are in its text.
    """
    words, led = plain(quote), plain(lead_in)
    return Unit(Clause(0, len(quote), "sentence", led, ""), words, led, (), None, _key(words, led))


def _units(text: str) -> Iterator[Unit]:
    """Yield the units of a text."""
    path: list[tuple[int, str]] = []
    for offset, part in parts_of(text):
        for clause, quote, words, _ in part.statements:
            place = moved(clause, offset)
            if clause.kind == "heading":
                level = _level(text[place.start : place.end + 200])
                path = [*(outer for outer in path if outer[0] < level), (level, words.lstrip("# "))]
            elif len(quote) <= _LONGEST and len(words) >= _SHORTEST and not _NO_WORDS.match(words):
                span = before_quote(place, words)
                before = span and LeadIn(text[slice(*span)], *span)
                lead_in = plain(before.quote) if before else clause.lead_in
                headings = tuple(heading for _, heading in path)
                yield Unit(place, words, lead_in, headings, before, _key(words, lead_in, *headings))


def _level(source: str) -> int:
    """Return the level of a heading by its marks, 1 for the outermost."""
    if marks := _MARKS.match(source):
        return len(marks[1])
    setext = _SETEXT.match(source)
    return {"=": 1, "-": 2}[setext[1]] if setext else _INNERMOST


def _key(*parts: str) -> str:
    """Return the key of a unit."""
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:24]
