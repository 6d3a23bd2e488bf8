"""Changes of policy documents: the material ones with their words before and after, the noise, counts by month."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import LEVEL_DTYPE, TIME
from riskanalytics.models import CHANGE_CLASSES, RATINGS
from riskanalytics.topics.changes.clauses import clause_pairs
from riskanalytics.topics.shape import NOT_GIVEN, instant, is_missing, items_of, level_of, records, shaped, word_of
from riskanalytics.topics.shares import share

__all__ = ["change_noise", "changes_by_month", "material_changes"]

MATERIAL_COLUMNS: Final = {
    "change_id": "str",
    "slug": "str",
    "name": "str",
    "document": "str",
    "reviewed_at": TIME,
    "surfaces": "object",
    "direction": "str",
    "directions": "object",
    "rating_moved": "str",
    "rating_before": "str",
    "rating_after": "str",
    "level_before": LEVEL_DTYPE,
    "level_after": LEVEL_DTYPE,
    "stance_before": "str",
    "stance_after": "str",
    "summary": "str",
    "before_text": "str",
    "after_text": "str",
    "before_id": "str",
    "after_id": "str",
    "pairs": "Int64",
    "snapshot_before": "str",
    "snapshot_after": "str",
    "added": "object",
    "removed": "object",
    "altered": "object",
    "cause": "object",
    "url": "str",
}
NOISE_COLUMNS: Final = {
    "change_class": "str",
    "material": "bool",
    "changes": "Int64",
    "total": "Int64",
    "share": "Float64",
}
MONTH_COLUMNS: Final = {"month": TIME, "change_class": "str", "changes": "Int64", "total": "Int64"}

_DIRECTION_ORDER: Final = {"up": 1, "mixed": 2, "down": 3}

Moment = str | date | datetime


def material_changes(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """List the material changes of a period, worst first.

    Parameters
    ----------
    changes : pandas.DataFrame
        Changes of every class.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC; a date is its midnight in UTC. Without them all changes are listed.

    Returns
    -------
    pandas.DataFrame
        One row per change: `change_id`, `slug`, `name`, `document` str, `reviewed_at` time, `surfaces`
        list, `direction` str, `directions` mapping of surface to direction,
        `rating_moved` str (`up`, `down`, `unclear`, or empty), `rating_before`,
        `rating_after` str and their `level_before`, `level_after`; `stance_before`, `stance_after`,
        `summary` str; `before_text`, `after_text`, `before_id`, `after_id` str (the words of the pair
        that weighs most: one that moved the rating, else of the highest level; missing on the side that
        has none); `pairs` Int64 (clauses removed, added or altered in all); snapshots, the lists `added`,
        `removed`, `altered`, `cause`, and `url`, as given. Order: rating moved up, direction up, mixed,
        down, any other; then name, date, id.

    Examples
    --------
    >>> october = analysis.material_changes(data.changes(), since="2026-10-01", until="2026-11-01")
    >>> october[["name", "document", "rating_before", "rating_after"]].head(3)
                      name          document rating_before rating_after
    0  Search by Isfigrove    Privacy Policy           LOW          MED
    1  Search by Isfigrove  Terms of Service           LOW          MED
    2      Corzothorn Chat    Privacy Policy           MED          MED
    """
    listed = _between(changes, "material_changes", since, until)
    rows = [told_change(row) for row in listed if row["change_class"] == "material"]
    rows.sort(key=_severity)
    return shaped(rows, MATERIAL_COLUMNS)


def _between(changes: pd.DataFrame, what: str, since: Moment | None, until: Moment | None) -> list[dict[str, Any]]:
    """Return the changes of a period; those without a date only where neither of its ends is given."""
    first = None if since is None else instant(since)
    last = None if until is None else instant(until)
    kept = []
    for row in records(changes, what, "change_class", "reviewed_at"):
        moment = row["reviewed_at"]
        if is_missing(moment):
            inside = first is None and last is None
        else:
            inside = (first is None or moment >= first) and (last is None or moment < last)
        if inside:
            kept.append(row)
    return kept


def told_change(row: dict[str, Any]) -> dict[str, Any]:
    """Return a change as a row of `MATERIAL_COLUMNS`: with where its rating went and the words that weigh most.

    Parameters
    ----------
    row : dict
        A row of `frames.CHANGES_COLUMNS`.
    """
    pairs = clause_pairs(row)
    before, after = (pairs[0].before or {}, pairs[0].after or {}) if pairs else ({}, {})
    return {key: row.get(key) for key in MATERIAL_COLUMNS} | {
        "name": word_of(row.get("name")) or row["slug"],
        "rating_moved": rating_direction(row["rating_before"], row["rating_after"]),
        "level_before": level_of(row["rating_before"]),
        "level_after": level_of(row["rating_after"]),
        "before_text": before.get("quote"),
        "after_text": after.get("quote"),
        "before_id": before.get("id"),
        "after_id": after.get("id"),
        "pairs": len(pairs),
        **{key: items_of(row.get(key)) for key in ("surfaces", "added", "removed", "altered", "cause")},
    }


def rating_direction(before: object, after: object) -> str:
    """Return where a rating went: `up`, `down`, `unclear`, or empty where it stayed.

    Parameters
    ----------
    before, after : object
        Two ratings. `unclear` is said where they differ and one of them is not LOW, MED or HIGH.
    """
    first, last = word_of(before), word_of(after)
    if first == last:
        return ""
    if first not in RATINGS or last not in RATINGS:
        return "unclear"
    return "up" if RATINGS.index(last) > RATINGS.index(first) else "down"


def _severity(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return the sort key that puts the worst material changes first."""
    rank = 0 if row["rating_moved"] == "up" else _DIRECTION_ORDER.get(word_of(row["direction"]), 4)
    return (rank, row["name"].casefold(), row["reviewed_at"], word_of(row["change_id"]))


def change_noise(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """Count changes by class: how many are material, and how many are noise of each kind.

    Parameters
    ----------
    changes : pandas.DataFrame
        `change_class` and `reviewed_at`.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC; without them all changes count.

    Returns
    -------
    pandas.DataFrame
        `change_class` str, `material` bool, `changes`, `total` Int64 (changes of every class), `share`
        Float64 0..1, missing where total is 0. Every class of `models.CHANGE_CLASSES` in that order,
        then classes never seen, by word.

    Examples
    --------
    >>> analysis.change_noise(data.changes())[["change_class", "material", "changes"]]
          change_class  material  changes
    0         material      True      209
    1          wording     False      375
    2           format     False      510
    3           revert     False       75
    4  capture_failure     False      135
    5        technical     False      245
    """
    counts = Counter(map(_class_of, _between(changes, "change_noise", since, until)))
    total = counts.total()
    rows = (
        {
            "change_class": name,
            "material": name == "material",
            "changes": counts[name],
            "total": total,
            "share": share(counts[name], total),
        }
        for name in _classes(counts)
    )
    return shaped(rows, NOISE_COLUMNS)


def _class_of(row: dict[str, Any]) -> str:
    """Return the class of a change."""
    return word_of(row["change_class"]) or NOT_GIVEN


def _classes(occurring: Iterable[str]) -> tuple[str, ...]:
    """Return the known classes in their order, then the others that occur."""
    return (*CHANGE_CLASSES, *sorted(set(occurring) - set(CHANGE_CLASSES)))


def changes_by_month(changes: pd.DataFrame, since: Moment | None = None, until: Moment | None = None) -> pd.DataFrame:
    """Count changes by month (UTC) and class.

    Parameters
    ----------
    changes : pandas.DataFrame
        `change_class` and `reviewed_at`; rows without a date are left out.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC; its months are all shown, also those without a change.

    Returns
    -------
    pandas.DataFrame
        `month` datetime64[us, UTC] (its first instant), `change_class` str, `changes` Int64, `total`
        Int64 (changes of that month). No month between the first and the last is left out, and each has
        every class, as in `change_noise`.

    Examples
    --------
    >>> months = analysis.changes_by_month(data.changes(), since="2026-08-01", until="2026-11-01")
    >>> months.query("change_class == 'material'")[["month", "changes", "total"]]
                           month  changes  total
    0  2026-08-01 00:00:00+00:00        9     71
    6  2026-09-01 00:00:00+00:00        5     52
    12 2026-10-01 00:00:00+00:00        8     57
    """
    kept = [row for row in _between(changes, "changes_by_month", since, until) if not is_missing(row["reviewed_at"])]
    counts = Counter((_month(row["reviewed_at"]), _class_of(row)) for row in kept)
    ends = [month for month, _ in counts]
    ends += [] if since is None else [_month(instant(since))]
    ends += [] if until is None else [_month(instant(until) - pd.Timedelta(1, "us"))]
    classes = _classes({name for _, name in counts})
    rows = (
        {
            "month": month,
            "change_class": name,
            "changes": counts[month, name],
            "total": sum(counts[month, other] for other in classes),
        }
        for month in (pd.date_range(min(ends), max(ends), freq="MS") if ends else ())
        for name in classes
    )
    return shaped(rows, MONTH_COLUMNS)


def _month(moment: pd.Timestamp) -> pd.Timestamp:
    """Return the first instant of a moment's month, UTC."""
    return moment.tz_convert("UTC").normalize().replace(day=1)
