"""Align the clauses of two texts, interpret the words that differ, and weigh whether the risk rose or fell.

A clause is recognised by its key: its words without case, punctuation, dates and addresses. A finding is also recognised by the
details that it names, such as recipients and periods. A move is a finding or lead that was added, removed or rewritten.

All moves are weighed. A removed finding that raised the risk weighs less than an added finding, because the vendor may only have
reworded the practice in a way that is not recognised. An added finding weighs less if the earlier text names all its details. A
rewritten finding weighs less, unless the rewriting changed a period or a yes-or-no answer of a table, or changed the finding's
effect on the risk (-3 to 3) by 3 or more. A removed way out (such as an opt-out) weighs little, except on training use, because
the vendor usually removes the practice with it. If only the later text has a finding that raises the risk on a surface,
`Balance.up` of that surface grows by 1. Weights and thresholds were set by cross-validation over the 132 labelled changes in
`tests/accuracy/labels`, leaving out platforms in turn.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from rapidfuzz import fuzz, process

from riskanalytics.surfaces import SURFACE_DESCRIPTIONS
from riskanalytics.surfaces.declared import declared
from riskanalytics.text.substance import TURNING, WORD, differ_in, excepted_more, leaning, longer, periods, stems

from .assess import WEIGHTS
from .evidence import grade
from .plain import plain
from .reading import FINDING_FROM
from .records import ClauseFinding, Move
from .rules import WORDS, compiled

_ALIKE: Final = 46.0
"""A new statement replaces an old one if their key words are at least this similar, in per cent."""
_MOST: Final = 400
"""Maximum number of statements aligned on each side, so that the work stays bounded."""
_RUN: Final = 4
"""Number of consecutive words that identify a stretch of text."""

Pairs = dict[str, str]
"""Key of a new statement -> key of the old statement that it replaced."""


def paired(gone: Sequence[str], new: Sequence[str]) -> Pairs:
    """Return a dict: new clause -> the removed clause (of `gone`) most similar to it, one to one; clauses are keys."""
    pairs: Pairs = {}
    left = {key: _key_words(key) for key in gone[:_MOST]}
    for key in new[:_MOST]:
        if best := process.extractOne(_key_words(key), left, scorer=fuzz.ratio, score_cutoff=_ALIKE):
            pairs[key] = best[2]
            del left[best[2]]
    return pairs


@lru_cache(8_192)
def _key_words(key: str) -> list[str]:
    """Return the key words of a statement, sorted: words of more than three letters, or pairs of characters in Chinese."""
    if not key.isascii():
        return sorted(map("".join, pairwise(key)))
    words = sorted(stems(key).elements())
    return [word for word in words if len(word) > 3] or words


def recut(gone: Sequence[str], new: Sequence[str]) -> Iterable[tuple[list[str], list[str]]]:
    """Return groups of clauses that share text, each as two lists: removed clauses (of `gone`), and new ones; clauses are keys."""
    runs: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key in gone:
        for run in _runs(key):
            runs[run].append(key)
    group_of: dict[str, tuple[list[str], list[str]]] = {}
    for key in new:
        own = _runs(key)
        shared = Counter(old for run in own for old in runs.get(run, ()))
        olds = [old for old, count in shared.items() if 2 * count >= min(len(own), len(_runs(old)))]
        group: tuple[list[str], list[str]] = ([], [key])
        for other in {id(group_of[old]): group_of[old] for old in olds if old in group_of}.values():
            group[0].extend(other[0])
            group[1].extend(other[1])
        group[0].extend(old for old in olds if old not in group_of)
        group_of.update(dict.fromkeys(group[0], group))
    return {id(group): group for group in group_of.values()}.values()


@lru_cache(8_192)
def _runs(key: str) -> tuple[tuple[str, ...], ...]:
    """Return the runs of four words of a statement, each once and in order; a shorter statement is one run."""
    words = WORD.findall(key)
    return tuple(dict.fromkeys(zip(*(words[place:] for place in range(_RUN)), strict=False))) or (tuple(words),)


@cache
def _patterns() -> dict[str, dict[str, re.Pattern[str]]]:
    """Return surface -> name of a particular -> its compiled pattern."""
    words, recipients = WORDS.words | WORDS.recipients, WORDS.recipients
    return {
        surface.id: {
            name: compiled(f"{surface.id}.toml: particulars", pattern, words)
            for name, pattern in ((recipients if surface.recipients else {}) | surface.particulars).items()
        }
        for surface in declared()
    }


def particulars(finding: ClauseFinding) -> frozenset[str]:
    """Return the particulars of a finding: the details that it names, by which it is recognised after a rewording.

    They are the details that the surface's TOML file lists and the quote names (such as recipients), the periods, the audience,
    the product and, on training use, how the vendor uses the material (`evidence.Evidence.effect`, such as `opt_out`).
    """
    evidence = grade(finding) if finding.surface == "training_use" else None
    more = {finding.scope.audience or "", finding.scope.product or "", evidence.effect if evidence else ""} - {""}
    return _named(finding.surface, finding.quote) | more


@lru_cache(8_192)
def _named(surface: str, quote: str) -> frozenset[str]:
    """Return the particulars and periods that a quote names; cached, since versions of a text repeat each other."""
    words = plain(quote).lower()
    named = {name for name, pattern in _patterns()[surface].items() if pattern.search(words)}
    return frozenset(named | {f"{days:g} days" for days in periods(words)})


def covered(finding: ClauseFinding, others: Iterable[ClauseFinding]) -> bool:
    """Return whether other findings of the same surface and polarity together name all details (`particulars`) of a finding.

    False if none of these `others` has the same level. If `finding` lowers the risk, a single other finding must name all its
    details (such as periods and purposes), hold for at least the same people, and add no condition.
    """
    same = [other for other in others if (other.surface, other.polarity) == (finding.surface, finding.polarity)]
    if not any(other.risk == finding.risk for other in same):
        return False
    named = particulars(finding)
    if finding.polarity == "mitigates_risk":
        return any(named <= particulars(other) and _as_wide(other, finding) for other in same)
    return named <= frozenset().union(*map(particulars, same))


def _as_wide(other: ClauseFinding, finding: ClauseFinding) -> bool:
    """Return whether `other` is at least as wide a promise as `finding`: no narrower scope, and no additional condition."""
    return all(theirs in (None, ours) for theirs, ours in zip(other.scope, finding.scope, strict=True)) and not (
        other.roles.condition and not finding.roles.condition
    )


_LEVELS: Final = {"HIGH": 3, "MED": 2, "LOW": 1}
_SIZES: Final = {1: 0.6, 2: 1.0}
"""Size of a step (`Move.step` without its sign) -> weight; steps above 2 weigh 1.5."""
_LEAD, _STATED, _DELETED_PRACTICE, _DELETED_WAY_OUT, _REWRITTEN = 0.45, 0.35, 0.6, 0.2, 0.5
"""Factors that reduce the weight of moves that are less certain to be real changes; for all other moves the factor is 1."""
_LEAST: Final = 0.4
"""Minimum of `Balance.up` or `Balance.down` to decide a direction."""
_UP_FROM, _DOWN_FROM = 1.1, 2.5
"""Minimum ratio of 1 + `up` to 1 + `down` for `up`, and of the reverse for `down`; most material changes raise the risk."""


class Balance(NamedTuple):
    """Total weights of a surface's added, removed or rewritten findings: `up` if they raise the risk, `down` if they lower it."""

    up: float = 0.0
    down: float = 0.0

    @property
    def direction(self) -> str:
        """`none` if `up` and `down` are 0; else `up` or `down`, if it prevails; else `mixed`, if both are large; else `unclear`."""
        if not any(self):
            return "none"
        if self.up >= _LEAST and 1 + self.up >= _UP_FROM * (1 + self.down):
            return "up"
        if self.down >= _LEAST and 1 + self.down >= _DOWN_FROM * (1 + self.up):
            return "down"
        return "mixed" if min(self) >= _LEAST else "unclear"


def effect(finding: ClauseFinding | None) -> int:
    """Return the effect of a finding on the risk, as a number.

    HIGH, MED and LOW count 3, 2 and 1 if the finding raises the risk, -1, -2 and -3 if it lowers the risk. A neutral or missing
    finding counts 0.
    """
    if finding is None or finding.polarity == "neutral":
        return 0
    return _LEVELS[finding.risk] if finding.polarity == "raises_risk" else _LEVELS[finding.risk] - 4


def rewriting(before: ClauseFinding, after: ClauseFinding, words: tuple[str, str]) -> int:
    """Return how the rewriting of a finding affects the risk: a positive number if the risk rises, a negative one if it falls.

    The number is the difference of the two effects (see `effect`). If the effects are equal, its size is 3 if a period changed
    (on surfaces where the length of periods matters), else 2 if an exception grew or shrank, else 1 if words that raise or lower
    the risk differ (2 if a negation, limit or exception also differs), else 0.

    Parameters
    ----------
    before, after : ClauseFinding
        Two findings of the same surface.
    words : tuple of str
        Plain words of the two findings.
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
    """Return the weight of a move (added, removed or rewritten finding): the size of its `step` times the weight of its surface."""
    return abs(move.step) * WEIGHTS[move.shown.surface]


def balances_of(moves: Iterable[Move], findings: Sequence[Iterable[ClauseFinding]]) -> dict[str, Balance]:
    """Return the total weights of each surface's moves (findings and leads that were added, removed or rewritten).

    Parameters
    ----------
    moves : iterable of Move
        The added, removed or rewritten findings and leads.
    findings : sequence of iterable of ClauseFinding
        All findings and leads of the earlier text, and all findings of the later one.

    Returns
    -------
    dict of str to Balance
        Surface -> total weights of the moves that raise the risk and that lower it; only surfaces with such moves.
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
    """Return the factor of a move: its certainty, and less for an added finding whose particulars were all stated before."""
    trust = 1.0 if move.shown.confidence >= FINDING_FROM else _LEAD
    if move.kind == "rewritten":
        return trust * (_REWRITTEN if abs(move.step) < 3 else 1.0)
    if move.kind == "added":
        return trust * (_STATED if covered(move.shown, stated) else 1.0)
    if move.shown.polarity == "raises_risk":
        return trust * _DELETED_PRACTICE
    way_out = move.shown.surface != "training_use" and "way out" in particulars(move.shown)
    return trust * (_DELETED_WAY_OUT if way_out else 1.0)


def directions_of(balances: Mapping[str, Balance], surfaces: Iterable[str]) -> dict[str, str]:
    """Return the direction of the risk on each of the given surfaces, the surface with the weightiest changes first.

    Parameters
    ----------
    balances : mapping of str to Balance
        Surface -> total weights of its added, removed or rewritten findings and leads; from `balances_of`.
    surfaces : iterable of str
        The surfaces on which a finding was added, removed or rewritten.

    Returns
    -------
    dict of str to str
        Surface -> `up`, `down`, `mixed`, `unclear` or `none`.
    """
    known = {surface: balances.get(surface, Balance()) for surface in surfaces}
    ranked = sorted(known, key=lambda name: (-WEIGHTS[name] * max(known[name]), name))
    return {name: known[name].direction for name in ranked}


def overall(balances: Mapping[str, Balance], directions: Mapping[str, str]) -> str:
    """Return the direction of the risk over all surfaces together.

    The weights `up` and `down` of each surface, times half the square root of the surface's weight in the rating, are summed. The
    two sums give a direction as in `Balance.direction`. But `up` or `down` becomes `unclear` if no surface has this direction;
    and `unclear` becomes `up`, `down` or `mixed` if all surfaces that have one of these three directions agree.

    Parameters
    ----------
    balances : mapping of str to Balance
        Surface -> total weights of its added, removed or rewritten findings and leads; from `balances_of`.
    directions : mapping of str to str
        Surface -> direction of its risk; from `directions_of`.
    """
    parts = [[WEIGHTS[name] ** 0.5 / 2 * side for side in balances[name]] for name in balances]
    whole = Balance(*map(sum, zip(*parts, strict=True))).direction
    settled = set(directions.values()) - {"none", "unclear"}
    if whole in ("up", "down") and whole not in settled:
        return "unclear"
    return settled.pop() if whole == "unclear" and len(settled) == 1 else whole
