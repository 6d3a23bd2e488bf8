"""Whether one of two texts holds another document besides: a page of several policies, or one pasted under another.

An archive that takes one selector too many joins two documents, and takes them apart again some days later. What the
other document says neither came nor went.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from riskanalytics.extraction.capture import SUBSTANTIAL

_GROWN: Final = 2.0
"""Times the length of the other text from which one is taken to hold more than the document."""
_KEPT: Final = 0.8
"""Share of the other text's statements that must still stand, for a part to be told from them."""
_SHARE: Final = 0.1
"""Share of the other text's length from which a part at either end may be a document."""
_TELLING: Final = 30
_ENDS: Final = 5
"""Statements at either end that tell where the other text begins and ends."""
_OPENING: Final = 4
_TITLE: Final = re.compile(
    r"^(?:[\w'’&-]+ ){0,8}(?:policy|terms|agreement|notice|addendum|statement|conditions|guidelines)(?: of (?:use|service))?$"
    r"|^(?:table of )?contents$|^(?:effective|last (?:updated|modified|revised))\b.{0,40}\d{4}|(?:政策|协议|条款|声明)$",
    re.IGNORECASE,
)

_REWRITTEN: Final = 0.15
"""Share of the statements of either text that only it has, from which two texts may be variants."""
_OPENING_OF_POLICY: Final = 30
_SPOKEN_OF: Final = 10
_NAMES: Final = (
    r"(?:european (?:economic area|union)|eea|europe|switzerland|united (?:kingdom|states)|uk|u\.s\.|california|canada|brazil|"
    r"australia|india|japan|korea)\b"
)
_REGION: Final = re.compile(rf"\b{_NAMES}", re.IGNORECASE)
_FOR_REGION: Final = re.compile(
    rf"\b(?:resid\w+|liv(?:e|es|ing)|located|based)\b[^.]{{0,30}}?\b(?:in|of) (?:the )?{_NAMES}", re.IGNORECASE
)
_SENT_ELSEWHERE: Final = re.compile(
    r"\bdo(?:es)? not apply|\bnot appl(?:y|icable)|\b(?:is|are) governed by|\bthis version|\bthese terms\b(?! (?:of \w+ )?appl)",
    re.IGNORECASE,
)
_APPLIES: Final = re.compile(r"\bappl(?:y|ies)\b", re.IGNORECASE)
_EVERYWHERE: Final = frozenset(("everywhere",))
_EUROPE: Final = re.compile(r"\b(?:ireland|gdpr|general data protection regulation)\b", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?])[*_\s]+")


def holds_another(whole: Mapping[str, str], part: Mapping[str, str]) -> bool:
    """Say whether a text holds the other one and another document besides.

    Parameters
    ----------
    whole, part : mapping of str to str
        Statement key -> words, in the order of the texts.

    Returns
    -------
    bool
        True where `whole` is at least twice as long as a substantial `part`, or where nearly all of `part` stands in it
        and a long piece with a title of its own stands before or behind that.
    """
    size = _length(part.values())
    if size >= SUBSTANTIAL and _length(whole.values()) >= _GROWN * size:
        return True
    telling = [key for key, words in part.items() if len(words) >= _TELLING]
    kept = [key for key in telling if key in whole]
    if len(kept) < _KEPT * len(telling) or not kept:
        return False
    order = list(whole)
    place = {key: at for at, key in enumerate(order)}
    first, last = (sorted(place[key] for key in some)[len(some) // 2] for some in (kept[:_ENDS], kept[-_ENDS:]))
    return any(_is_document(piece, whole, part, size) for piece in (order[:first], order[last + 1 :]))


def other_region(before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Say whether one of two texts is the variant of the document for another region.

    Parameters
    ----------
    before, after : mapping of str to str
        Statement key -> words, in the order of the texts.

    Returns
    -------
    bool
        True where a good part of the statements on either side differ, and the texts say in their opening that they are for
        other regions, or only one of them speaks of Europe throughout.
    """
    rewritten = min(
        sum(key not in there for key in here) / max(1, len(here)) for here, there in ((before, after), (after, before))
    )
    if rewritten < _REWRITTEN:
        return False
    first, second = (_regions(list(side.values())[:_OPENING_OF_POLICY]) for side in (before, after))
    if first != second and not (first == _EVERYWHERE and not second) and not (second == _EVERYWHERE and not first):
        return bool(first and second)
    counts = sorted(len(_EUROPE.findall(" ".join(side.values()))) for side in (before, after))
    return counts[1] >= _SPOKEN_OF and counts[1] >= _GROWN * _GROWN * counts[0]


def _regions(opening: Sequence[str]) -> frozenset[str]:
    """Regions that an opening says its text is for; `_EVERYWHERE` where it sends those of a region elsewhere."""
    told = " ".join(opening)
    for sentence in _SENTENCE.split(told):
        found = _FOR_REGION.search(sentence)
        if found is None:
            continue
        if _SENT_ELSEWHERE.search(sentence):
            return _EVERYWHERE
        if _APPLIES.search(sentence):
            return frozenset(match.casefold() for match in _REGION.findall(sentence))
    return frozenset()


def _is_document(piece: Sequence[str], whole: Mapping[str, str], part: Mapping[str, str], size: int) -> bool:
    """Say whether a piece is long, new and titled."""
    new = [key for key in piece if key not in part]
    length = _length(whole[key] for key in new)
    if length < _SHARE * size or 2 * length < _length(whole[key] for key in piece):
        return False
    return any(_TITLE.search(whole[key].strip(" #*:")) for key in new[:_OPENING])


def _length(words: Iterable[str]) -> int:
    """Characters of all words."""
    return sum(map(len, words))
