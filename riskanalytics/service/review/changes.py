"""What a review writes: the state of a platform from one instant on, and the causes of a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection, insert

from riskanalytics.extraction import READ_LANGUAGES, Assessment, ClauseFinding, Comparison, Move, Reading, without
from riskanalytics.models import RATINGS
from riskanalytics.service.store.records import Json, Row, as_json, public_id
from riskanalytics.service.store.schema import STATE

MOST_QUOTED: Final = 40
"""Findings that a change names on either side at most, the weightiest first."""
_DIRECTIONS: Final = {0: "none", 1: "up", -1: "down"}


@dataclass(slots=True)
class Document:
    """One document while its history is walked."""

    good: Row | None = None
    newest: Row | None = None
    reading: Reading | None = None


@dataclass(slots=True)
class Step:
    """A capture, the good one before it, and the difference between the two."""

    capture: Row
    before: Row | None
    comparison: Comparison | None


def document_row(document: Document) -> Json:
    """Return one document as the wire shows it: the last good text, and whether the newest capture was good."""
    newest = document.newest
    assert newest is not None  # noqa: S101 (a document has a capture)
    good, language = document.good, None if document.reading is None else document.reading.language
    stale = good is not None and newest["state"] != "good"
    shown = good or newest
    return {
        **{name: shown[name] for name in ("document", "captured_at", "snapshot_sha256")},
        "state": "stale" if stale else newest["state"],
        "check": newest["check"],
        **{name: shown[name] for name in ("archive_url", "document_url")},
        "newest_capture_at": newest["captured_at"],
        "language": language,
        "read": language in READ_LANGUAGES,
    }


def _verification(documents: Sequence[Json]) -> str:
    """Return the verification of a platform (DESIGN section 6) from the states of its documents."""
    states = [row["state"] for row in documents]
    if not any(row["read"] for row in documents):
        return "unverified"
    if "stale" in states:
        return "stale"
    return "verified" if all(row["state"] == "good" and row["read"] for row in documents) else "partial"


def write_state(
    connection: Connection, platform: int, at: str, assessment: Assessment, documents: Sequence[Json] = (),
    decided_by: Mapping[str, list[str]] = MappingProxyType({}), stance_decided_by: Sequence[str] = (),
) -> None:  # fmt: skip
    """Write what a platform is from an instant on.

    Parameters
    ----------
    connection : Connection
        With a transaction open.
    platform : int
        Row.
    at : str
        ISO 8601 UTC.
    assessment : Assessment
    documents : sequence of dict
        What `document_row` gave.
    decided_by : mapping of str to list of str
        Surface -> public identifiers of the findings that decided it.
    stance_decided_by : sequence of str
        The same of the stance.
    """
    surfaces = {
        surface.surface: {
            name: decided_by.get(surface.surface, []) if name == "decided_by" else getattr(surface, name)
            for name in ("count", "risk", "decided_by", "explanation", "state", "to_read")
        }
        for surface in assessment.surfaces
    }
    names = ("rating", "risk_reason", "stance", "consumer_stance", "business_stance", "citation_count")
    packed = {
        "stance_decided_by": stance_decided_by, "surfaces": surfaces, "rules": assessment.rules, "documents": documents
    }  # fmt: skip
    row = {name: getattr(assessment, name) for name in names} | {name: as_json(value) for name, value in packed.items()}
    row |= {"platform_id": platform, "valid_from": at, "verification": _verification(documents)}
    connection.execute(insert(STATE), row)


def causes_of(slug: str, step: Step, last: Assessment, now: Assessment) -> list[Json]:
    """Return the findings that make a change: those that moved rating or stance, then by weight of surface and finding.

    Parameters
    ----------
    slug : str
    step : Step
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
    causes = []
    for move in comparison.moves[:MOST_QUOTED]:
        former, later = _id(slug, before, move.before), _id(slug, step.capture, move.after)
        cause = {
            "finding": later or former, "rule": move.shown.rule, "surface": move.shown.surface, "kind": move.kind,
            "before": former, "after": later, "effect": move.shown.polarity,
            "direction": _DIRECTIONS[_sign(move.step)], "moved": _moved(move, comparison, last, now),
        }  # fmt: skip
        causes.append(cause)
    places = {surface: place for place, surface in enumerate(comparison.surfaces)}
    whole = comparison.direction
    return sorted(
        causes,
        key=lambda cause: (
            whole in ("up", "down") and cause["direction"] != whole,  # what decides the heading comes first
            -("rating" in cause["moved"]) - ("stance" in cause["moved"]),
            places[cause["surface"]],
            not cause["moved"],
        ),
    )


def _sign(number: float) -> int:
    """Return 1 above zero, -1 below it, 0 at it."""
    return (number > 0) - (number < 0)


def _id(slug: str, capture: Row, finding: ClauseFinding | None) -> str | None:
    """Return the public identifier of a side of a move."""
    return None if finding is None else public_id(slug, finding._asdict(), capture)


def _sense(before: str | None, after: str | None) -> int:
    """Return 1 where a level rose, -1 where it fell, 0 where it came, went or is not known."""
    if before not in RATINGS or after not in RATINGS:
        return 0
    return _sign(RATINGS.index(after) - RATINGS.index(before))


def _moved(move: Move, comparison: Comparison, last: Assessment, now: Assessment) -> list[str]:
    """Return what of the platform a finding moved: only where it leads to where that went."""
    surface = move.shown.surface
    before, after = ({row.surface: row.risk for row in state.surfaces} for state in (last, now))
    level = _sense(before.get(surface), after.get(surface))
    moved = []
    if before.get(surface) != after.get(surface) and _leads(move, level, comparison):
        moved.append(f"level of {surface}")
        if last.rating != now.rating and _sense(last.rating, now.rating) in (0, level or _sign(move.step)):
            moved.append("rating")
    if surface == "training_use" and last.stance != now.stance and move.shown.stance is not None:
        moved.append("stance")
    return moved


def _leads(move: Move, sense: int, comparison: Comparison) -> bool:
    """Return whether a finding leads to where its surface went; where none of them does, all that weigh."""
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
    gone, new = ({_words(move) for move in moves if move.kind == kind} for kind in ("removed", "added"))
    if not gone & new:
        return list(steps)
    return [
        replace(step, comparison=step.comparison and without(step.comparison, lambda move: _words(move) in gone & new))
        for step in steps
    ]


def _words(move: Move) -> tuple[str, str]:
    """Return surface and words of a finding."""
    return move.shown.surface, " ".join(move.shown.quote.split())
