"""Which statement replaced which, and what the words that differ do to its meaning.

A statement is also known by what it names: recipients, purposes, conditions, periods.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from rapidfuzz import fuzz, process

from riskanalytics.extraction.evidence import grade
from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.records import ClauseFinding
from riskanalytics.extraction.rules import WORDS, compiled
from riskanalytics.surfaces.declared import declared

_ALIKE: Final = 46.0
"""Share of equal telling words, in per cent, from which a new statement is taken to replace an old one."""
_MOST: Final = 400
"""Statements aligned on either side at most: the work stays bounded."""
_RUN: Final = 4
"""Words in a row that tell where a stretch of text stood."""
_WORD: Final = re.compile(r"[a-z0-9'%]+|[\u4e00-\u9fff]")
_RAISING: Final = (
    r"third|part|partn|partner|affiliat|broker|vendor|advertis\w*|sell|sale?|shar|perpetual|irrevocabl|sublicensabl|"
    r"transferabl|train|tune?|improv|develop|discretion|retain|human|review|biometric|any|all|indefinitely"
)
_PROTECTING: Final = (
    r"not|never|cannot|no|nor|neither|only|solely|consent|permission|opt|anonymiz|aggregat|identifi|delet|limit|"
    r"[不未无仅须]"
)
_EXCEPTING: Final = r"unles|except|exclud|除"
_EXCEPTION: Final = re.compile(r"\b(?:unless|except|other than)\b|除非|除了")
_GROWN: Final = 6
"""Words by which an exception must grow to be another one."""
_RECIPIENTS: Final = r"authorit|enforcement|employer|administrator|framework|adequac"
"""Recipients and safeguards: as weighty, and without a sign of their own."""
_SPELLED_OUT: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90, "hundred": 100,
}  # fmt: skip
_NUMBER: Final = rf"\d{{1,3}}|{'|'.join(_SPELLED_OUT)}|[一二三四五六七八九十百]"
WEIGHTY: Final = re.compile(
    rf"{_RAISING}|{_PROTECTING}|{_EXCEPTING}|{_RECIPIENTS}|without|also|other|sole|may|will|shall|must|exclusiv|enterpris|free|"
    rf"[可将会]|\d+%|(?:{_NUMBER})(?:hour|day?|week|month|year)"
)
"""Words that may change what a statement means: a negation, a figure, an exception, a modal, a recipient."""
TURNING: Final = re.compile(rf"not|never|cannot|no|nor|neither|only|without|[不未无仅]|{_EXCEPTING}")
"""Words of those that lead in others which turn what these mean: a negation, an exception."""
_IDLE: Final = re.compile(r"(?:\bbut )?\b(?:not limited to|without limitation)")
_CONTRACTED: Final = re.compile(r"n't\b")
_SPELLED: Final = re.compile(r"(?<=[a-z]{3})is(?=e[ds]?\b|ing\b|ation)")
_ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ies|ing|ed|es|s|e|y)$")
_UNITS: Final = {"天": "day", "日": "day", "周": "week", "个月": "month", "月": "month", "年": "year"}
_PERIOD: Final = re.compile(
    rf"({_NUMBER})\W{{0,3}}(?:(?:business|working|calendar|rolling|full|more) )?(hour|day|week|month|year|{'|'.join(_UNITS)})s?"
)
_DAYS: Final = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}

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
    left = {key: _telling(key) for key in gone[:_MOST]}
    for key in new[:_MOST]:
        if not left:
            break
        best = process.extractOne(_telling(key), left, scorer=fuzz.ratio, score_cutoff=_ALIKE)
        if best is not None:
            pairs[key] = best[2]
            del left[best[2]]
    return pairs


@lru_cache(8_192)
def _telling(key: str) -> list[str]:
    """Give what tells a statement from others, in alphabetical order: words of more than three letters, or pairs of signs."""
    if not key.isascii():
        return sorted(map("".join, pairwise(key)))
    words = sorted(_stems(key).elements())
    return [word for word in words if len(word) > 3] or words


def recut(gone: Sequence[str], new: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Give the statements that were joined, parted or cut otherwise: several on a side that share runs of words.

    Parameters
    ----------
    gone, new : sequence of str
        Keys, as for `paired`.

    Yields
    ------
    tuple of list
        Old and new statements that hold the same stretch of text.
    """
    runs: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in gone:
        for run in _runs(key):
            runs[run].append(key)
    home: dict[str, tuple[list[str], list[str]]] = {}
    for key in new:
        own = _runs(key)
        shared = Counter(old for run in own for old in runs.get(run, ()))
        olds = [old for old, count in shared.items() if 2 * count >= min(len(own), len(_runs(old)))]
        groups = {id(home[old]): home[old] for old in olds if old in home}
        group: tuple[list[str], list[str]] = ([], [key])
        for other in groups.values():
            group[0].extend(other[0])
            group[1].extend(other[1])
        group[0].extend(old for old in olds if old not in home)
        home.update(dict.fromkeys(group[0], group))
    yield from {id(group): group for group in home.values()}.values()


@lru_cache(8_192)
def _runs(key: str) -> tuple[tuple[str, ...], ...]:
    """Give the runs of words of a statement, each once and in order; all of it where it is short."""
    words = _WORD.findall(key)
    return tuple(dict.fromkeys(zip(*(words[place:] for place in range(_RUN)), strict=False))) or (tuple(words),)


def differ_in(kind: re.Pattern[str], before: str, after: str) -> bool:
    """Say whether a word of a kind is among those that only one of two statements has.

    Parameters
    ----------
    kind : compiled pattern
        `WEIGHTY`: words that could change what the statements mean; `TURNING`: words that turn what follows them.
    before, after : str
        Plain words.

    Returns
    -------
    bool
        False where only names, typing and order differ.
    """
    gone, new = _different(before, after)
    return any(map(kind.fullmatch, gone + new))


def leaning(before: str, after: str, *, protective: bool) -> int:
    """Say where the words that differ between two statements of one effect lead: more or less of it, or an exception.

    Parameters
    ----------
    before, after : str
        Plain words.
    protective : bool
        Whether the statements lower the risk: an exception then raises it.

    Returns
    -------
    int
        1 where the risk rises, -1 where it falls, 0 where the words do not tell.
    """
    signs = {_RAISING: 1, _PROTECTING: -1, _EXCEPTING: 1 if protective else -1}
    gone, new = (
        sum(sign * words[word] for word in words for kind, sign in signs.items() if re.fullmatch(kind, word))
        for words in _different(before, after)
    )
    return (new > gone) - (new < gone)


def excepted_more(before: str, after: str) -> int:
    """Say whether the exception that a statement makes grew by several words.

    Parameters
    ----------
    before, after : str
        Plain words.

    Returns
    -------
    int
        1 where it grew, -1 where it shrank, else 0.
    """
    first, second = (
        len(_WORD.findall(parts[1])) if len(parts := _EXCEPTION.split(said.casefold(), maxsplit=1)) > 1 else 0
        for said in (before, after)
    )
    return ((second - first) >= _GROWN) - ((first - second) >= _GROWN)


def longer(before: str, after: str) -> int:
    """Say whether the longest period that a statement names grew.

    Parameters
    ----------
    before, after : str
        Plain words.

    Returns
    -------
    int
        1 where it grew, -1 where it shrank, 0 where it is the same or not named on both sides.
    """
    first, second = (max(periods(said.casefold()), default=0.0) for said in (before, after))
    return (second > first) - (second < first) if first and second else 0


def periods(words: str) -> list[float]:
    """Give the periods that a statement names.

    Parameters
    ----------
    words : str
        Plain and lower-case.

    Returns
    -------
    list of float
        In days, in the order of the words.
    """
    return [
        (_SPELLED_OUT.get(count) or int(count)) * _DAYS[_UNITS.get(unit, unit)]
        for count, unit in _PERIOD.findall(words)
        if count.isascii()
    ]


def _different(before: str, after: str) -> tuple[Counter[str], Counter[str]]:
    """Give the words that only the earlier, and only the later statement has."""
    old, new = (_stems(said) for said in (before, after))
    return old - new, new - old


@lru_cache(8_192)
def _stems(said: str) -> Counter[str]:
    """Count the words of a statement without their endings: a tense, a plural or a spelling is no difference."""
    said = _SPELLED.sub("iz", _CONTRACTED.sub(" not", _IDLE.sub(" ", said.casefold())))
    words = _WORD.findall(_PERIOD.sub(lambda found: f" {found[1]}{_UNITS.get(found[2], found[2])} ", said))
    return Counter(_ENDING.sub("", word) if len(word) > 4 else word for word in words)


@cache
def _patterns() -> dict[str, dict[str, re.Pattern[str]]]:
    """What clauses of each surface may name."""
    words, who = WORDS.words | WORDS.recipients, WORDS.recipients
    return {
        surface.id: {
            name: compiled(f"{surface.id}.toml: particulars", pattern, words)
            for name, pattern in ({**who, **surface.particulars} if surface.recipients else surface.particulars).items()
        }
        for surface in declared()
    }


def particulars(finding: ClauseFinding) -> frozenset[str]:
    """Give what a finding names.

    Parameters
    ----------
    finding : ClauseFinding

    Returns
    -------
    frozenset of str
        What of the particulars of its surface it names, the periods in days, whom it is for, and on training use what
        holds.
    """
    held = grade(finding) if finding.surface == "training_use" else None
    more = {finding.scope.audience or "", finding.scope.product or "", held.effect if held else ""} - {""}
    return _named(finding.surface, finding.quote) | more


@lru_cache(8_192)
def _named(surface: str, quote: str) -> frozenset[str]:
    """Give what words name; kept, since versions repeat each other."""
    words = plain(quote).lower()
    named = {name for name, pattern in _patterns()[surface].items() if pattern.search(words)}
    return frozenset(named | {f"{days:g} days" for days in periods(words)})


def covered(finding: ClauseFinding, others: Iterable[ClauseFinding]) -> bool:
    """Say whether all that a finding names is named by others of its surface and effect.

    Parameters
    ----------
    finding : ClauseFinding
    others : iterable of ClauseFinding

    Returns
    -------
    bool
        False where none of the others is of its level: a level that is new is something new. A promise is covered only by
        a single one that is no narrower.
    """
    same = [other for other in others if (other.surface, other.polarity) == (finding.surface, finding.polarity)]
    if not any(other.risk == finding.risk for other in same):
        return False
    named = particulars(finding)
    if finding.polarity == "mitigates_risk":
        return any(named <= particulars(other) and _as_wide(other, finding) for other in same)
    return named <= frozenset().union(*map(particulars, same))


def _as_wide(other: ClauseFinding, finding: ClauseFinding) -> bool:
    """Say whether a promise is for everybody that another one is for."""
    return all(theirs in (None, ours) for theirs, ours in zip(other.scope, finding.scope, strict=True)) and not (
        other.roles.condition and not finding.roles.condition
    )
