"""The vocabulary of questions, from the files of the surfaces and `vocabulary.toml`, and words as they are compared by."""

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
"""Characters of scripts without spaces."""
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-"})
_GAP: Final = re.compile(r"\.\{0,\d+\}|\(\?:\\w\+ \)\{0,\d\}\??|\(\?: \\w\+\)\{0,\d\}\??|\(\?:\\w\{0,\d+\}\)")
_NOT: Final = (
    r"(?:(?:\b(?:not|never|neither|nor|cannot|no|without|prohibit\w*|refrain\w*|forbid\w*)\b(?! (?:only|limited|later))"
    r"|n't\b)[^.;:|]{0,80}?"
    r"|[不未无][^。；]{0,20}?)"
)
"""What precedes words that are denied."""
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
    """Return one pattern that holds where any of some does; its groups are the gaps between words."""
    return re.compile("|".join(f"(?:{_GAP.sub(lambda gap: f'({gap[0]})', one)})" for one in patterns) or "(?!)")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a word without its English ending, so that forms and spellings of one word are alike.

    Parameters
    ----------
    word : str
        Folded.
    """
    return str(stemmer("english").stemWord(min(spellings(word)))) if word.isascii() and word.isalpha() else word


def _groups(text: str) -> dict[str, int]:
    """Return the stems of words of nearly one meaning, a group a line, with the number of the first group they are in."""
    lines = list(enumerate(text.strip().splitlines()))
    return {stem(word): number for number, line in reversed(lines) for word in line.split()}


Words = Annotated[Pattern, BeforeValidator(_any)]
"""A pattern that a file writes as a list of patterns, any of which may hold; without any it never holds."""
WordsOrNone = Annotated[Pattern | None, BeforeValidator(lambda words: _any(words) if words else None)]
Stems = Annotated[frozenset[str], BeforeValidator(lambda text: list(map(stem, text.split())))]
_SPLIT: Final = BeforeValidator(str.split)


class Topic(BaseModel, frozen=True):
    """One thing that questions ask about; `TopicTable` says what its fields mean, `parts` are the patterns of `asks`."""

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
        """Return whether a folded quote `affirms` or `denies` the topic, or leaves it `open`.

        The opposite polarity is no denial by itself: leaving the choice to the user is no promise not to do it.
        """
        denied = bool(self.denies.search(quote))
        if self.yes not in (polarity, "any"):
            return "denies" if denied and polarity != "neutral" else "open"
        affirmed = self.affirms is None or bool(self.affirms.search(quote))
        return "affirms" if affirmed and (self.yes == "mitigates_risk" or not denied) else "open"

    def shown_by(self, quote: str) -> bool:
        """Say whether a folded quote holds what speaks to the topic; any does where nothing is asked of it."""
        return not self.hides.search(quote) and (self.shows is None or bool(self.shows.search(quote)))

    def named_in(self, quote: str) -> bool:
        """Say whether a folded quote's own words name the topic."""
        return bool((self.shows or self.asks).search(quote))


class Modifier(BaseModel, frozen=True):
    """What narrows topics: every quote must hold what it shows; `alone` is the surface that it means by itself."""

    id: str
    asks: Words
    shows: Words
    alone: str | None = None


class StanceWords(BaseModel, frozen=True):
    """A way to ask for stances on training use: those asked for, and those where the question is in the negative."""

    asks: Words
    says: tuple[str, ...]
    denied: tuple[str, ...]


class Vocabulary(BaseModel, frozen=True):
    """Everything that a question is read with; `vocabulary.toml` says what each part means."""

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
    """Return the vocabulary, read once."""
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
    """Return the names of the patterns that a folded text holds."""
    return [name for name, pattern in patterns.items() if pattern.search(text)]


def _topic(row: TopicTable, *surface: str) -> dict[str, object]:
    """Return one topic of a file."""
    denies = row.denies or [f"{_NOT}(?:{'|'.join(row.shows or row.asks)})"]
    parts = [[pattern] for pattern in row.asks]
    return {**row.model_dump(), "surfaces": (*surface, *row.also), "parts": parts, "denies": denies}


def fold(text: str) -> str:
    """Return a text without case, accents and curly quotes, as long as its NFKC form.

    Parameters
    ----------
    text : str
        In NFKC, so that places in the result are places in it.
    """
    return "".join(map(_folded, text.translate(_QUOTES)))


@lru_cache(maxsize=1 << 16)
def _folded(character: str) -> str:
    """Return one character folded to exactly one."""
    base = unicodedata.normalize("NFKD", character)[0].casefold()
    return base if len(base) == 1 else character


def digits(word: str) -> str | None:
    """Return a folded word as a number in digits; None if it is no number."""
    return word if word.isdigit() else _NUMBERS.get(word)


@lru_cache(maxsize=16384)
def units(folded: str) -> tuple[str, ...]:
    """Return what a folded text is compared by, in order: stems, numbers in digits, pairs of unspaced characters."""
    found: list[str] = []
    for word in WORD.findall(folded):
        for run in RUN.findall(word):
            found += [run[at : at + 2] for at in range(max(1, len(run) - 1))]
        if rest := RUN.sub("", word):
            found.append(digits(rest) or stem(rest))
    return tuple(found)


def respelled(text: str, names: Set[str]) -> str:
    """Return a text in which words that are one slip away from a word of the vocabulary are written right.

    Parameters
    ----------
    text : str
        Normalised.
    names : set of str
        Folded words of names, which stay as they are.
    """

    def right(match: re.Match[str]) -> str:
        word = fold(match[0])
        return match[0] if word in names else _nearest(word) or match[0]

    return _LONG_WORD.sub(right, text)


def _nearest(word: str) -> str | None:
    """Return the only word that a word is a slip away from: one letter missing, doubled, changed or exchanged."""
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
