"""Which tracked platforms a question names: whole names before parts of names, never by likeness."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from riskanalytics.service.answering.vocabulary import fold, vocabulary
from riskanalytics.service.store.search import UNSPACED

_WORD: Final = re.compile(r"\w+")
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_SPACED_WORD: Final = re.compile(rf"[^\W{UNSPACED}]+")
_LETTER: Final = rf"[^\W{UNSPACED}]"
"""A character of a word of a script with spaces: where such a one follows, a name has not ended."""
_SHARED_BY: Final = 5
"""A word in the names of more platforms tells none apart."""
_SUBJECT: Final = re.compile(
    r"(?:^|\b(?:does|do|is|are|can|could|will|would|may|has|have|of|by|at|with|from|about|for|to|in|on|and|or|vs|versus|"
    r"compare|between|platform|if|when|using|use)\b)\W*$"
)
"""What stands before a name that is written like a common word."""
_OPENING: Final = re.compile(
    r"\b(?:before|after|unless|once|until|while|whether|that|because|since|how|where|what|why)\W*$"
)
"""What stands before a clause, whose subject may be such a name..."""
_FIRST_PERSON: Final = re.compile(r"\bI\b")
_AT_THE_START: Final = re.compile(rf"\s?[:,{UNSPACED}]|\s[-–—]\s")
"""What follows a name that a question begins with."""
_VERB: Final = re.compile(r" (?:can|may|will|would|could|does|has|is|[a-z]+(?:[^s\W]s|ed))\b")
"""...where a verb follows."""
_STAFF: Final = re.compile(
    r"\s*(?:staff|employees?|people|personnel|engineers?|team|workers?|contractors?|reviewers?)\b"
)
_INSIDE: Final = re.compile(r"\b(?:in|into|on|through|via|using|my|our)\W*$")
"""A maker's staff, and what stands before the product that they are asked about."""
_PRODUCT: Final = re.compile(r" (?:api|app|platform|website|terms|policy|privacy policy|chat|service)\b")
"""What stands behind one that "the" stands before."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a question names a platform.

    Parameters
    ----------
    start, end : int
    slugs : tuple of str
        More than one where the words fit several platforms.
    words : tuple of str
        As folded.
    """

    start: int
    end: int
    slugs: tuple[str, ...]
    words: tuple[str, ...]


def normalised(text: str) -> str:
    """Return a text in NFKC, its white space made single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def mentions(question: str, names: Iterable[tuple[str, str]]) -> list[Mention]:
    """Find the platforms that a question names, in the order of their places.

    Parameters
    ----------
    question : str
        Normalised.
    names : iterable of (slug, name)

    Returns
    -------
    list of Mention
        None overlaps another.
    """
    folded = fold(question)
    known = [(slug, normalised(name)) for slug, name in names]
    found = _with_free([], _whole_names(question, folded, known))
    found = _with_free(found, _other_scripts(folded, known))
    found = _with_free(found, _parts(question, folded, known, alone=not found))
    found.sort(key=lambda mention: mention.start)
    return _without_owners(folded, found)


def _with_free(taken: list[Mention], others: Iterable[Mention]) -> list[Mention]:
    """Return mentions with those others that overlap none before them."""
    kept = list(taken)
    for other in others:
        if all(other.end <= mention.start or other.start >= mention.end for mention in kept):
            kept.append(other)
    return kept


def _whole_names(question: str, folded: str, known: list[tuple[str, str]]) -> Iterator[Mention]:
    """Find whole names and slugs, longest first."""
    forms: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for slug, name in known:
        for words in {tuple(_WORD.findall(fold(name))), tuple(_WORD.findall(fold(slug)))}:
            if words and (len(words) > 1 or len(words[0]) > 1):
                forms[words].append((slug, name))
    for words in sorted(forms, key=lambda words: (-len("".join(words)), len(words), words)):
        if not all(word in folded for word in words):
            continue
        for match in re.finditer(_form(words), folded):
            start, end = match.span()
            if _is_name(question, folded, start, end, words):
                yield Mention(start, end, _exact(forms[words], question[start:end]), words)


def _other_scripts(folded: str, known: list[tuple[str, str]]) -> Iterator[Mention]:
    """Find names written in another script than the platform's own."""
    for written, latin in vocabulary().also_called.items():
        slugs = tuple(sorted({slug for slug, name in known if latin in _WORD.findall(fold(name))}))
        if 0 < len(slugs) <= _SHARED_BY:
            for match in re.finditer(re.escape(written), folded):
                yield Mention(*match.span(), slugs, (latin,))


def _form(words: tuple[str, ...]) -> str:
    """Return the pattern of a name: its words with marks or a blank between them."""
    body = r"\W{0,3}".join(re.escape(word) for word in words)
    return body if _UNSPACED.search(body) else rf"(?<!{_LETTER}){body}(?!{_LETTER})"


def _exact(platforms: list[tuple[str, str]], written: str) -> tuple[str, ...]:
    """Return the platforms whose name is written so; all of them where none or several are."""
    plain = written.casefold()
    exact = {slug for slug, name in platforms if plain in (name.casefold(), slug)}
    return (exact.pop(),) if len(exact) == 1 else tuple(sorted({slug for slug, _ in platforms}))


def _is_name(question: str, folded: str, start: int, end: int, words: tuple[str, ...]) -> bool:
    """Say whether words that may be common ones are meant as a name."""
    written = question[start:end]
    if (
        len(words) > 1
        or not written.isascii()
        or any(character.isupper() or character.isdigit() for character in written)
    ):
        return True
    if _SUBJECT.search(folded[:start]) or folded.startswith("'s", end):
        return True
    if _OPENING.search(folded[:start]) and _VERB.match(folded, end):
        return True
    return bool(_PRODUCT.match(folded, end)) and folded[:start].endswith("the ")


def _parts(question: str, folded: str, known: list[tuple[str, str]], *, alone: bool) -> Iterator[Mention]:
    """Find single words of names that few platforms share."""
    owners: dict[str, set[str]] = defaultdict(set)
    generic = vocabulary().generic
    for slug, name in known:
        for word in _WORD.findall(fold(name)):
            if len(word) >= 3 and word not in generic and not _UNSPACED.search(word):
                owners[word].add(slug)
    for match in _SPACED_WORD.finditer(folded):
        slugs = owners.get(match[0], set())
        if 0 < len(slugs) <= _SHARED_BY and _is_part(question, folded, *match.span(), alone=alone):
            yield Mention(*match.span(), tuple(sorted(slugs)), (match[0],))


def _is_part(question: str, folded: str, start: int, end: int, *, alone: bool) -> bool:
    """Say whether a single word of a name is meant as the name; `alone` where the question names no whole one."""
    if folded.startswith("'s", end):
        return True
    if question[start].isupper():
        return start > 0 or alone or bool(_AT_THE_START.match(question, end))
    return _FIRST_PERSON.sub("i", question).islower() and bool(_SUBJECT.search(folded[:start])) and start > 0


def _without_owners(folded: str, found: list[Mention]) -> list[Mention]:
    """Leave out a maker named only to say whose platform, or whose staff, the next name is about."""
    owners = [one for one, other in pairwise(found) if _is_owner(folded[one.end : other.start])]
    return [mention for mention in found if mention not in owners]


def _is_owner(between: str) -> bool:
    """Say by the words between two names whether the first is the maker of the second."""
    return between.strip() == "'s" or bool(_STAFF.match(between.removeprefix("'s")) and _INSIDE.search(between))
