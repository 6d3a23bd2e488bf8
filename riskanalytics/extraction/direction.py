"""What moved clauses do to the risk: the weight of each, the balance of each surface, and the direction of a change.

All clauses that moved are weighed, leads too. A deleted promise weighs most. A practice that is no longer stated weighs
little, since it may be worded in a way that is not read. What only qualifies a practice (a way out, a promise under a
condition) comes and goes with it and weighs little. A surface on which the later text states a practice for the first time
rises, whatever promises come with it. Where the two sides do not settle it the direction is `unclear`.

The weights were fitted to 66 labelled changes; the thresholds were set with 66 more in view (`tests/accuracy/labels`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from riskanalytics.extraction.align import TURNING, differ_in, excepted_more, leaning, longer
from riskanalytics.extraction.assess import WEIGHTS
from riskanalytics.extraction.particulars import covered, particulars
from riskanalytics.extraction.reading import FINDING_FROM
from riskanalytics.extraction.records import ClauseFinding, Move
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

_WEIGHT: Final = {"HIGH": 3, "MED": 2, "LOW": 1}
_WAYS_OUT: Final = ("trains_with_opt_out", "trains_with_opt_in", "depends_on_plan")
_CONDITION: Final = re.compile(
    r"\W*(?:if|upon|when|where|once|subject to|following|unless|for users|如果|若|当)\b", re.IGNORECASE
)


_SIZES: Final = {1: 0.6, 2: 1.0}
"""Weight of a step; larger ones weigh 1.5."""
_LEAD, _QUALIFIES = 0.6, 0.3
_DELETED_PROMISE, _DELETED_PRACTICE, _REWRITTEN = 1.3, 0.5, 0.8
"""Weights of clauses by how far what they show can be trusted; 1 for those that came."""
_STATED: Final = 0.5
_FIRST_PRACTICE: Final = 3.0
_MOST: Final = 3.0
"""What one surface counts at most on either side of the overall balance."""


class Balance(NamedTuple):
    """Weights of what raises and what lowers the risk."""

    up: float = 0.0
    down: float = 0.0

    def direction(self, up_from: float, down_from: float, least: float) -> str:
        """Return `up` or `down` from a share of the whole, `mixed` where both sides weigh, else `unclear`.

        Parameters
        ----------
        up_from, down_from : float
            Shares of the whole.
        least : float
            Weight that a rise needs; a fall needs 1.3 times as much.
        """
        more, less = max(self), min(self)
        if not more:
            return "none"
        if more < least:
            return "unclear"
        if self.up >= up_from * sum(self):
            return "up"
        if self.down >= down_from * sum(self):
            return "down" if self.down >= 1.3 * least else "unclear"
        return "mixed" if less >= max(1.0, 0.35 * more) else "unclear"


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
    grouped: dict[str, list[Move]] = {}
    for move in moves:
        grouped.setdefault(move.shown.surface, []).append(move)
    before, after = ({row.surface for row in side if _is_practice(row)} for side in findings)
    stated = [list(side) for side in findings]
    balances = {}
    for surface, moved in grouped.items():
        alone = surface in before and all(move.step <= 0 for move in moved)
        up, down = (
            sum(
                _trusted(move, stated[0], alone=alone) * _SIZES.get(abs(move.step), 1.5)
                for move in moved
                if move.step * sign > 0
            )
            for sign in (1, -1)
        )
        balances[surface] = Balance(up + (_FIRST_PRACTICE if surface in after - before else 0.0), down)
    return balances


def _is_practice(finding: ClauseFinding) -> bool:
    """Say whether a finding states a practice that raises the risk."""
    return finding.polarity == "raises_risk" and finding.scope.product is None


def _trusted(move: Move, stated: Sequence[ClauseFinding], *, alone: bool) -> float:
    """Return how far a move is trusted to show what changed.

    A way out that moves alone, beside a practice, decides. A clause that names nothing which the earlier text did not state
    weighs little.
    """
    trust = 1.0 if move.shown.confidence >= FINDING_FROM else _LEAD
    if move.kind == "rewritten":
        return trust * _REWRITTEN
    if not alone and _qualifies(move):
        trust *= _QUALIFIES
    if move.kind == "added":
        return trust * (_STATED if covered(move.shown, stated) else 1.0)
    return trust * (_DELETED_PRACTICE if move.shown.polarity == "raises_risk" else _DELETED_PROMISE)


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
    order = sorted(known, key=lambda name: (-WEIGHTS[name] * min(_MOST, max(known[name])), name))
    return {name: known[name].direction(0.7, 0.85, 0.75) for name in order}


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
        `up` or `down` where the surfaces agree or one side outweighs the other, by 0.6 or 0.8 of the whole, each surface
        counted by the root of its weight, and a surface goes there; else `mixed`, `unclear` or `none`.
    """
    parts = [[WEIGHTS[name] ** 0.5 * min(_MOST, side) for side in balances.get(name, Balance())] for name in directions]
    whole = Balance(*map(sum, zip(*parts, strict=True))).direction(0.6, 0.8, 0.8) if parts else "none"
    return "unclear" if whole in ("up", "down") and whole not in directions.values() else whole


def _qualifies(move: Move) -> bool:
    """Say whether a move only limits a practice: a way out, or a promise under a condition."""
    finding = move.shown
    return (
        move.kind != "rewritten"
        and finding.polarity == "mitigates_risk"
        and (
            finding.stance in _WAYS_OUT
            or "way out" in particulars(finding)
            or finding.roles.condition is not None
            or bool(_CONDITION.match(finding.quote))
        )
    )
