"""Which statement replaced which, what the words that differ do to its meaning, and where the risk goes.

A statement is also known by what it names: recipients, purposes, conditions, periods.

All clauses that moved are weighed, leads too. What came weighs more than what went or was rewritten, unless its answer or
period is another: a practice that is no longer stated may be worded in a way that is not read. A deleted way out weighs
little but on training use: it mostly leaves with its practice. A surface on which the later text states a practice for
the first time weighs one more. Where the two sides do not settle it the direction is `unclear`. Weights and thresholds
were set by cross-validation over 132 labelled changes, platforms left out in turn (`tests/accuracy/labels`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

from rapidfuzz import fuzz, process

from riskanalytics.surfaces import SURFACE_DESCRIPTIONS
from riskanalytics.surfaces.declared import declared

from .assess import WEIGHTS
from .evidence import grade
from .plain import plain
from .reading import FINDING_FROM
from .records import ClauseFinding, Move
from .rules import WORDS, compiled

_ALIKE: Final = 46.0
"""Share of equal telling words, in per cent, from which a new statement is taken to replace an old one."""
_MOST: Final = 400
"""Statements aligned on either side at most: the work stays bounded."""
_RUN: Final = 4
"""Words in a row that identify a stretch of text."""
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
    """Find for each new statement, by their keys, the old one that it replaced; each old one is replaced once."""
    pairs: Pairs = {}
    left = {key: _key_words(key) for key in gone[:_MOST]}
    for key in new[:_MOST]:
        if best := process.extractOne(_key_words(key), left, scorer=fuzz.ratio, score_cutoff=_ALIKE):
            pairs[key] = best[2]
            del left[best[2]]
    return pairs


@lru_cache(8_192)
def _key_words(key: str) -> list[str]:
    """Give the telling words of a statement in alphabetical order: those of more than three letters, or pairs of signs."""
    if not key.isascii():
        return sorted(map("".join, pairwise(key)))
    words = sorted(_stems(key).elements())
    return [word for word in words if len(word) > 3] or words


def recut(gone: Sequence[str], new: Sequence[str]) -> Iterable[tuple[list[str], list[str]]]:
    """Give the old and new statements, by their keys, that hold the same stretch of text: joined, parted or cut otherwise."""
    runs: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in gone:
        for run in _runs(key):
            runs[run].append(key)
    home: dict[str, tuple[list[str], list[str]]] = {}
    for key in new:
        own = _runs(key)
        shared = Counter(old for run in own for old in runs.get(run, ()))
        olds = [old for old, count in shared.items() if 2 * count >= min(len(own), len(_runs(old)))]
        group: tuple[list[str], list[str]] = ([], [key])
        for other in {id(home[old]): home[old] for old in olds if old in home}.values():
            group[0].extend(other[0])
            group[1].extend(other[1])
        group[0].extend(old for old in olds if old not in home)
        home.update(dict.fromkeys(group[0], group))
    return {id(group): group for group in home.values()}.values()


@lru_cache(8_192)
def _runs(key: str) -> tuple[tuple[str, ...], ...]:
    """Give the runs of words of a statement, each once and in order; all of it where it is short."""
    words = _WORD.findall(key)
    return tuple(dict.fromkeys(zip(*(words[place:] for place in range(_RUN)), strict=False))) or (tuple(words),)


def differ_in(kind: re.Pattern[str], before: str, after: str) -> bool:
    """Say whether a word of a kind is among those that only one of two statements has; not names, typing and order.

    Parameters
    ----------
    kind : compiled pattern
        `WEIGHTY`: words that could change what the statements mean; `TURNING`: words that turn what follows them.
    before, after : str
        Plain words.
    """
    return any(map(kind.fullmatch, chain(*_different(before, after))))


def leaning(before: str, after: str, *, protective: bool) -> int:
    """Say where the words that differ between two statements of one effect lead: 1 where the risk rises, -1 where it falls.

    Parameters
    ----------
    before, after : str
        Plain words.
    protective : bool
        Whether the statements lower the risk: an exception then raises it.
    """
    signs = {_RAISING: 1, _PROTECTING: -1, _EXCEPTING: 1 if protective else -1}
    gone, new = (
        sum(sign * words[word] for word in words for kind, sign in signs.items() if re.fullmatch(kind, word))
        for words in _different(before, after)
    )
    return (new > gone) - (new < gone)


def excepted_more(before: str, after: str) -> int:
    """Say whether the exception that a statement makes grew (1) or shrank (-1) by several words."""
    first, second = (
        len(_WORD.findall("".join(_EXCEPTION.split(said.casefold(), maxsplit=1)[1:]))) for said in (before, after)
    )
    return (second - first >= _GROWN) - (first - second >= _GROWN)


def longer(before: str, after: str) -> int:
    """Say whether the longest period that a statement names grew (1) or shrank (-1); 0 where a side names none."""
    first, second = (max(periods(said.casefold()), default=0.0) for said in (before, after))
    return (second > first) - (second < first) if first and second else 0


def periods(words: str) -> list[float]:
    """Give the periods that plain, lower-case words name, in days and in their order."""
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
            for name, pattern in ((who if surface.recipients else {}) | surface.particulars).items()
        }
        for surface in declared()
    }


def particulars(finding: ClauseFinding) -> frozenset[str]:
    """Give what a finding names: particulars of its surface, periods in days, whom it is for, and on training use what holds."""
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

    Not where none of the others is of its level: a level that is new is something new. A promise is covered only by a
    single one that is no narrower.
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


_LEVELS: Final = {"HIGH": 3, "MED": 2, "LOW": 1}
_SIZES: Final = {1: 0.6, 2: 1.0}
"""Weight of a step; larger ones weigh 1.5."""
_LEAD, _STATED, _DELETED_PRACTICE, _DELETED_WAY_OUT, _REWRITTEN = 0.45, 0.35, 0.6, 0.2, 0.5
"""Weights of clauses by how far what they show can be trusted; 1 for those that came, and for deleted promises."""
_LEAST: Final = 0.4
"""Weight that a side needs to count."""
_UP_FROM, _DOWN_FROM = 1.1, 2.5
"""Times that one side must outweigh the other, one being added to both: most material changes raise the risk."""


class Balance(NamedTuple):
    """Weights of what raises and what lowers the risk."""

    up: float = 0.0
    down: float = 0.0

    @property
    def direction(self) -> str:
        """`up` or `down` where that side outweighs the other, `mixed` where both weigh, else `unclear`, or `none`."""
        if not any(self):
            return "none"
        if self.up >= _LEAST and 1 + self.up >= _UP_FROM * (1 + self.down):
            return "up"
        if self.down >= _LEAST and 1 + self.down >= _DOWN_FROM * (1 + self.up):
            return "down"
        return "mixed" if min(self) >= _LEAST else "unclear"


def effect(finding: ClauseFinding | None) -> int:
    """Return what a finding does to the risk: its level, signed; 0 if it is neutral or missing."""
    if finding is None or finding.polarity == "neutral":
        return 0
    return _LEVELS[finding.risk] if finding.polarity == "raises_risk" else _LEVELS[finding.risk] - 4


def rewriting(before: ClauseFinding, after: ClauseFinding, words: tuple[str, str]) -> int:
    """Return what a rewritten finding does to the risk.

    The difference of the effects; if they are equal, 3 by a period that grew, 2 by an exception that grew or a negation
    that went, 1 by other words that differ; negative where the risk falls.

    Parameters
    ----------
    before, after : ClauseFinding
        Of the same surface.
    words : tuple of str
        What a reader sees of them.
    """
    if difference := effect(after) - effect(before):
        return difference
    if (sign := SURFACE_DESCRIPTIONS[after.surface].longer_is) and (grown := longer(*words)):
        return 3 * sign * grown
    protective = after.polarity == "mitigates_risk"
    if excepted := excepted_more(*words):
        return 2 * excepted if protective else -2 * excepted
    return leaning(*words, protective=protective) * (2 if differ_in(TURNING, *words) else 1)


def weight(move: Move) -> int:
    """Return how much a move weighs among those of all surfaces."""
    return abs(move.step) * WEIGHTS[move.shown.surface]


def balances_of(moves: Iterable[Move], findings: Sequence[Iterable[ClauseFinding]]) -> dict[str, Balance]:
    """Weigh the clauses that moved, surface by surface.

    Parameters
    ----------
    moves : iterable of Move
        Of findings and leads.
    findings : sequence of iterable of ClauseFinding
        All findings and leads of the earlier text, and all findings of the later one.

    Returns
    -------
    dict of str to Balance
    """
    before, after = (
        {row.surface for row in side if row.polarity == "raises_risk" and row.scope.product is None}
        for side in findings
    )
    stated = list(findings[0])
    sides: dict[str, list[float]] = {}
    for move in moves:
        if move.step:
            side = sides.setdefault(move.shown.surface, [0.0, 0.0])
            side[move.step < 0] += _trusted(move, stated) * _SIZES.get(abs(move.step), 1.5)
    return {surface: Balance(up + (surface in after - before), down) for surface, (up, down) in sides.items()}


def _trusted(move: Move, stated: Sequence[ClauseFinding]) -> float:
    """Return how far a move is trusted to show what changed; less where it names nothing that was not stated before."""
    trust = 1.0 if move.shown.confidence >= FINDING_FROM else _LEAD
    if move.kind == "rewritten":
        return trust * (_REWRITTEN if abs(move.step) < 3 else 1.0)
    if move.kind == "added":
        return trust * (_STATED if covered(move.shown, stated) else 1.0)
    if move.shown.polarity == "raises_risk":
        return trust * _DELETED_PRACTICE
    left = move.shown.surface != "training_use" and "way out" in particulars(move.shown)
    return trust * (_DELETED_WAY_OUT if left else 1.0)


def directions_of(balances: Mapping[str, Balance], surfaces: Iterable[str]) -> dict[str, str]:
    """Return where the risk goes on each surface on which a finding moved, the weightiest surface first.

    Parameters
    ----------
    balances : mapping of str to Balance
    surfaces : iterable of str

    Returns
    -------
    dict of str to str
        `up`, `down`, `mixed`, `unclear` or `none`.
    """
    known = {surface: balances.get(surface, Balance()) for surface in surfaces}
    return {
        name: known[name].direction
        for name in sorted(known, key=lambda name: (-WEIGHTS[name] * max(known[name]), name))
    }


def overall(balances: Mapping[str, Balance], directions: Mapping[str, str]) -> str:
    """Return where the risk goes on the whole.

    That of all surfaces together, each counted by half the root of its weight; `up` or `down` only where a surface goes
    there. Where it is `unclear`, that of the surfaces that are settled, if they agree.

    Parameters
    ----------
    balances : mapping of str to Balance
    directions : mapping of str to str
        What `directions_of` gave.
    """
    parts = [[WEIGHTS[name] ** 0.5 / 2 * side for side in balances[name]] for name in balances]
    whole = Balance(*map(sum, zip(*parts, strict=True))).direction
    settled = set(directions.values()) - {"none", "unclear"}
    if whole in ("up", "down") and whole not in settled:
        return "unclear"
    return settled.pop() if whole == "unclear" and len(settled) == 1 else whole
