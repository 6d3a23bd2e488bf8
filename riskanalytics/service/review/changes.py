"""The rows that a review writes: states of a platform, and causes of changes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy import Connection, insert

from riskanalytics.extraction import Assessment, Comparison, FindingKey, Move, Reading, without
from riskanalytics.extraction.stance import UNDETERMINED
from riskanalytics.models import RATINGS, records

from ..store.records import Json, Row, as_json, public_id
from ..store.schema import STATE

_TRAINING: Final = "training_use"
MOST_QUOTED: Final = 40
"""Maximum number of findings in each list of a change (added, removed, causes); the most important are kept."""


@dataclass(slots=True)
class Document:
    """A document during a review: its last good capture, the findings and leads of that capture, and its newest capture."""

    good: Row = field(default_factory=dict)
    newest: Row = field(default_factory=dict)
    reading: Reading | None = None


@dataclass(slots=True)
class Step:
    """A capture of a document, the last good capture before it, and the comparison of the two."""

    capture: Row
    before: Row
    comparison: Comparison


def document_row(document: Document) -> Json:
    """Return a document as responses show it: its last good capture, and the state of its newest capture.

    Parameters
    ----------
    document : Document
        If it has no good capture, its newest capture is shown.
    """
    good, newest, reading = document.good, document.newest, document.reading
    return records.Document.part_of(good or newest) | {
        "state": "stale" if good and newest["state"] != "good" else newest["state"],
        "check": newest["check"],
        "newest_capture_at": newest["captured_at"],
        "language": reading and reading.language,
        "read": reading is not None and reading.is_read,
    }


def _verification(documents: Sequence[Json]) -> str:
    """Return the verification tier of a platform from the states of its documents."""
    states = {row["state"] for row in documents}
    if not any(row["read"] for row in documents):
        return "unverified"
    if "stale" in states:
        return "stale"
    return "verified" if states == {"good"} and all(row["read"] for row in documents) else "partial"


def write_state(
    connection: Connection, platform: int, at: str, assessment: Assessment, documents: Sequence[Json] = (),
    ids: Callable[[Iterable[FindingKey]], list[str]] = lambda _: [],
) -> None:  # fmt: skip
    """Write the state that a platform has from a given time on.

    Parameters
    ----------
    connection : Connection
        Connection with an open transaction.
    platform : int
        Row id of the platform.
    at : str
        Start of the state, ISO 8601 UTC.
    assessment : Assessment
        Rating, surface levels and stances of the platform.
    documents : sequence of dict
        Documents of the platform, from `document_row`.
    ids : callable
        Function that takes keys of findings and returns their public identifiers. The state stores the identifiers of the
        findings that decided its levels and stance. By default none are stored.
    """
    surfaces = {
        one.surface: {name: getattr(one, name) for name in records.SurfaceLevel.model_fields}
        | {"decided_by": ids((*key, one.surface) for key in one.decided_by)}
        for one in assessment.surfaces
    }
    by = ids((*key, "training_use") for key in assessment.stance_decided_by)
    packed = {"stance_decided_by": by, "surfaces": surfaces, "rules": assessment.rules, "documents": documents}
    row: Json = {column.name: getattr(assessment, column.name, None) for column in STATE.columns}
    row |= {"platform_id": platform, "valid_from": at, "verification": _verification(documents)}
    connection.execute(insert(STATE), row | {name: as_json(value) for name, value in packed.items()})


def causes_of(slug: str, step: Step, last: Assessment, now: Assessment) -> list[Json]:
    """Return the findings that caused a change of a document, at most `MOST_QUOTED` (40) for one change.

    If the change as a whole raises the risk, findings that raise it come first; if it lowers the risk, findings that lower it.
    Within these groups, or among all findings if it does neither, those that changed the rating or the stance come first.

    Parameters
    ----------
    slug : str
        Slug of the platform.
    step : Step
        The change: a capture, the good capture before it, and their comparison.
    last, now : Assessment
        Assessment of the platform before and after the change.

    Returns
    -------
    list of dict
        `finding` (its id), `rule`, `surface`, `kind` (`added`, `removed`, `rewritten`), `before` (its id in
        the old text, or None) and `after` (its id in the new text, or None), `effect` (polarity), `direction` (of the risk:
        `up`, `down`, `none`) and `moved`, a list of what this finding changed: `rating`, `stance`, `level of <surface>`.
    """
    comparison, causes = step.comparison, []
    for move in comparison.moves[:MOST_QUOTED]:
        former, later = (
            finding and public_id(slug, finding._asdict(), capture)
            for finding, capture in ((move.before, step.before), (move.after, step.capture))
        )
        cause = {
            "finding": later or former, "rule": move.shown.rule, "surface": move.shown.surface, "kind": move.kind,
            "before": former, "after": later, "effect": move.shown.polarity,
            "direction": ("none", "up", "down")[_sign(move.step)], "moved": _moved(move, comparison, last, now),
        }  # fmt: skip
        causes.append(cause)
    whole = comparison.direction
    return sorted(
        causes,
        key=lambda cause: (
            # causes in the overall direction come first
            whole in ("up", "down") and cause["direction"] != whole,
            -("rating" in cause["moved"]) - ("stance" in cause["moved"]),
            comparison.surfaces.index(cause["surface"]),
            not cause["moved"],
        ),
    )


def _sign(number: float) -> int:
    """Return the sign of a number: 1, -1 or 0."""
    return (number > 0) - (number < 0)


def _sense(before: str | None, after: str | None) -> int:
    """Return 1 if a level rose, -1 if it fell, 0 if it is equal or missing on either side."""
    known = before in RATINGS and after in RATINGS
    return _sign(RATINGS.index(after) - RATINGS.index(before)) if known else 0


def judged_once(last: Assessment, now: Assessment) -> bool:
    """Return whether a stance that readers (language models) decided came from, or became, `undetermined` in a change.

    The stance may then have moved only because the readers answered once, not because the text changed.

    Parameters
    ----------
    last, now : Assessment
        Assessment of the platform before and after the change.
    """
    by = [one.read_by for side in (last, now) for one in side.surfaces if one.surface == _TRAINING]
    return any(by) and UNDETERMINED in (last.stance, now.stance)


def rating_before(last: Assessment, now: Assessment) -> str:
    """Return the rating to report as the rating before a change.

    If readers decided the stance on one side of the change only (`judged_once`), and all other surfaces have the same level on
    both sides, this is the rating after the change, so that no move of the rating is reported. Otherwise it is the actual rating
    before the change.

    Parameters
    ----------
    last, now : Assessment
        Assessment of the platform before and after the change.
    """
    levels = [{one.surface: one.risk for one in side.surfaces if one.surface != _TRAINING} for side in (last, now)]
    return now.rating if judged_once(last, now) and levels[0] == levels[1] else last.rating


def _moved(move: Move, comparison: Comparison, last: Assessment, now: Assessment) -> list[str]:
    """Return what a finding moved (rating, stance or level), if its effect has the direction of the move."""
    surface = move.shown.surface
    if surface == _TRAINING and judged_once(last, now):
        return []
    before, after = (next((row.risk for row in one.surfaces if row.surface == surface), None) for one in (last, now))
    level, rating = _sense(before, after), rating_before(last, now)
    moved = []
    if before != after and _leads(move, level, comparison):
        moved.append(f"level of {surface}")
        if rating != now.rating and _sense(rating, now.rating) in (0, level or _sign(move.step)):
            moved.append("rating")
    if surface == _TRAINING and last.stance != now.stance and move.shown.stance is not None:
        moved.append("stance")
    return moved


def _leads(move: Move, sense: int, comparison: Comparison) -> bool:
    """Return whether a finding has the direction of its surface; if no finding has, all findings with a weight count."""
    same = [other.step * sense for other in comparison.moves if other.shown.surface == move.shown.surface]
    return not sense or move.step * sense > 0 or (bool(move.step) and max(same) <= 0)


def without_moved(steps: Sequence[Step]) -> list[Step]:
    """Remove from changes the findings that only moved from one document of a platform to another, and return the changes.

    Parameters
    ----------
    steps : sequence of Step
        All changes of the platform's documents at one time.

    Returns
    -------
    list of Step
        The same changes; their comparisons no longer contain these findings.
    """
    moves = [move for step in steps for move in step.comparison.moves]
    gone, new = ({_words(move) for move in moves if move.kind == kind} for kind in ("removed", "added"))
    both = gone & new
    return [replace(step, comparison=without(step.comparison, lambda move: _words(move) in both)) for step in steps]


def _words(move: Move) -> tuple[str, str]:
    """Return the surface and the normalised words of a finding."""
    return move.shown.surface, " ".join(move.shown.quote.split())
