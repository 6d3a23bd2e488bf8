"""Words of a question that are one letter away from a word of the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

from rapidfuzz.distance import OSA

from riskanalytics.service.answering.vocabulary import fold, stem, vocabulary

_WORD: Final = re.compile(r"(?<!\w)[A-Za-z]{6,24}(?!\w)")


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

    return _WORD.sub(right, text)


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
