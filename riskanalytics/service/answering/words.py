"""Words as questions and quotes are compared by: stems, numbers as digits, pairs of unspaced characters."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from riskanalytics.service.answering.vocabulary import stem
from riskanalytics.service.store.scripts import UNSPACED

_WORD: Final = re.compile(r"\w+")
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
