"""Changes of policy documents: material ones with their clauses, others (noise), and counts by class, month and period."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Final

import pandas as pd

from riskanalytics.frames import TIME, rows_of
from riskanalytics.models import CHANGE_CLASSES

from .. import shape

__all__ = ["change_noise", "changes_by_month", "equal_periods", "material_changes"]

SIDES: Final = ("rating_before", "rating_after", "stance_before", "stance_after")
"""Columns of a platform's rating and stance before and after a change."""
LISTS: Final = ("added", "removed", "altered", "cause")
"""Columns of a change that contain lists of records."""
MATERIAL_COLUMNS: Final = shape.schema(
    "change_id slug name document:str reviewed_at:time surfaces:object direction:str directions:object "
    "rating_moved:str rating_before rating_after:rating came_back:bool stance_before stance_after summary snapshot_before "
    "snapshot_after:str added removed altered cause:object url:str silent_edit:boolean"
)
NOISE_COLUMNS: Final = shape.schema("change_class:str material:bool changes total:Int64 share:Float64")
MONTH_COLUMNS: Final = shape.schema("month:time change_class:str changes total:Int64")
PERIOD_COLUMNS: Final = shape.schema("since until:time changes:Int64 first_change:time platforms:Int64")

_DIRECTIONS: Final = {"up": 1, "mixed": 2, "unclear": 3, "down": 4}

Moment = str | date | datetime


def material_changes(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """List the material changes of a period, worst first.

    Parameters
    ----------
    changes : pandas.DataFrame
        Changes of all classes (`frames.CHANGES_COLUMNS`).
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC; a date means its midnight. By default all changes are listed.

    Returns
    -------
    pandas.DataFrame
        One row for each change:

        - `change_id`, `slug`, `name`, `document` str, `reviewed_at` time, `surfaces` list
        - `direction` str (effect on the risk), `directions` mapping of surface to direction
        - `rating_moved` str (`up`, `down`, `unclear`; empty if the rating did not move), `rating_before`, `rating_after` category
        - `came_back` bool: True if the change moved the rating, but the platform's rating at the end of the period is the same as
          at the beginning
        - `stance_before`, `stance_after`, `summary`, `snapshot_before`, `snapshot_after`, `url` str, and lists: `added` and
          `removed` (findings), `altered` (rewritten sentences), `cause` (findings that changed, with their effects
          on rating, stance and levels); all as in `changes`
        - `silent_edit` boolean: whether the stated date of the last update did not move; missing if not known

        Changes that moved the rating up come first, then those with the direction up, mixed, unclear, down, other; then by name,
        date and id. `changed_clauses` lists the clauses of these changes.

    Examples
    --------
    >>> october = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> october[["name", "document", "rating_before", "rating_after"]].head(3)
                      name          document rating_before rating_after
    0      Corzothorn Chat    Privacy Policy           MED          MED
    1      KellothornMusic  Terms of Service           MED          MED
    2  Search by Isfigrove    Privacy Policy           LOW          LOW
    """
    listed = between(changes, "material_changes", since, until)
    rated = listed.dropna(subset=["reviewed_at", *SIDES[:2]]).astype(dict.fromkeys(SIDES[:2], "str"))
    by_slug = rated.sort_values(["reviewed_at", "change_id"]).groupby("slug")
    back = by_slug["rating_before"].first() == by_slug["rating_after"].last()
    material = shape.shaped(map(material_row, rows_of(listed[listed["change_class"] == "material"])), MATERIAL_COLUMNS)
    material["came_back"] = (material["rating_moved"] != "") & material["slug"].isin(back.index[back])
    rank = material["direction"].map(_DIRECTIONS).fillna(5).mask(material["rating_moved"] == "up", 0)
    return shape.ordered(material.assign(rank=rank), "rank", "name", "reviewed_at", "change_id").drop(columns="rank")


def between(changes: pd.DataFrame, what: str, since: Moment | None, until: Moment | None) -> pd.DataFrame:
    """Return the changes of the half-open period [since, until) in UTC; None means that the period has no such limit.

    `what` is the name of the calling function, with which the message of an error about a missing column begins. Changes without
    a date are included only if the period has neither a beginning nor an end.
    """
    moments = shape.with_columns(changes, what, "change_class", "reviewed_at")["reviewed_at"]
    inside = pd.Series(True, changes.index)
    if since is not None:
        inside &= moments >= shape.instant(since)
    if until is not None:
        inside &= moments < shape.instant(until)
    return changes[inside]


def material_row(row: Mapping[str, object]) -> dict[str, object]:
    """Return a change as a dict with the columns of the result of `material_changes` as keys.

    `rating_moved` is the direction in which the change moved the rating; `came_back` is False until the caller sets it.

    Parameters
    ----------
    row : mapping
        A row of `frames.CHANGES_COLUMNS`.
    """
    return {key: row.get(key) for key in MATERIAL_COLUMNS} | {
        "name": shape.word_of(row.get("name")) or row["slug"],
        "rating_moved": rating_direction(row["rating_before"], row["rating_after"]),
        "came_back": False,
        **{key: shape.items_of(row.get(key)) for key in ("surfaces", *LISTS)},
    }


def moved_together(changes: pd.DataFrame, *sides: str) -> list[dict[str, object]]:
    """Join changes of one platform that happened at the same time and had the same effect; the oldest come first.

    Parameters
    ----------
    changes : pandas.DataFrame
        `frames.CHANGES_COLUMNS`.
    *sides : str
        Names of columns with a rating or stance before or after a change, such as `rating_before`; `SIDES` lists them all.
        Changes have the same effect if they have the same values in these columns.

    Returns
    -------
    list of dict
        One row for each group of joined changes; a change that was not joined is a group of its own. `document` has the names of
        all documents of the group, separated by commas; `added`, `removed`, `altered` and `cause` have the items of all its
        changes; the new key `change_ids` lists their identifiers. All other values are those of one of the changes: the one
        whose `change_id` is first in alphabetical order.
    """
    ordered = changes.sort_values(["reviewed_at", "change_id"])
    apart = ordered["change_id"].where(ordered["reviewed_at"].isna(), "")  # changes without a time are never joined
    groups = ordered.groupby(["slug", "reviewed_at", apart, *sides], sort=False, dropna=False)
    rows: list[dict[str, object]] = []
    for group in (rows_of(group) for _, group in groups):
        names = dict.fromkeys(shape.word_of(row.get("document")) for row in group)
        lists = {key: [item for row in group for item in shape.items_of(row.get(key))] for key in LISTS}
        ids = [row["change_id"] for row in group]
        rows.append({**group[0], **lists, "document": ", ".join(filter(None, names)), "change_ids": ids})
    return rows


def rating_direction(before: object, after: object) -> str:
    """Return the direction in which a rating moved: `up`, `down`, `unclear`, or empty if it did not move.

    Parameters
    ----------
    before, after : object
        Two ratings; `unclear` if they differ and one of them is not LOW, MED or HIGH.
    """
    first, last = shape.word_of(before), shape.word_of(after)
    if first == last:
        return ""
    if not {first, last} <= shape.RANK.keys():
        return "unclear"
    return "up" if shape.RANK[last] > shape.RANK[first] else "down"


def change_noise(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """Count the changes of each class: the material ones, and the others (noise), such as changes of format only.

    Parameters
    ----------
    changes : pandas.DataFrame
        Result of `data.changes()`, or any frame with the columns `change_class` and `reviewed_at`.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC. By default all changes count.

    Returns
    -------
    pandas.DataFrame
        `change_class` str, `material` bool, `changes`, `total` Int64 (changes of all classes), `share` Float64 0..1, missing
        if total is 0. All classes of `models.CHANGE_CLASSES` in that order, then unknown classes in alphabetical order.

    Examples
    --------
    >>> analysis.change_noise(data.changes())[["change_class", "material", "changes"]]
          change_class  material  changes
    0         material      True      202
    1          wording     False      382
    2           format     False      509
    3           revert     False       75
    4  capture_failure     False      135
    5        technical     False      245
    """
    classes = between(changes, "change_noise", since, until)["change_class"].fillna(shape.NOT_GIVEN)
    counts = classes.value_counts().reindex(shape.known_first(CHANGE_CLASSES, classes), fill_value=0).rename("changes")
    noise = counts.rename_axis("change_class").reset_index().assign(total=len(classes))
    share, material = noise["changes"] / noise["total"], noise["change_class"] == "material"
    return shape.cut_to(noise.assign(material=material, share=share), NOISE_COLUMNS)


def changes_by_month(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """Count changes by month (UTC) and class.

    Parameters
    ----------
    changes : pandas.DataFrame
        Result of `data.changes()`, or any frame with the columns `change_class` and `reviewed_at`; rows without a date are
        skipped.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC; all its months are listed, with or without changes.

    Returns
    -------
    pandas.DataFrame
        `month` datetime64[us, UTC] (its first instant), `change_class` str, `changes` Int64, `total` Int64 (changes of that
        month). All months from the first to the last, each with every class, as in `change_noise`.

    Examples
    --------
    >>> months = analysis.changes_by_month(data.changes(), since="2026-08-01", until="2026-11-01")
    >>> months.query("change_class == 'material'")[["month", "changes", "total"]]
                           month  changes  total
    0  2026-08-01 00:00:00+00:00        9     71
    6  2026-09-01 00:00:00+00:00        5     52
    12 2026-10-01 00:00:00+00:00        8     57
    """
    kept = between(changes, "changes_by_month", since, until).dropna(subset="reviewed_at")
    begin, end = since and shape.instant(since), until and shape.instant(until) - pd.Timedelta(1, "us")
    times = pd.Series([*kept["reviewed_at"], *filter(None, (begin, end))], dtype=TIME).dt.tz_localize(None)
    if times.empty:
        return shape.shaped([], MONTH_COLUMNS)
    months = pd.period_range(times.min(), times.max(), freq="M", name="month")
    classes = kept["change_class"].fillna(shape.NOT_GIVEN)
    counts = pd.crosstab(times[: len(kept)].dt.to_period("M").array, classes.array)
    counts = counts.reindex(index=months, columns=shape.known_first(CHANGE_CLASSES, classes), fill_value=0)
    rows = counts.assign(total=counts.sum(axis=1)).set_axis(months.to_timestamp().tz_localize("UTC")).reset_index()
    rows = rows.melt(["month", "total"], var_name="change_class", value_name="changes")
    return shape.cut_to(rows.sort_values("month", kind="stable"), MONTH_COLUMNS)


def equal_periods(
    changes: pd.DataFrame | None,
    since: Moment,
    until: Moment,
    slugs: Iterable[str] | None = None,
    *,
    most: int = 12,
    history: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Count the material changes of a period, and of earlier periods of the same length.

    Parameters
    ----------
    changes : pandas.DataFrame or None
        All recorded changes: `slug`, `change_class`, `reviewed_at`. None if changes are not known.
    since, until : str, date or datetime
        Half-open period [since, until) in UTC; a date means its midnight.
    slugs : iterable of str, optional
        Platforms whose changes count. By default all platforms.
    most : int
        Maximum number of earlier periods.
    history : pandas.DataFrame, optional
        `frames.HISTORY_COLUMNS` of these platforms, for the number of platforms tracked when a period began.

    Returns
    -------
    pandas.DataFrame
        `since`, `until` time (half-open), `changes` Int64 (material changes; missing if changes are not known),
        `first_change` time (of the first change on record, of any platform and class), `platforms` Int64 (platforms tracked on
        the newest date of the history before the period; missing if unknown). The oldest period comes first, the given period
        last. No earlier period begins before the first change on record.

    Examples
    --------
    >>> periods = analysis.equal_periods(data.changes(), "2026-08-16", "2026-11-01", most=2)
    >>> periods[["since", "until", "changes"]]
                          since                     until  changes
    0 2026-03-15 00:00:00+00:00 2026-05-31 00:00:00+00:00       31
    1 2026-05-31 00:00:00+00:00 2026-08-16 00:00:00+00:00       17
    2 2026-08-16 00:00:00+00:00 2026-11-01 00:00:00+00:00       16
    """
    begin, end = shape.instant(since), shape.instant(until)
    if changes is None:
        return shape.shaped([{"since": begin, "until": end}], PERIOD_COLUMNS)
    recorded = shape.with_columns(changes, "equal_periods", "slug", "change_class", "reviewed_at")
    length, first = end - begin, recorded["reviewed_at"].min()
    counted = recorded["change_class"] == "material"
    if slugs is not None:
        counted &= recorded["slug"].isin(list(slugs))
    times = recorded.loc[counted, "reviewed_at"]
    earlier = min(most, max(0, (begin - first) // length)) if length and not pd.isna(first) else 0
    rows = []
    for start in (begin - back * length for back in range(earlier, -1, -1)):
        changed = times.between(start, start + length, inclusive="left").sum()
        row = {"since": start, "until": start + length, "changes": changed, "first_change": first}
        rows.append(row | {"platforms": _tracked(history, start)})
    return shape.shaped(rows, PERIOD_COLUMNS)


def _tracked(history: pd.DataFrame | None, start: pd.Timestamp) -> int | None:
    """Return the number of platforms tracked on the newest date before a period; None if not known."""
    if history is None:
        return None
    shape.with_columns(history, "equal_periods", "slug", "date", "known")
    before = history[history["date"] < start]
    then = before[before["date"] == before["date"].max()]
    return then["slug"].nunique() if len(then) and then["known"].all() else None
