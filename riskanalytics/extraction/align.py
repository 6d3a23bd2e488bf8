"""Which statement replaced which, and whether the words that differ carry weight."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz, process

_ALIKE: Final = 60.0
"""Share of equal words, in per cent, from which a new statement is taken to replace an old one."""
_MOST: Final = 400
"""Statements aligned on either side at most: the work stays bounded."""
_WORD: Final = re.compile(r"[a-z0-9'%]+|[\u4e00-\u9fff]")
_WEIGHTY: Final = re.compile(
    r"not|never|cannot|no|nor|neither|without|unless|except|excluding|only|solely|also|all|any|other|sole|discretion|"
    r"may|will|shall|must|opt|consent|permission|perpetual|irrevocable|sublicensable|transferable|exclusive|"
    r"train|training|trained|tune|tuning|improve|develop|affiliates?|third|parties|partners?|brokers?|vendors?|advertis\w*|sell|sale|share|"
    r"retain|delete|days?|months?|years?|\d+|enterprise|free|human|review|reviewed|personal|anonymi[sz]ed|aggregated?|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety|hundred|"
    r"[不未无须仅除可将会一二三四五六七八九十百]"
)

_CONTRACTED: Final = re.compile(r"n't\b")

Pairs = dict[str, str]
"""New statement -> the one it replaced, by their keys."""


def paired(gone: Sequence[str], new: Sequence[str]) -> Pairs:
    """Find for each new statement the one that it replaced.

    Parameters
    ----------
    gone, new : sequence of str
        Keys of the statements that only the earlier, and only the later text has.

    Returns
    -------
    dict of str to str
        Only for those that are alike; each old statement is replaced once.
    """
    pairs: Pairs = {}
    left = {key: _in_order(key) for key in gone[:_MOST]}
    for key in new[:_MOST]:
        if not left:
            break
        best = process.extractOne(_in_order(key), left, scorer=fuzz.ratio, score_cutoff=_ALIKE)
        if best is not None:
            pairs[key] = best[2]
            del left[best[2]]
    return pairs


def _in_order(key: str) -> str:
    """Give the words of a statement in alphabetical order, so that their order does not count."""
    return " ".join(sorted(key.split()))


def carries_weight(before: str, after: str) -> bool:
    """Say whether the words that differ between two statements could change what they mean.

    Parameters
    ----------
    before, after : str
        Plain words.

    Returns
    -------
    bool
        True for a negation, a figure, an exception, a modal, a recipient; False for names, typing and order.
    """
    old, new = (Counter(_WORD.findall(_CONTRACTED.sub(" not", said.casefold()))) for said in (before, after))
    different = (old - new) + (new - old)
    return any(_WEIGHTY.fullmatch(word) for word in different)
