"""Training use over time: the shares of the answers at the ends of months, and the platforms whose answer moved."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from datetime import date
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import TIME
from riskanalytics.models import STANCES
from riskanalytics.topics.shape import instant, is_missing, items_of, records, shaped, word_of
from riskanalytics.topics.training_use.analysis import SHARE_COLUMNS, shares_of, stances_in

__all__ = ["stance_changes", "stance_history", "stance_moves"]

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
Row = dict[str, Any]


def stance_history(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, as_of: Moment
) -> pd.DataFrame:
    """Count the platforms by stance on training use at the ends of months, with their shares and 95 % intervals.

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

    Examples
    --------
    >>> course = analysis.stance_history(data.history(24), data.training_use, data.changes(), data.day)
    >>> course.query("stance == 'silent'")[["date", "platforms", "total"]].iloc[[0, -1]]
                             date  platforms  total
    6   2024-10-31 00:00:00+00:00         25    260
    174 2026-10-31 00:00:00+00:00         24    260
    """
    by_date = _stances_by_date(history, training_use, changes, instant(as_of))
    order = stances_in(stance for stances in by_date.values() for stance in stances)
    rows = ({"date": day, **row} for day in sorted(by_date) for row in shares_of(by_date[day], order))
    return shaped(rows, STANCE_HISTORY_COLUMNS)


def _stances_by_date(
    history: pd.DataFrame, training_use: pd.DataFrame, changes: pd.DataFrame, last: pd.Timestamp
) -> dict[pd.Timestamp, list[str]]:
    """Return by date the stance of each platform tracked since the first date; empty where it is not known."""
    current = {row["slug"]: row["stance"] for row in records(training_use, "stance_history", "slug", "stance")}
    feed: dict[Any, list[tuple[pd.Timestamp, Any]]] = {}
    for row in _dated(changes, "stance_history", "stance_before"):
        feed.setdefault(row["slug"], []).append((row["reviewed_at"], row["stance_before"]))
    listed = records(history, "stance_history", "slug", "date", "known")
    first = min((row["date"] for row in listed), default=None)
    counted = {row["slug"] for row in listed if row["date"] == first}
    by_date: dict[pd.Timestamp, list[str]] = {}
    for row in listed:
        if row["slug"] in counted:
            slug, day = row["slug"], min(row["date"], last)
            stance = _stance_at(day, feed.get(slug, []), current.get(slug)) if row["known"] is True else None
            by_date.setdefault(day, []).append(word_of(stance))
    return by_date


def _dated(changes: pd.DataFrame, what: str, *columns: str) -> list[Row]:
    """Return changes with a date, oldest first."""
    rows = records(changes, what, "slug", "reviewed_at", *columns)
    dated = [row for row in rows if not is_missing(row["reviewed_at"])]
    return sorted(dated, key=lambda row: (row["reviewed_at"], word_of(row.get("change_id"))))


def _stance_at(day: pd.Timestamp, feed: list[tuple[pd.Timestamp, Any]], current: object) -> object:
    """Return the stance at the end of a day: where the first change after it led away from, else today's."""
    end = day.normalize() + pd.Timedelta(days=1, microseconds=-1)
    place = bisect_right([moment for moment, _ in feed], end)
    return feed[place][1] if place < len(feed) else current


def stance_changes(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """List the policy changes that moved a platform's stance on training use, with their training clauses only.

    Documents of a platform that changed at the same moment are one change.

    Parameters
    ----------
    changes : pandas.DataFrame
        Changes of every class: a stance may also go back with a `revert`.
    since, until : date or str, optional
        Half-open period [since, until) in UTC; without them all changes are listed.

    Returns
    -------
    pandas.DataFrame
        `change_id`, `slug`, `name`, `document` str (several joined by a comma), `reviewed_at` time,
        `stance_before`, `stance_after`, `direction` str (`STANCE_DIRECTIONS`), and the lists `added`,
        `removed`, `altered` (of these what speaks to training use) and `cause`. Newest first, then by name.

    Examples
    --------
    >>> changed = analysis.stance_changes(data.changes(), since="2026-10-01")
    >>> changed[["name", "stance_before", "stance_after", "direction"]]
                 name   stance_before        stance_after direction
    0  QuorfilixMusic  does_not_train  trains_with_opt_in      more
    """
    first = instant(since) if since is not None else pd.Timestamp.min.tz_localize("UTC")
    last = instant(until) if until is not None else pd.Timestamp.max.tz_localize("UTC")
    found: dict[Any, Row] = {}
    for row in _dated(changes, "stance_changes", "stance_before", "stance_after", *_LISTS):
        before, after = word_of(row["stance_before"]), word_of(row["stance_after"])
        if before and after and before != after and first <= row["reviewed_at"] < last:
            key = (row["slug"], row["reviewed_at"], before, after)
            found[key] = _joined(found.get(key), row)
    rows = sorted(found.values(), key=_by_name)
    rows.sort(key=lambda row: row["reviewed_at"], reverse=True)
    return shaped(rows, STANCE_CHANGE_COLUMNS)


def _by_name(row: Row) -> tuple[str, Any]:
    return (str(row["name"]).casefold(), row["slug"])


def _joined(other: Row | None, row: Row) -> Row:
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
    """Sum up how each platform's stance on training use moved, from before its first change to after its last.

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

    Examples
    --------
    >>> moves = analysis.stance_moves(analysis.stance_changes(data.changes()))
    >>> moves[["name", "stance_before", "stance_after", "direction"]].head(2)
                  name        stance_before        stance_after direction
    0   QuorfilixMusic       does_not_train  trains_with_opt_in      more
    1  Cordowick Draft  trains_with_opt_out   trains_by_default      more
    """
    by_slug: dict[Any, list[Row]] = {}
    for row in _dated(stance_changes, "stance_moves", "name", "stance_before", "stance_after"):
        by_slug.setdefault(row["slug"], []).append(row)
    rows = [_move(steps[0], steps[-1], len(steps)) for steps in by_slug.values()]
    rows.sort(key=_by_name)
    rows.sort(key=lambda row: row["last_at"], reverse=True)
    rows.sort(key=lambda row: STANCE_DIRECTIONS.index(row["direction"]))
    return shaped(rows, STANCE_MOVE_COLUMNS)


def _move(first: Row, last: Row, steps: int) -> Row:
    """Return the way from a platform's first change of stance to its last as one move."""
    before, after = first["stance_before"], last["stance_after"]
    return {
        "slug": last["slug"],
        "name": last["name"],
        "stance_before": before,
        "stance_after": after,
        "direction": stance_direction(before, after),
        "steps": steps,
        "first_at": first["reviewed_at"],
        "last_at": last["reviewed_at"],
    }
