"""What moved findings do to the risk: the weight of each, and where each surface goes.

Practices and promises decide. What only qualifies a practice (a way out, a promise under a condition) comes and goes
with it, and decides where nothing else moved. Between moves that lead both ways the whole document decides: whether
it tells a practice that it did not tell before, and what it answers on training use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from riskanalytics.extraction.align import leaning, longer
from riskanalytics.extraction.assess import WEIGHTS, assess
from riskanalytics.extraction.particulars import particulars
from riskanalytics.extraction.records import ClauseFinding, DocumentReading, Move, Reading
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS

_WEIGHT: Final = {"HIGH": 3, "MED": 2, "LOW": 1}
_EXPOSURE: Final = {
    "does_not_train": 0, "trains_with_opt_in": 0, "depends_on_plan": 1, "trains_with_opt_out": 1, "trains_by_default": 2,
}  # fmt: skip
_WAYS_OUT: Final = ("trains_with_opt_out", "trains_with_opt_in", "depends_on_plan")
_CONDITION: Final = re.compile(
    r"\W*(?:if|upon|when|where|once|subject to|following|unless|for users|如果|若|当)\b", re.IGNORECASE
)


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
        The difference of their effects; where there is none, 1, 0 or -1 by the words that differ.
    """
    if difference := effect(after) - effect(before):
        return difference
    if (sign := SURFACE_DESCRIPTIONS[after.surface].longer_is) and (grown := longer(*words)):
        return sign * grown
    return leaning(*words, protective=after.polarity == "mitigates_risk")


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


def directions_of(moves: Sequence[Move], findings: Sequence[Iterable[ClauseFinding]] = ()) -> dict[str, str]:
    """Return where the risk goes on each surface that moved, the weightiest surface first.

    Parameters
    ----------
    moves : sequence of Move
    findings : sequence of iterable of ClauseFinding, optional
        All findings of the earlier and of the later text: what they answer on training use decides where moves do not.

    Returns
    -------
    dict of str to str
        `up`, `down`, `mixed` or `none`.
    """
    by_surface: dict[str, list[Move]] = {}
    for move in moves:
        by_surface.setdefault(move.shown.surface, []).append(move)
    order = sorted(by_surface, key=lambda name: (name != "training_use", -len(by_surface[name]), name))
    told = {name: _direction(by_surface[name]) for name in order}
    for name in [name for name, direction in told.items() if direction == "mixed" and findings]:
        before, after = ([row for row in side if row.surface == name] for side in findings)
        told[name] = _on_the_whole(before, after)
    return told


def _direction(moves: Sequence[Move]) -> str:
    """Say where one surface goes."""
    left = _unreplaced(moves)
    substance = [move.step for move in left if not _qualifies(move)]
    return _sum(substance) if any(substance) else _sum([move.step for move in left])


def _unreplaced(moves: Sequence[Move]) -> list[Move]:
    """Leave out findings that came for one that went and that is read in just the same way."""
    went, came = (Counter(_reading(move) for move in moves if move.kind == kind) for kind in ("removed", "added"))
    over = Counter(
        {(kind, *reading): count for reading, count in (went & came).items() for kind in ("removed", "added")}
    )
    left = []
    for move in moves:
        key = (move.kind, *_reading(move))
        if over[key] > 0:
            over[key] -= 1
        else:
            left.append(move)
    return left


def _reading(move: Move) -> tuple[str, str]:
    """Give what a finding is read as."""
    return move.shown.rule, move.shown.polarity


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


def _sum(steps: Sequence[int]) -> str:
    """Say where steps lead together; both ways needs weight on either side."""
    up, down = sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0)
    if not up and not down:
        return "none"
    if 2 * min(up, down) > max(up, down):
        return "mixed"
    return "up" if up > down else "down"


def _on_the_whole(before: Sequence[ClauseFinding], after: Sequence[ClauseFinding]) -> str:
    """Say where all findings of a surface lead: to a practice that is new, or to another answer on training use.

    A practice that is told no more leads nowhere by itself: its limits are told no more either.
    """
    practised, practises = (any(row.polarity == "raises_risk" for row in side) for side in (before, after))
    if practises and not practised:
        return "up"
    first, second = (_EXPOSURE.get(_stance(side)) for side in (before, after))
    if first is None or second is None or first == second:
        return "mixed"
    return "up" if second > first else "down"


def _stance(findings: Sequence[ClauseFinding]) -> str:
    """Return the answer on training use that a document gives."""
    return assess((DocumentReading("", "", "", Reading(tuple(findings))),)).stance
