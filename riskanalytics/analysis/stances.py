"""Training use: the clauses behind each stance by audience, and how the stances moved over time."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.shape import instant, is_missing, items_of, level_of, records, shaped, share, word_of
from riskanalytics.analysis.training import CLAUSE_COLUMNS, SHARE_COLUMNS, stance_order, wilson_interval
from riskanalytics.frames import TIME
from riskanalytics.models import STANCES, audience_of_document

SIDE_COLUMNS: Final = {"slug": "str", "name": "str", "audience": "str", "stance": "str", **CLAUSE_COLUMNS}
STANCE_HISTORY_COLUMNS: Final = {
    "date": TIME,
    **{name: kind for name, kind in SHARE_COLUMNS.items() if name != "audience"},
}
STANCE_CHANGE_COLUMNS: Final = {
    "change_id": "str",
    "slug": "str",
    "name": "str",
    "document": "str",
    "reviewed_at": TIME,
    "stance_before": "str",
    "stance_after": "str",
    "direction": "str",
    "added": "object",
    "removed": "object",
    "altered": "object",
    "cause": "object",
}
STANCE_MOVE_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "stance_before": "str",
    "stance_after": "str",
    "direction": "str",
    "steps": "Int64",
    "first_at": TIME,
    "last_at": TIME,
}
STANCE_DIRECTIONS: Final = ("more", "by_plan", "not_by_plan", "silent", "answered", "unclear", "less", "back")
"""Where a stance went, in the order in which pages show it: more training, to a split by plan, away from one, to
silence, out of it, to or from a stance that is undetermined or never seen, less training, and back to where it was."""

_EXPOSED: Final = ("trains_by_default", "trains_with_opt_out", "trains_with_opt_in", "does_not_train")
_LISTS: Final = ("added", "removed", "altered", "cause")

Moment = str | date


def training_clauses(
    training_use: pd.DataFrame, findings: pd.DataFrame, leads: pd.DataFrame | None = None
) -> pd.DataFrame:
    """List the clauses that decide each platform's stance, or leave it open, for consumers and for business users.

    A clause belongs to business users where it, or the name of its document, limits itself to them or to
    developers; else to consumers, that is to everybody. Where only one of the stances is known, all of
    the clauses belong to it.

    Parameters
    ----------
    training_use : pandas.DataFrame
        `slug`, `name`, `stance`, `consumer_stance`, `business_stance`, `decided_by`.
    findings : pandas.DataFrame
        Clauses with `slug`, `finding_id`, `risk`, `quote`, `audience` and their provenance.
    leads : pandas.DataFrame, optional
        The same of clauses that are no findings; a stance that is undetermined may name some. They have no level.

    Returns
    -------
    pandas.DataFrame
        One row per platform, audience and clause: `slug`, `name`, `audience` (`consumer`, `business`),
        `stance` str, then of the clause `finding_id`, `quote`, `risk` str, `clause_level` category,
        `document` str, `captured_at` time, `snapshot_sha256`, `archive_url` str, `start`, `end` Int64,
        `verification_status` str. By slug; of a platform consumers first, then as the service names the
        clauses.
    """
    unsure = [] if leads is None else records(leads, "training_clauses", "slug", "finding_id", "quote")
    by_id = {
        (row["slug"], row["finding_id"]): row
        for row in (
            *({**row, "risk": None} for row in unsure),
            *records(findings, "training_clauses", "slug", "finding_id", "risk", "quote"),
        )
    }
    rows = []
    needed = ("slug", "consumer_stance", "business_stance", "decided_by")
    for answer in sorted(records(training_use, "training_clauses", *needed), key=_slug):
        named = [by_id.get((answer["slug"], item)) for item in items_of(answer["decided_by"])]
        sides = [_side(answer, clause) for clause in named if clause is not None]
        rows += sorted(sides, key=_consumers_first)
    return shaped(rows, SIDE_COLUMNS)


def _slug(row: Mapping[str, Any]) -> str:
    return str(row["slug"])


def _consumers_first(side: Mapping[str, Any]) -> bool:
    return bool(side["audience"] != "consumer")


def _side(answer: Mapping[str, Any], clause: Mapping[str, Any]) -> dict[str, Any]:
    stances = {key: answer[f"{key}_stance"] for key in ("consumer", "business")}
    known = [key for key, stance in stances.items() if not is_missing(stance)]
    audience = known[0] if len(known) == 1 else _audience(clause)
    return {key: clause.get(key) for key in CLAUSE_COLUMNS} | {
        "slug": answer["slug"],
        "name": word_of(answer.get("name")) or answer["slug"],
        "audience": audience,
        "stance": stances[audience] if known else answer.get("stance"),
        "clause_level": level_of(clause["risk"]),
    }


def _audience(clause: Mapping[str, Any]) -> str:
    """Return whom a clause speaks to: business users by its own words or by its document's name, else consumers."""
    said = word_of(clause.get("audience"))
    if said:
        return "business" if said in ("business", "developer") else "consumer"
    return "business" if audience_of_document(word_of(clause.get("document"))) == "business" else "consumer"


def stance_history(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, as_of: Moment
) -> pd.DataFrame:
    """Count the stances at the ends of months, with their shares and 95 % intervals.

    Only the platforms tracked at the first date count, so that a share moves because platforms did, not because
    others joined. Today's stances are played backwards through the change feed: at a date a platform has the
    stance from which its next change led away.

    Parameters
    ----------
    history : pandas.DataFrame
        `slug`, `date`, `known`: which platforms were tracked when.
    training_use : pandas.DataFrame
        `slug`, `stance` at `as_of`.
    changes : pandas.DataFrame
        `slug`, `reviewed_at`, `stance_before`, of every class, none left out between the first date and `as_of`.
    as_of : date or str
        Day that `training_use` speaks of; later dates of the history are shown as this day.

    Returns
    -------
    pandas.DataFrame
        `date` time, `stance` str, `platforms`, `total` Int64 (platforms whose stance at that date is
        known: the denominator), `unknown` Int64, `share`, `low`, `high` Float64 0..1, missing where total
        is 0 (Wilson's interval, see `stance_shares`). Every date has every stance of `models.STANCES`, then
        stances never seen, by word.
    """
    current = {row["slug"]: row["stance"] for row in records(training_use, "stance_history", "slug", "stance")}
    feed: dict[Any, list[tuple[pd.Timestamp, Any]]] = {}
    for row in _dated(changes, "stance_history", "slug", "reviewed_at", "stance_before"):
        feed.setdefault(row["slug"], []).append((row["reviewed_at"], row["stance_before"]))
    last = instant(as_of)
    by_date: dict[pd.Timestamp, list[str]] = {}
    listed = records(history, "stance_history", "slug", "date", "known")
    first = min((row["date"] for row in listed), default=None)
    counted = {row["slug"] for row in listed if row["date"] == first}
    for row in (row for row in listed if row["slug"] in counted):
        day = min(row["date"], last)
        known = row["known"] is True
        stance = _stance_at(day, feed.get(row["slug"], []), current.get(row["slug"])) if known else None
        by_date.setdefault(day, []).append(word_of(stance))
    occurring = {stance for stances in by_date.values() for stance in stances} - {""}
    order = sorted({*STANCES, *occurring}, key=stance_order)
    rows = [row for day in sorted(by_date) for row in _counted(day, Counter(by_date[day]), order)]
    return shaped(rows, STANCE_HISTORY_COLUMNS)


def _dated(changes: pd.DataFrame, what: str, *columns: str) -> list[dict[str, Any]]:
    """Return changes with a date, oldest first."""
    rows = [row for row in records(changes, what, *columns) if not is_missing(row["reviewed_at"])]
    return sorted(rows, key=_moment)


def _moment(row: Mapping[str, Any]) -> tuple[Any, str]:
    return (row["reviewed_at"], word_of(row.get("change_id")))


def _stance_at(day: pd.Timestamp, feed: list[tuple[pd.Timestamp, Any]], current: object) -> object:
    """Return the stance at the end of a day: where the first change after it led away from, else today's."""
    place = bisect_right([moment for moment, _ in feed], day.normalize() + pd.Timedelta(days=1, microseconds=-1))
    return feed[place][1] if place < len(feed) else current


def _counted(day: pd.Timestamp, counts: Counter[str], order: list[str]) -> Iterable[dict[str, Any]]:
    unknown = counts.pop("", 0)
    total = counts.total()
    for stance in order:
        low, high = wilson_interval(counts[stance], total) if total else (None, None)
        yield {
            "date": day,
            "stance": stance,
            "platforms": counts[stance],
            "total": total,
            "unknown": unknown,
            "share": share(counts[stance], total),
            "low": low,
            "high": high,
        }


def stance_changes(changes: pd.DataFrame, since: Moment, until: Moment) -> pd.DataFrame:
    """List the changes that moved a stance on training use, with their training clauses only.

    Documents of a platform that changed at the same moment are one change.

    Parameters
    ----------
    changes : pandas.DataFrame
        Changes of every class: a stance may also go back with a `revert`.
    since, until : date or str
        Half-open period [since, until) in UTC.

    Returns
    -------
    pandas.DataFrame
        `change_id`, `slug`, `name`, `document` str (several joined by a comma), `reviewed_at` time,
        `stance_before`, `stance_after`, `direction` str (`STANCE_DIRECTIONS`), and the lists `added`,
        `removed`, `altered` (of these what speaks to training use) and `cause`. Newest first, then by name.
    """
    first, last = instant(since), instant(until)
    found: dict[Any, dict[str, Any]] = {}
    for row in _dated(changes, "stance_changes", "slug", "reviewed_at", "stance_before", "stance_after", *_LISTS):
        before, after = word_of(row["stance_before"]), word_of(row["stance_after"])
        if before and after and before != after and first <= row["reviewed_at"] < last:
            key = (row["slug"], row["reviewed_at"], before, after)
            found[key] = _joined(found.get(key), row)
    rows = sorted(found.values(), key=_name)
    rows.sort(key=_when, reverse=True)
    return shaped(rows, STANCE_CHANGE_COLUMNS)


def _name(row: Mapping[str, Any]) -> tuple[str, Any]:
    return (str(row["name"]).casefold(), row["slug"])


def _when(row: Mapping[str, Any]) -> Any:
    return row["reviewed_at"]


def _joined(other: dict[str, Any] | None, row: dict[str, Any]) -> dict[str, Any]:
    """Return a change with its training clauses, after another document's of the same moment."""
    lists = {key: [item for item in items_of(row[key]) if key == "cause" or _on_training(item)] for key in _LISTS}
    if other is not None:
        names = dict.fromkeys([other["document"], word_of(row.get("document"))])
        return other | {key: other[key] + lists[key] for key in _LISTS} | {"document": ", ".join(filter(None, names))}
    return {key: row.get(key) for key in STANCE_CHANGE_COLUMNS} | {
        **lists,
        "name": word_of(row.get("name")) or row["slug"],
        "document": word_of(row.get("document")),
        "direction": stance_direction(row["stance_before"], row["stance_after"]),
    }


def _on_training(item: object) -> bool:
    return isinstance(item, Mapping) and item.get("surface") == "training_use"


def stance_direction(before: object, after: object) -> str:
    """Return where a stance went, one of `STANCE_DIRECTIONS`; `back` where it stayed what it was."""
    pair = (word_of(before), word_of(after))
    if pair[0] == pair[1]:
        return "back"
    if all(stance in _EXPOSED for stance in pair):
        return "more" if _EXPOSED.index(pair[1]) < _EXPOSED.index(pair[0]) else "less"
    if "undetermined" in pair or not all(stance in STANCES for stance in pair):
        return "unclear"
    if "silent" in pair:
        return "silent" if pair[1] == "silent" else "answered"
    return "by_plan" if pair[1] == "depends_on_plan" else "not_by_plan"


def stance_moves(stance_changes: pd.DataFrame) -> pd.DataFrame:
    """Sum the changes of each platform's stance up, from what it was to what it became.

    Parameters
    ----------
    stance_changes : pandas.DataFrame
        What `stance_changes` returned.

    Returns
    -------
    pandas.DataFrame
        One row per platform: `slug`, `name`, `stance_before` (before its first change), `stance_after` (after
        its last), `direction` str (`back` where both are the same), `steps` Int64 (changes), `first_at`, `last_at`
        time. In the order of `STANCE_DIRECTIONS`, then the latest first.
    """
    by_slug: dict[Any, list[dict[str, Any]]] = {}
    for row in _dated(stance_changes, "stance_moves", "slug", "name", "reviewed_at", "stance_before", "stance_after"):
        by_slug.setdefault(row["slug"], []).append(row)
    rows = [
        {
            "slug": slug,
            "name": steps[-1]["name"],
            "stance_before": steps[0]["stance_before"],
            "stance_after": steps[-1]["stance_after"],
            "direction": stance_direction(steps[0]["stance_before"], steps[-1]["stance_after"]),
            "steps": len(steps),
            "first_at": steps[0]["reviewed_at"],
            "last_at": steps[-1]["reviewed_at"],
        }
        for slug, steps in by_slug.items()
    ]
    rows.sort(key=_name)
    rows.sort(key=_last, reverse=True)
    rows.sort(key=_direction)
    return shaped(rows, STANCE_MOVE_COLUMNS)


def _last(row: Mapping[str, Any]) -> Any:
    return row["last_at"]


def _direction(row: Mapping[str, Any]) -> int:
    return STANCE_DIRECTIONS.index(row["direction"])
