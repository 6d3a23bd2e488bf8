"""Which tracked platforms a question names: whole names before parts of names, never by likeness."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from riskanalytics.service.answering.vocabulary import fold, vocabulary
from riskanalytics.service.store.scripts import UNSPACED

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
    found = _whole_names(question, folded, known)
    found += _other_scripts(folded, known, found)
    found += _parts(question, folded, known, found)
    found.sort(key=lambda mention: mention.start)
    return _without_owners(folded, found)


def _whole_names(question: str, folded: str, known: list[tuple[str, str]]) -> list[Mention]:
    """Find whole names and slugs, longest first."""
    forms: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for slug, name in known:
        for words in {tuple(_WORD.findall(fold(name))), tuple(_WORD.findall(fold(slug)))}:
            if words and (len(words) > 1 or len(words[0]) > 1):
                forms[words].append((slug, name))
    found: list[Mention] = []
    for words in sorted(forms, key=lambda words: (-len("".join(words)), words)):
        if not all(word in folded for word in words):
            continue
        for match in re.finditer(_form(words), folded):
            start, end = match.span()
            if _is_free(found, start, end) and _is_name(question, folded, start, end, words):
                found.append(Mention(start, end, _exact(forms[words], question[start:end]), words))
    return found


def _other_scripts(folded: str, known: list[tuple[str, str]], taken: list[Mention]) -> list[Mention]:
    """Find names written in another script than the platform's own."""
    found: list[Mention] = []
    for written, latin in vocabulary().also_called.items():
        start = folded.find(written)
        slugs = tuple(sorted({slug for slug, name in known if latin in _WORD.findall(fold(name))}))
        while start >= 0 and 0 < len(slugs) <= _SHARED_BY:
            if _is_free([*taken, *found], start, start + len(written)):
                found.append(Mention(start, start + len(written), slugs, (latin,)))
            start = folded.find(written, start + len(written))
    return found


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


def _parts(question: str, folded: str, known: list[tuple[str, str]], taken: list[Mention]) -> list[Mention]:
    """Find single words of names that few platforms share."""
    owners: dict[str, set[str]] = defaultdict(set)
    generic = vocabulary().generic
    for slug, name in known:
        for word in _WORD.findall(fold(name)):
            if len(word) >= 3 and word not in generic and not _UNSPACED.search(word):
                owners[word].add(slug)
    found: list[Mention] = []
    for match in _SPACED_WORD.finditer(folded):
        slugs = owners.get(match[0], set())
        start, end = match.span()
        if (
            0 < len(slugs) <= _SHARED_BY
            and _is_free(taken, start, end)
            and _is_part(question, folded, start, end, taken)
        ):
            found.append(Mention(start, end, tuple(sorted(slugs)), (match[0],)))
    return found


def _is_part(question: str, folded: str, start: int, end: int, taken: list[Mention]) -> bool:
    """Say whether a single word of a name is meant as the name."""
    if folded.startswith("'s", end):
        return True
    if question[start].isupper():
        return start > 0 or not taken or bool(_AT_THE_START.match(question, end))
    return _FIRST_PERSON.sub("i", question).islower() and bool(_SUBJECT.search(folded[:start])) and start > 0


def _is_free(taken: list[Mention], start: int, end: int) -> bool:
    """Say whether a place overlaps none that is taken."""
    return all(end <= mention.start or start >= mention.end for mention in taken)


def _without_owners(folded: str, found: list[Mention]) -> list[Mention]:
    """Leave out a maker named only to say whose platform the next name is."""
    kept = []
    for place, mention in enumerate(found):
        following = found[place + 1] if place + 1 < len(found) else None
        if following is None or folded[mention.end : following.start].strip() != "'s":
            kept.append(mention)
    return kept
