"""What moved clauses do to the risk: the weight of each, the balance of each surface, and the direction of a change.

All clauses that moved are weighed, leads too. What came weighs more than what went or was rewritten, unless its answer or
period is another: a practice that is no longer stated may be worded in a way that is not read. A deleted way out weighs
little but on training use: it mostly leaves with its practice. A surface on which the later text states a practice for
the first time weighs one more. Where the two sides do not settle it the direction is `unclear`.

Weights and thresholds were set by cross-validation over 132 labelled changes, platforms left out in turn
(`tests/accuracy/labels`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from riskanalytics.extraction.align import TURNING, covered, differ_in, excepted_more, leaning, longer, particulars
from riskanalytics.extraction.assess import WEIGHTS
from riskanalytics.extraction.reading import FINDING_FROM
from riskanalytics.extraction.records import ClauseFinding, Move
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

_WEIGHT: Final = {"HIGH": 3, "MED": 2, "LOW": 1}
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
    """Return what a finding does to the risk.

    Parameters
    ----------
    finding : ClauseFinding or None

    Returns
    -------
    int
        Its level, signed: above 0 where it raises the risk; 0 where it is neutral or none.
    """
    if finding is None or finding.polarity == "neutral":
        return 0
    return _WEIGHT[finding.risk] if finding.polarity == "raises_risk" else _WEIGHT[finding.risk] - 4


def rewriting(before: ClauseFinding, after: ClauseFinding, words: tuple[str, str]) -> int:
    """Return what a rewritten finding does to the risk.

    Parameters
    ----------
    before, after : ClauseFinding
        Of the same surface.
    words : tuple of str
        What a reader sees of them.

    Returns
    -------
    int
        The difference of their effects; where there is none, 3 by a period that grew, 2 by an exception that grew or a
        negation that went, 1 by other words that differ; negative where the risk falls.
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
    """Return how much a move weighs among those of all surfaces.

    Parameters
    ----------
    move : Move

    Returns
    -------
    int
    """
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
    before, after = ({row.surface for row in side if _is_practice(row)} for side in findings)
    stated = list(findings[0])
    weighed = [(move.shown.surface, move.step, _trusted(move, stated)) for move in moves if move.step]
    balances = {}
    for surface in {name for name, _, _ in weighed}:
        up, down = (
            sum(
                trust * _SIZES.get(abs(step), 1.5)
                for name, step, trust in weighed
                if name == surface and step * sign > 0
            )
            for sign in (1, -1)
        )
        balances[surface] = Balance(up + (surface in after - before), down)
    return balances


def _is_practice(finding: ClauseFinding) -> bool:
    """Say whether a finding states a practice that raises the risk."""
    return finding.polarity == "raises_risk" and finding.scope.product is None


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
    """Return where the risk goes on each surface that moved, the weightiest surface first.

    Parameters
    ----------
    balances : mapping of str to Balance
    surfaces : iterable of str
        Those on which a finding moved.

    Returns
    -------
    dict of str to str
        `up`, `down`, `mixed`, `unclear` or `none`.
    """
    known = {surface: balances.get(surface, Balance()) for surface in surfaces}
    order = sorted(known, key=lambda name: (-WEIGHTS[name] * max(known[name]), name))
    return {name: known[name].direction for name in order}


def overall(balances: Mapping[str, Balance], directions: Mapping[str, str]) -> str:
    """Return where the risk goes on the whole.

    Parameters
    ----------
    balances : mapping of str to Balance
    directions : mapping of str to str
        What `directions_of` gave.

    Returns
    -------
    str
        That of all surfaces together, each counted by half the root of its weight; `up` or `down` only where a surface
        goes there. Where it is `unclear`, that of the surfaces that are settled, if they agree.
    """
    parts = [[WEIGHTS[name] ** 0.5 / 2 * side for side in balances[name]] for name in balances]
    whole = Balance(*map(sum, zip(*parts, strict=True))).direction
    settled = set(directions.values()) - {"none", "unclear"}
    if whole in ("up", "down") and whole not in settled:
        return "unclear"
    return settled.pop() if whole == "unclear" and len(settled) == 1 else whole
