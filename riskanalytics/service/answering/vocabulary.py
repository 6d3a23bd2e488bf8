"""Vocabulary of questions, from the surface files and `vocabulary.toml`, and normalisation of words."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Set
from functools import cache, lru_cache
from importlib import resources
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator
from rapidfuzz.distance import OSA
from snowballstemmer import stemmer

from riskanalytics.surfaces.declared import TopicTable, declared
from riskanalytics.text.wording import spellings

from ..store.search import UNSPACED, WORD

RUN: Final = re.compile(f"[{UNSPACED}]+")
"""Pattern of a run of characters of scripts without spaces."""
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-"})
_GAP: Final = re.compile(r"\.\{0,\d+\}|\(\?:\\w\+ \)\{0,\d\}\??|\(\?: \\w\+\)\{0,\d\}\??|\(\?:\\w\{0,\d+\}\)")
_NOT: Final = (
    r"(?:(?:\b(?:not|never|neither|nor|cannot|no|without|prohibit\w*|refrain\w*|forbid\w*)\b(?! (?:only|limited|later))"
    r"|n't\b)[^.;:|]{0,80}?"
    r"|[不未无][^。；]{0,20}?)"
)
"""Negation before denied words."""
_LONG_WORD: Final = re.compile(r"(?<!\w)[A-Za-z]{6,24}(?!\w)")
_NUMBERS: Final = {
    word: str(number)
    for numbers, words in (
        (range(1, 16), "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"),
        (range(20, 101, 10), "twenty thirty forty fifty sixty seventy eighty ninety hundred"),
        ([18], "eighteen"),
    )
    for number, word in zip(numbers, words.split(), strict=True)
}

Pattern = re.Pattern[str]


def _any(patterns: Iterable[str]) -> Pattern:
    """Return one pattern that matches wherever one of the given patterns does; its groups are the gaps between words."""
    return re.compile("|".join(f"(?:{_GAP.sub(lambda gap: f'({gap[0]})', one)})" for one in patterns) or "(?!)")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return the stem of an English word, the same for all its forms and spellings; any other word is returned unchanged.

    Parameters
    ----------
    word : str
        Word as `fold` returns it: lower case, without accents.
    """
    return str(stemmer("english").stemWord(min(spellings(word)))) if word.isascii() and word.isalpha() else word


def _groups(text: str) -> dict[str, int]:
    """Map the stem of each word to its first synonym group; each line of the text is a group."""
    lines = list(enumerate(text.strip().splitlines()))
    return {stem(word): number for number, line in reversed(lines) for word in line.split()}


Words = Annotated[Pattern, BeforeValidator(_any)]
"""A pattern that files write as a list of alternatives; an empty list is a pattern that never matches."""
WordsOrNone = Annotated[Pattern | None, BeforeValidator(lambda words: _any(words) if words else None)]
Stems = Annotated[frozenset[str], BeforeValidator(lambda text: list(map(stem, text.split())))]
_SPLIT: Final = BeforeValidator(str.split)


class Topic(BaseModel, frozen=True):
    """A subject that users ask about, on one or more surfaces.

    `TopicTable` documents the fields, except two that it does not have: `surfaces` are all surfaces with findings on the
    topic, and `parts` are the alternatives of the pattern `asks`, each as a pattern of its own.
    """

    id: str
    surfaces: tuple[str, ...]
    asks: Words
    parts: tuple[Words, ...]
    unless: Words
    shows: WordsOrNone
    hides: Words
    best: Words
    covers: tuple[str, ...]
    weak: bool
    object: bool
    yes: str | None
    affirms: WordsOrNone
    denies: Words

    def side(self, quote: str, polarity: str) -> str:
        """Return whether a quote says yes to the topic (`affirms`), says no to it (`denies`), or does neither (`open`).

        The opposite polarity alone does not make a clause deny the topic: a choice that is left to the user, for example, mitigates
        the risk of a practice, but does not deny the practice.

        Parameters
        ----------
        quote : str
            Quote as `fold` returns it.
        polarity : str
            Polarity of the finding that has the quote.
        """
        denied = bool(self.denies.search(quote))
        if self.yes not in (polarity, "any"):
            return "denies" if denied and polarity != "neutral" else "open"
        affirmed = self.affirms is None or bool(self.affirms.search(quote))
        return "affirms" if affirmed and (self.yes == "mitigates_risk" or not denied) else "open"

    def shown_by(self, quote: str) -> bool:
        """Return whether a quote is about the topic.

        It is, if it does not match the topic's pattern `hides`, and matches the pattern `shows` or the topic has no such pattern.

        Parameters
        ----------
        quote : str
            Quote in lower case and without accents, from `fold`.
        """
        return not self.hides.search(quote) and (self.shows is None or bool(self.shows.search(quote)))

    def named_in(self, quote: str) -> bool:
        """Return whether a quote names the topic.

        It does, if it matches the topic's pattern `shows` (for quotes) or, if the topic has no such pattern, its pattern `asks`
        (for questions).

        Parameters
        ----------
        quote : str
            Quote in lower case and without accents, from `fold`.
        """
        return bool((self.shows or self.asks).search(quote))


class Modifier(BaseModel, frozen=True):
    """A limit in a question, such as "for how long": a question that matches `asks` accepts only quotes that match `shows`.

    A question with this limit that names no topic counts as a question on the surface `alone`, unless `alone` is None.
    """

    id: str
    asks: Words
    shows: Words
    alone: str | None = None


class StanceWords(BaseModel, frozen=True):
    """One kind of question about training use: the pattern of such questions, and the stances that answer them with yes.

    The pattern `asks` matches questions of this kind. A platform with a stance in `says` answers such a question with yes; a
    platform with a stance in `denied` answers the negated question with yes.
    """

    asks: Words
    says: tuple[str, ...]
    denied: tuple[str, ...]


class Vocabulary(BaseModel, frozen=True):
    """All patterns and words by which users' questions are understood; `vocabulary.toml` documents them."""

    topics: tuple[Topic, ...]
    modifiers: tuple[Modifier, ...]
    stances: tuple[StanceWords, ...]
    same: dict[str, Words]
    audiences: dict[str, Words]
    intents: dict[str, Words]
    levels: dict[str, Words]
    policy: Words
    limited: Words
    soft: Stems
    generic: Annotated[frozenset[str], _SPLIT]
    unspaced: Annotated[Pattern, BeforeValidator(lambda text: _any(sorted(text.split(), key=len, reverse=True)))]
    own: Words
    made: Words
    alike: Annotated[dict[str, int], BeforeValidator(_groups)]
    empty: Stems
    spelled: Annotated[tuple[str, ...], _SPLIT]
    also_called: dict[str, str]


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary of questions. The first call reads it from its files; later calls return the same object."""
    data = tomllib.loads(resources.files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))
    surfaces = declared()
    modifiers = [row.model_dump() | {"alone": surface.id} for surface in surfaces for row in surface.modifier]
    topics = [_topic(row, surface.id) for surface in surfaces for row in surface.topic]
    made = {
        "topics": topics + [_topic(TopicTable.model_validate(row)) for row in data["topic"]],
        "modifiers": modifiers + data["modifier"],
        "stances": [row.model_dump() | {"denied": row.denied or row.says} for one in surfaces for row in one.stance],
    }
    return Vocabulary.model_validate(data | data["frame"] | made)


def matching(patterns: dict[str, Pattern], text: str) -> list[str]:
    """Return the names of the patterns that match a text.

    Parameters
    ----------
    patterns : dict of str to Pattern
        Name -> pattern.
    text : str
        Text as `fold` returns it.
    """
    return [name for name, pattern in patterns.items() if pattern.search(text)]


def _topic(row: TopicTable, *surface: str) -> dict[str, object]:
    """Return the fields of a `Topic` from a topic table of a file."""
    denies = row.denies or [f"{_NOT}(?:{'|'.join(row.shows or row.asks)})"]
    parts = [[pattern] for pattern in row.asks]
    return {**row.model_dump(), "surfaces": (*surface, *row.also), "parts": parts, "denies": denies}


def fold(text: str) -> str:
    """Return a text in lower case, without accents, with straight quotes and hyphens; its length stays the same.

    Parameters
    ----------
    text : str
        Text in Unicode form NFKC. A position in it is the same position in the result.
    """
    return "".join(map(_folded, text.translate(_QUOTES)))


@lru_cache(maxsize=1 << 16)
def _folded(character: str) -> str:
    """Fold one character to exactly one character."""
    base = unicodedata.normalize("NFKD", character)[0].casefold()
    return base if len(base) == 1 else character


def digits(word: str) -> str | None:
    """Return a lower-case number word, such as "seven", as digits; digits stay as they are; None if the word is no known number."""
    return word if word.isdigit() else _NUMBERS.get(word)


@lru_cache(maxsize=16384)
def units(folded: str) -> tuple[str, ...]:
    """Return the pieces of a text that are compared with those of other texts: word stems, and numbers as digits.

    Texts in scripts without spaces, such as Chinese, give pairs of neighbouring characters instead.

    Parameters
    ----------
    folded : str
        Text as `fold` returns it.
    """
    found: list[str] = []
    for word in WORD.findall(folded):
        for run in RUN.findall(word):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        if rest := RUN.sub("", word):
            found.append(digits(rest) or stem(rest))
    return tuple(found)


def respelled(text: str, names: Set[str]) -> str:
    """Return a text in which each word that is one typing error away from a word of the vocabulary is replaced by that word.

    Parameters
    ----------
    text : str
        Question in Unicode form NFKC, with single spaces.
    names : set of str
        Words of platform names, as `fold` returns them; they are not corrected.
    """

    def right(match: re.Match[str]) -> str:
        word = fold(match[0])
        return match[0] if word in names else _nearest(word) or match[0]

    return _LONG_WORD.sub(right, text)


def _nearest(word: str) -> str | None:
    """Return the known word that is one typing error away (a missing, added, changed or swapped letter); None if not unique."""
    known = vocabulary()
    related = any(word.startswith(right) or right.startswith(word) for right in known.spelled)
    if related or stem(word) in known.soft | known.alike.keys():
        return None
    near = {
        stem(right): right
        for right in known.spelled
        if len(right) > 5 and word[0] == right[0] and OSA.distance(word, right, score_cutoff=1) <= 1
    }
    return next(iter(near.values())) if len(near) == 1 else None
