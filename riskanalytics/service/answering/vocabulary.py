"""The vocabulary of questions: topics and words, from the files of the surfaces and `vocabulary.toml`."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from riskanalytics.errors import SurfaceError
from riskanalytics.surfaces import checked
from riskanalytics.surfaces.declared import ModifierTable, TopicTable, declared

_FILE: Final = "vocabulary.toml"
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-"})
_ENDINGS: Final = ("ations", "ation", "ments", "ment", "ings", "ing", "edly", "ed", "ers", "er", "es", "ly", "s")
_GAP: Final = re.compile(r"\.\{0,\d+\}|\(\?:\\w\+ \)\{0,\d\}\??|\(\?: \\w\+\)\{0,\d\}\??|\(\?:\\w\{0,\d+\}\)")

_NOT: Final = (
    r"(?:(?:\b(?:not|never|neither|nor|cannot|no|without|prohibit\w*|refrain\w*|forbid\w*)\b(?! (?:only|limited|later))"
    r"|n't\b)[^.;:|]{0,80}?"
    r"|[不未无][^。；]{0,20}?)"
)
"""What stands before words that are denied."""

Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing that questions ask about.

    Parameters
    ----------
    id : str
    surfaces : tuple of str
        Where its findings stand.
    asks : Pattern
        Of a question.
    unless : Pattern, optional
        In a question, makes the words mean something else.
    parts : tuple of Pattern
        The same, one by one.
    shows : Pattern, optional
        What a quote must hold; any finding of the surface will do without it.
    hides : Pattern, optional
        What no quote of it holds.
    best : Pattern, optional
        What the best quotes hold.
    covers : tuple of str
        Topics that it replaces.
    weak : bool
        Whether it counts only where no other topic does.
    object : bool
        Whether it is what another topic's verb is about.
    yes : str, optional
        Polarity of the findings that affirm it; `any` where their words alone do.
    affirms, denies : Pattern, optional
        What a quote that says so, or the opposite, holds besides.
    """

    id: str
    surfaces: tuple[str, ...]
    asks: Pattern
    parts: tuple[Pattern, ...]
    unless: Pattern | None
    shows: Pattern | None
    hides: Pattern | None
    best: Pattern | None
    covers: tuple[str, ...]
    weak: bool
    object: bool
    yes: str | None
    affirms: Pattern | None
    denies: Pattern

    def side(self, quote: str, polarity: str) -> str:
        """Return whether a folded quote `affirms` or `denies` the topic, or leaves it `open`.

        The opposite polarity is no denial by itself: leaving the choice to the user is no promise not to do it.
        """
        denied = bool(self.denies.search(quote))
        if self.yes in (polarity, "any"):
            if self.yes == "mitigates_risk" or not denied:
                return "affirms" if self.affirms is None or self.affirms.search(quote) else "open"
            return "open"
        return "denies" if denied and polarity != "neutral" else "open"

    def shown_by(self, quote: str) -> bool:
        """Say whether a folded quote holds what speaks to the topic; any does where nothing is asked of it."""
        if self.hides is not None and self.hides.search(quote):
            return False
        return self.shows is None or bool(self.shows.search(quote))


@dataclass(frozen=True, slots=True)
class Modifier:
    """What narrows topics: every quote must hold what it shows.

    Parameters
    ----------
    id : str
    asks, shows : Pattern
    alone : str or None
        The surface that it means by itself.
    """

    id: str
    asks: Pattern
    shows: Pattern
    alone: str | None


@dataclass(frozen=True, slots=True)
class StanceWords:
    """A way to ask for stances on training use.

    Parameters
    ----------
    asks : Pattern
    says, denied : tuple of str
        The stances asked for; those where the question is in the negative.
    """

    asks: Pattern
    says: tuple[str, ...]
    denied: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything that a question is read with.

    Parameters
    ----------
    topics, modifiers : tuple
    stances : tuple of StanceWords
        The first that fits counts.
    same : dict
        Name -> the ways to write one thing.
    audiences, intents : dict
        Name -> pattern.
    policy, advice, elsewhere : Pattern
        Words of a question about policies; words that ask for legal advice; for what no clause says.
    limited : Pattern
        Whom a promise that does not hold for everybody is limited to.
    soft : frozenset of str
        Stems that ask for nothing particular.
    generic : frozenset of str
        Words in names that do not tell platforms apart.
    unspaced : Pattern
        Soft words of scripts without spaces.
    own, made : Pattern
        Kinds of content with whose it is; without.
    alike : dict
        Stem -> a number that the stems of words of nearly one meaning share.
    empty : frozenset of str
        Stems that do not count when findings are put in order.
    spelled : tuple of str
        Words whose misspellings are read as them.
    also_called : dict
        A name in another script -> the name in Latin letters.
    """

    topics: tuple[Topic, ...]
    modifiers: tuple[Modifier, ...]
    stances: tuple[StanceWords, ...]
    same: Mapping[str, Pattern]
    audiences: Mapping[str, Pattern]
    intents: Mapping[str, Pattern]
    policy: Pattern
    advice: Pattern
    elsewhere: Pattern
    limited: Pattern
    soft: frozenset[str]
    generic: frozenset[str]
    unspaced: Pattern
    own: Pattern
    made: Pattern
    alike: Mapping[str, int]
    empty: frozenset[str]
    spelled: tuple[str, ...]
    also_called: Mapping[str, str]


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary, read once."""
    text = resources.files(__package__).joinpath(_FILE).read_text(encoding="utf-8")
    data = tomllib.loads(text)
    frame = data["frame"]
    unspaced = sorted(set(frame["unspaced"].split()), key=len, reverse=True)
    return Vocabulary(
        topics=(
            *(_topic(row, surface.id) for surface in declared() for row in surface.topic),
            *(_topic(checked(TopicTable, _FILE, row)) for row in data["topic"]),
        ),
        modifiers=(
            *(_modifier(row, surface.id) for surface in declared() for row in surface.modifier),
            *(_modifier(checked(ModifierTable, _FILE, row)) for row in data["modifier"]),
        ),
        stances=tuple(
            StanceWords(_any(row.asks), row.says, row.denied or row.says)
            for surface in declared()
            for row in surface.stance
        ),
        same={row["id"]: _any(row["words"]) for row in data["same"]},
        audiences={name: _any(words) for name, words in data["audience"].items()},
        intents={name: _any(words) for name, words in data["intent"].items()},
        policy=_any(frame["policy"]),
        advice=_any(frame["advice"]),
        elsewhere=_any(frame["elsewhere"]),
        limited=_any(frame["limited"]),
        soft=frozenset(stem(word) for word in frame["soft"].split()),
        generic=frozenset(frame["generic"].split()),
        unspaced=_any([re.escape(word) for word in unspaced]),
        own=_any(frame["own"]),
        made=_any(frame["made"]),
        alike={
            stem(word): number
            for number, line in reversed(list(enumerate(frame["alike"].strip().splitlines())))
            for word in line.split()
        },
        empty=frozenset(stem(word) for word in frame["empty"].split()),
        spelled=tuple(dict.fromkeys(frame["spelled"].split())),
        also_called=dict(line.split() for line in frame["also_called"].strip().splitlines()),
    )


def _topic(row: TopicTable, *surface: str) -> Topic:
    """Return one topic of a file."""
    return Topic(
        id=row.id,
        surfaces=(*surface, *row.also),
        asks=_any(row.asks),
        parts=tuple(_any([pattern]) for pattern in row.asks),
        unless=_any(row.unless) if row.unless else None,
        shows=_any(row.shows) if row.shows else None,
        hides=_any(row.hides) if row.hides else None,
        best=_any(row.best) if row.best else None,
        covers=row.covers,
        weak=row.weak,
        object=row.object,
        yes=row.yes,
        affirms=_any(row.affirms) if row.affirms else None,
        denies=_any(row.denies) if row.denies else _denial(row.shows or row.asks),
    )


def _modifier(row: ModifierTable, surface: str | None = None) -> Modifier:
    """Return one modifier of a file."""
    return Modifier(row.id, _any(row.asks), _any(row.shows), surface)


def _denial(words: Sequence[str]) -> Pattern:
    """Return the pattern of a promise not to do what some words say."""
    return re.compile(f"{_NOT}(?:{'|'.join(words)})")


def _any(patterns: Sequence[str]) -> Pattern:
    """Return one pattern that holds where any of some does; its groups are the gaps between words."""
    joined = "|".join(f"(?:{_GAP.sub(lambda gap: f'({gap[0]})', pattern)})" for pattern in patterns)
    try:
        return re.compile(joined)
    except re.error as error:
        raise SurfaceError(f"the words of questions {joined!r} are not usable: {error}") from error


def fold(text: str) -> str:
    """Return a text without case, accents and curly quotes, as long as its NFKC form.

    Parameters
    ----------
    text : str
        In NFKC, so that places in the result are places in it.

    Returns
    -------
    str
    """
    return "".join(map(_folded, text.translate(_QUOTES)))


@lru_cache(maxsize=1 << 16)
def _folded(character: str) -> str:
    """Return one character folded to exactly one."""
    if character.isascii():
        return character.lower()
    base = unicodedata.normalize("NFKD", character)[0].casefold()
    return base if len(base) == 1 else character


def stem(word: str) -> str:
    """Return a word without its English ending, so that forms of one word are alike.

    Parameters
    ----------
    word : str
        Folded.

    Returns
    -------
    str
    """
    if not word.isascii() or not word.isalpha() or word == "news":
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-2]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not (ending == "s" and word.endswith("ss")):
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return f"{word[:-1]}i" if word.endswith("y") and len(word) > 3 else word
