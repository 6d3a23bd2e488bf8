"""Ratings: their mix, its course, and who moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.shape import (
    NOT_GIVEN,
    level_of,
    records,
    shaped,
    share,
    word_of,
)
from riskanalytics.frames import LEVEL_DTYPE, TIME
from riskanalytics.models import RATINGS

NOT_KNOWN: Final = "not known"
"""Rating shown for a platform whose state at a date cannot be known."""

_WORST_FIRST: Final = RATINGS[::-1]

MIX_COLUMNS: Final = {
    "rating": "str",
    "level": LEVEL_DTYPE,
    "platforms": "Int64",
    "total": "Int64",
    "share": "Float64",
}
HISTORY_COLUMNS: Final = {
    "date": TIME,
    "rating": "str",
    "level": LEVEL_DTYPE,
    "known": "bool",
    "platforms": "Int64",
    "total": "Int64",
    "share": "Float64",
}
MOVE_COLUMNS: Final = {
    "slug": "str",
    "name": "str",
    "rating_before": "str",
    "rating_after": "str",
    "level_before": LEVEL_DTYPE,
    "level_after": LEVEL_DTYPE,
    "direction": "str",
}
DIRECTIONS: Final = ("up", "unclear", "down", "appeared", "disappeared")
"""Directions of a move in the order of `rating_moves`."""


def rating_mix(platforms: pd.DataFrame) -> pd.DataFrame:
    """Count platforms by rating.

    Parameters
    ----------
    platforms : pandas.DataFrame
        One row per platform, column `rating`.

    Returns
    -------
    pandas.DataFrame
        `rating` str, `level` ordered category, `platforms` Int64, `total` Int64 (the denominator),
        `share` Float64 0..1, missing where total is 0. HIGH, MED and LOW always have a row; every other
        rating that occurs follows under its own word with level UNKNOWN, by count, then by word.
    """
    rows = records(platforms, "rating_mix", "rating")
    return shaped(_mix(word_of(row["rating"]) for row in rows), MIX_COLUMNS)


def _mix(ratings: Iterable[str], others: Iterable[str] = ()) -> list[dict[str, Any]]:
    counts = Counter(rating or NOT_GIVEN for rating in ratings)
    total = counts.total()
    strange = sorted((set(counts) | set(others)) - set(_WORST_FIRST), key=lambda rating: (-counts[rating], rating))
    return [
        {
            "rating": rating,
            "level": level_of(rating),
            "platforms": counts[rating],
            "total": total,
            "share": share(counts[rating], total),
        }
        for rating in (*_WORST_FIRST, *strange)
    ]


def rating_history(history: pd.DataFrame) -> pd.DataFrame:
    """Count platforms by rating at each date.

    Parameters
    ----------
    history : pandas.DataFrame
        One row per platform and date: `date`, `rating`, `known` (False where the state at that date
        cannot be known).

    Returns
    -------
    pandas.DataFrame
        `date` datetime64[us, UTC], `rating` str, `level` category, `known` bool, `platforms` Int64,
        `total` Int64 (platforms of that date, known or not), `share` Float64 0..1. Every date has every
        rating that occurs at any date (count 0 where none); what cannot be known has the rating
        `not known`, level UNKNOWN and known False. Sorted by date, then HIGH, MED, LOW, others by word.
    """
    by_date: dict[Any, list[str]] = {}
    for row in records(history, "rating_history", "date", "rating", "known"):
        rating = (word_of(row["rating"]) or NOT_GIVEN) if row["known"] is True else NOT_KNOWN
        by_date.setdefault(row["date"], []).append(rating)
    occurring = {rating for ratings in by_date.values() for rating in ratings}
    strange = sorted(occurring - set(_WORST_FIRST), key=lambda rating: (rating == NOT_KNOWN, rating))
    order = {rating: place for place, rating in enumerate((*_WORST_FIRST, *strange))}
    rows = []
    for day in sorted(by_date):
        mix = sorted(_mix(by_date[day], strange), key=lambda row: order[row["rating"]])
        rows += [{"date": day, "known": row["rating"] != NOT_KNOWN, **row} for row in mix]
    return shaped(rows, HISTORY_COLUMNS)


def rating_moves(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """List the platforms whose rating differs between two dates.

    Parameters
    ----------
    before, after : pandas.DataFrame
        Platforms at the two dates: `slug`, `name`, `rating`.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `rating_before`, `rating_after` str (missing where not listed at that date),
        `level_before`, `level_after` category, `direction` str: `up`, `unclear` (to or from a rating
        outside LOW, MED, HIGH), `down`, `appeared`, `disappeared`. Sorted in that order, then by name.
        Platforms that did not move are left out.
    """
    first = {row["slug"]: row for row in records(before, "rating_moves", "slug", "name", "rating")}
    last = {row["slug"]: row for row in records(after, "rating_moves", "slug", "name", "rating")}
    rows = []
    for slug in first.keys() | last.keys():
        direction = _direction(first.get(slug), last.get(slug))
        if direction:
            rows.append(_move(slug, first.get(slug), last.get(slug), direction))
    rows.sort(key=lambda row: (DIRECTIONS.index(row["direction"]), row["name"].casefold(), row["slug"]))
    return shaped(rows, MOVE_COLUMNS)


def _direction(before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    if before is None or after is None:
        return "appeared" if before is None else "disappeared"
    return rating_direction(before["rating"], after["rating"])


def rating_direction(before: object, after: object) -> str:
    """Return where a rating went: `up`, `down`, `unclear`, or empty where it stayed.

    `unclear` is said where the words differ and one of them is not LOW, MED or HIGH.
    """
    first, last = word_of(before), word_of(after)
    if first == last:
        return ""
    if "UNKNOWN" in (level_of(first), level_of(last)):
        return "unclear"
    return "up" if _WORST_FIRST.index(last) < _WORST_FIRST.index(first) else "down"


def _move(slug: str, before: dict[str, Any] | None, after: dict[str, Any] | None, direction: str) -> dict[str, Any]:
    shown = after or before or {}
    return {
        "slug": slug,
        "name": word_of(shown.get("name")) or slug,
        "rating_before": before["rating"] if before else None,
        "rating_after": after["rating"] if after else None,
        "level_before": level_of(before["rating"] if before else None),
        "level_after": level_of(after["rating"] if after else None),
        "direction": direction,
    }
