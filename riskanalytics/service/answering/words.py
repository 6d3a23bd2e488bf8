"""Words as questions and quotes are compared by, and words of a question that are one letter away from a known one."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import OSA

from riskanalytics.service.answering.vocabulary import fold, stem, vocabulary
from riskanalytics.service.store.scripts import UNSPACED

_WORD: Final = re.compile(r"\w+")
_LONG_WORD: Final = re.compile(r"(?<!\w)[A-Za-z]{6,24}(?!\w)")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]+")
_NUMBERS: Final = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "eighteen": "18",
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80",
    "ninety": "90", "hundred": "100",
}  # fmt: skip


def digits(word: str) -> str | None:
    """Return a number in digits; None where a word is none.

    Parameters
    ----------
    word : str
        Folded.

    Returns
    -------
    str or None
    """
    return word if word.isdigit() else _NUMBERS.get(word)


@lru_cache(maxsize=16384)
def units(folded: str) -> tuple[str, ...]:
    """Return what a text is compared by, in order: stems, numbers in digits, pairs of unspaced characters.

    Parameters
    ----------
    folded : str

    Returns
    -------
    tuple of str
    """
    found: list[str] = []
    for word in _WORD.findall(folded):
        for run in _UNSPACED.findall(word):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        rest = _UNSPACED.sub("", word)
        if rest:
            found.append(digits(rest) or stem(rest))
    return tuple(found)


def respelled(text: str, names: Set[str]) -> str:
    """Return a text with its misspelled words written right, where it is clear what they are.

    Parameters
    ----------
    text : str
        Normalised.
    names : set of str
        Folded words of names, which are left as they are.

    Returns
    -------
    str
    """

    def right(match: re.Match[str]) -> str:
        word = fold(match[0])
        return match[0] if word in names else _nearest(word) or match[0]

    return _LONG_WORD.sub(right, text)


def _nearest(word: str) -> str | None:
    """Return the only word of the vocabulary that a word is a slip away from; None where it is one, or none is."""
    known = vocabulary()
    if stem(word) in known.soft or stem(word) in known.alike:
        return None
    if any(word == right or word.startswith(right) or right.startswith(word) for right in known.spelled):
        return None
    near = {stem(right): right for right in known.spelled if len(right) > 5 and _is_slip(word, right)}
    return next(iter(near.values())) if len(near) == 1 else None


def _is_slip(word: str, right: str) -> bool:
    """Say whether one letter is missing, too many, another, or two are exchanged, none of them the first."""
    return word[0] == right[0] and OSA.distance(word, right, score_cutoff=1) <= 1
