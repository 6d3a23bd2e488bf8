"""Which findings are the cause of a change, and what of the platform they moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from riskanalytics.extraction import Assessment, ClauseFinding, Comparison, Move, without
from riskanalytics.models import RATINGS
from riskanalytics.service.review.rows import Capture, Step
from riskanalytics.service.store.records import Json

MOST_QUOTED: Final = 40
"""Findings that a change names on either side at most, the weightiest first."""
_DIRECTIONS: Final = {0: "none", 1: "up", -1: "down"}


def causes_of(slug: str, step: Step, last: Assessment, now: Assessment) -> list[Json]:
    """Return the findings that make a change: those that moved rating or stance, then by weight of surface and finding.

    Parameters
    ----------
    slug : str
    step : Step
        With its comparison.
    last, now : Assessment
        The platform before and after.

    Returns
    -------
    list of dict
        `finding`, `rule`, `surface`, `kind` (`added`, `removed`, `rewritten`), `before`, `after` (ids), `effect`,
        `direction` and `moved`: `rating`, `stance` and `level of <surface>` where they moved at that instant.
    """
    comparison, before = step.comparison, step.before
    if comparison is None or before is None:
        return []
    levels = _levels_moved(last, now)
    causes = []
    for move in comparison.moves[:MOST_QUOTED]:
        former, later = _id(slug, before, move.before), _id(slug, step.capture, move.after)
        causes.append(
            {
                "finding": later or former,
                "rule": move.shown.rule,
                "surface": move.shown.surface,
                "kind": move.kind,
                "before": former,
                "after": later,
                "effect": move.shown.polarity,
                "direction": _DIRECTIONS[_sign(move.step)],
                "moved": _moved(move, comparison, levels, last, now),
            }
        )
    places = {surface: place for place, surface in enumerate(comparison.surfaces)}
    whole = comparison.direction
    return sorted(
        causes,
        key=lambda cause: (
            whole in ("up", "down") and cause["direction"] != whole,  # what decides the heading comes first
            -_of_platform(cause["moved"]),
            places[cause["surface"]],
            not cause["moved"],
        ),
    )


def _of_platform(moved: Sequence[str]) -> int:
    """Count what of the whole platform is among what moved."""
    return ("rating" in moved) + ("stance" in moved)


def _sign(number: float) -> int:
    """1 above zero, -1 below it, 0 at it."""
    return (number > 0) - (number < 0)


def _id(slug: str, capture: Capture, finding: ClauseFinding | None) -> str | None:
    """Public identifier of a side of a move; None where it has none."""
    return None if finding is None else capture.public_id(slug, finding.surface, (finding.start, finding.end))


def _levels_moved(last: Assessment, now: Assessment) -> dict[str, int]:
    """Give the surfaces whose level moved, and where to: 1 up, -1 down, 0 to or from no level."""
    before, after = ({row.surface: row.risk for row in state.surfaces} for state in (last, now))
    return {name: _sense(before.get(name), after[name]) for name in after if before.get(name) != after[name]}


def _sense(before: str | None, after: str | None) -> int:
    """1 where a level rose, -1 where it fell, 0 where it came, went or is not known."""
    if before not in RATINGS or after not in RATINGS:
        return 0
    return _sign(RATINGS.index(after) - RATINGS.index(before))


def _moved(move: Move, comparison: Comparison, levels: dict[str, int], last: Assessment, now: Assessment) -> list[str]:
    """Say what of the platform a finding moved: only where it leads to where that went."""
    surface = move.shown.surface
    rating = _sense(last.rating, now.rating)
    moved = []
    if surface in levels and _leads(move, levels[surface], comparison):
        moved.append(f"level of {surface}")
        sense = levels[surface] or _sign(move.step)
        if last.rating != now.rating and rating in (0, sense):
            moved.append("rating")
    if surface == "training_use" and last.stance != now.stance and move.shown.stance is not None:
        moved.append("stance")
    return moved


def _leads(move: Move, sense: int, comparison: Comparison) -> bool:
    """Say whether a finding leads to where its surface went; where none of them does, all that weigh."""
    same = [other for other in comparison.moves if other.shown.surface == move.shown.surface]
    outweighed = bool(move.step) and not any(other.step * sense > 0 for other in same)
    return not sense or move.step * sense > 0 or outweighed


def without_moved(steps: Sequence[Step]) -> list[Step]:
    """Leave out findings that only went from one document of a platform to another at the same instant.

    Parameters
    ----------
    steps : sequence of Step
        All of one instant.

    Returns
    -------
    list of Step
        With comparisons that do not count them.
    """
    moves = [move for step in steps if step.comparison is not None for move in step.comparison.moves]
    both = {_words(move) for move in moves if move.kind == "removed"} & {
        _words(move) for move in moves if move.kind == "added"
    }
    if not both:
        return list(steps)
    left = [step.comparison and without(step.comparison, lambda move: _words(move) in both) for step in steps]
    return [replace(step, comparison=comparison) for step, comparison in zip(steps, left, strict=True)]


def _words(move: Move) -> tuple[str, str]:
    """Give surface and words of a finding."""
    return move.shown.surface, " ".join(move.shown.quote.split())
