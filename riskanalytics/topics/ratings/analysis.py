"""Ratings: their mix, its course, who moved, and from which rating to which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import LEVEL_DTYPE, TIME
from riskanalytics.models import RATINGS
from riskanalytics.topics.changes.analysis import rating_direction
from riskanalytics.topics.shape import NOT_GIVEN, level_of, records, shaped, word_of
from riskanalytics.topics.shares import share

__all__ = ["rating_history", "rating_mix", "rating_moves", "rating_transitions"]

NOT_KNOWN: Final = "not known"
"""Rating shown for a platform whose state at a date cannot be known."""
NOT_TRACKED: Final = "not tracked"
"""Word for a platform that is not listed at a date."""

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
TRANSITION_COLUMNS: Final = {
    "since": TIME,
    "until": TIME,
    "rating_before": "str",
    "rating_after": "str",
    "level_after": LEVEL_DTYPE,
    "direction": "str",
    "platforms": "Int64",
    "total": "Int64",
    "names": "str",
}
DIRECTIONS: Final = ("up", "unclear", "down", "appeared", "disappeared")
"""Directions of a move in the order of `rating_moves`."""

_WORST_FIRST: Final = RATINGS[::-1]
_LAST: Final = (NOT_KNOWN, NOT_TRACKED)


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

    Examples
    --------
    >>> analysis.rating_mix(data.platforms)[["rating", "platforms", "total"]]
        rating  platforms  total
    0     HIGH         83    320
    1      MED        151    320
    2      LOW         77    320
    3  UNRATED          9    320
    """
    counts = Counter(word_of(row["rating"]) or NOT_GIVEN for row in records(platforms, "rating_mix", "rating"))
    strange = sorted(counts.keys() - set(RATINGS), key=lambda rating: (-counts[rating], rating))
    return shaped(_mix(counts, strange), MIX_COLUMNS)


def _mix(counts: Counter[str], strange: Iterable[str]) -> list[dict[str, Any]]:
    """Return a row of `MIX_COLUMNS` for each known rating, worst first, then for the strange ones."""
    total = counts.total()
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

    Examples
    --------
    >>> history = analysis.rating_history(data.history(1))
    >>> history[["date", "rating", "platforms", "total"]].tail(4)
                           date   rating  platforms  total
    4 2026-10-31 00:00:00+00:00     HIGH         83    320
    5 2026-10-31 00:00:00+00:00      MED        151    320
    6 2026-10-31 00:00:00+00:00      LOW         77    320
    7 2026-10-31 00:00:00+00:00  UNRATED          9    320
    """
    by_date: dict[Any, Counter[str]] = {}
    for row in records(history, "rating_history", "date", "rating", "known"):
        by_date.setdefault(row["date"], Counter())[_rating_of(row)] += 1
    strange = sorted(set().union(*by_date.values()) - set(RATINGS), key=lambda rating: (rating == NOT_KNOWN, rating))
    rows = (
        {"date": day, "known": row["rating"] != NOT_KNOWN, **row}
        for day in sorted(by_date)
        for row in _mix(by_date[day], strange)
    )
    return shaped(rows, HISTORY_COLUMNS)


def _rating_of(row: dict[str, Any]) -> str:
    """Return the rating that a platform had at a date; `not known` where its state then cannot be known."""
    return (word_of(row["rating"]) or NOT_GIVEN) if row["known"] is True else NOT_KNOWN


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

    Examples
    --------
    >>> from datetime import date
    >>> moves = analysis.rating_moves(data.at(date(2026, 9, 30)).platforms, data.platforms)
    >>> moves[["name", "rating_before", "rating_after", "direction"]]
                      name rating_before rating_after direction
    0  Search by Isfigrove           LOW          MED        up
    """
    first, last = (
        {row["slug"]: row for row in records(side, "rating_moves", "slug", "name", "rating")}
        for side in (before, after)
    )
    moves = (_move(slug, first.get(slug), last.get(slug)) for slug in first.keys() | last.keys())
    rows = [row for row in moves if row["direction"]]
    rows.sort(key=lambda row: (DIRECTIONS.index(row["direction"]), row["name"].casefold(), row["slug"]))
    return shaped(rows, MOVE_COLUMNS)


def _move(slug: str, before: dict[str, Any] | None, after: dict[str, Any] | None) -> dict[str, Any]:
    """Return a platform's ratings at two dates as a row of `MOVE_COLUMNS`; its direction is empty where it stayed."""
    old, new = ((side or {}).get("rating") for side in (before, after))
    if before is None:
        direction = "appeared"
    elif after is None:
        direction = "disappeared"
    else:
        direction = rating_direction(old, new)
    return {
        "slug": slug,
        "name": word_of((after or before or {}).get("name")) or slug,
        "rating_before": old,
        "rating_after": new,
        "level_before": level_of(old),
        "level_after": level_of(new),
        "direction": direction,
    }


def rating_transitions(history: pd.DataFrame, *, names: int = 12) -> pd.DataFrame:
    """Count platforms by the rating they had at the first date and the one they have at the last.

    Parameters
    ----------
    history : pandas.DataFrame
        One row per platform and date: `slug`, `name`, `date`, `rating`, `known`.
    names : int
        At most so many platforms of a cell are named; the others are counted.

    Returns
    -------
    pandas.DataFrame
        `since`, `until` datetime64[us, UTC] (the two dates), `rating_before`, `rating_after` str (`not known`
        where the state at that date cannot be known, `not tracked` where it is not listed), `level_after`
        category, `direction` str (`up`, `down`, `unclear`, `appeared`, `disappeared`; `stayed`), `platforms`
        Int64, `total` Int64 (platforms listed at either date), `names` str (who moved, by name; empty where they
        stayed). One row per pair that occurs; HIGH, MED, LOW, other words, what is not known, not tracked.
        Empty where there are not two dates.

    Examples
    --------
    >>> went = analysis.rating_transitions(data.history(3))
    >>> went.query("direction != 'stayed'")[["rating_before", "rating_after", "names"]]
      rating_before rating_after                names
    1           MED         HIGH          Alalix Chat
    3           LOW          MED  Search by Isfigrove
    """
    rows = records(history, "rating_transitions", "slug", "name", "date", "rating", "known")
    dates = sorted({row["date"] for row in rows})
    if len(dates) < 2:
        return shaped([], TRANSITION_COLUMNS)
    first, last = ({row["slug"]: row for row in rows if row["date"] == date} for date in (dates[0], dates[-1]))
    cells: dict[tuple[str, str], list[str]] = {}
    for slug in first.keys() | last.keys():
        before, after = (_rating_of(side[slug]) if slug in side else NOT_TRACKED for side in (first, last))
        cells.setdefault((before, after), []).append(word_of((last.get(slug) or first[slug])["name"]) or slug)
    shared = {"since": dates[0], "until": dates[-1], "total": sum(map(len, cells.values()))}
    ordered = sorted(cells, key=lambda pair: (*_place(pair[0]), *_place(pair[1])))
    return shaped((shared | _transition(*pair, cells[pair], names) for pair in ordered), TRANSITION_COLUMNS)


def _place(rating: str) -> tuple[int, str]:
    """Return the sort key of a rating: worst first, then other words, then what is not known or not tracked."""
    if rating in RATINGS:
        return _WORST_FIRST.index(rating), ""
    return (len(RATINGS) + 1 + _LAST.index(rating), "") if rating in _LAST else (len(RATINGS), rating)


def _transition(before: str, after: str, listed: list[str], most: int) -> dict[str, Any]:
    """Return a row of `TRANSITION_COLUMNS` but for its dates and total; at most so many platforms are named."""
    shown = sorted(listed, key=lambda name: (name.casefold(), name)) if before != after else []
    rest = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return {
        "rating_before": before,
        "rating_after": after,
        "level_after": level_of(after),
        "direction": _direction(before, after),
        "platforms": len(listed),
        "names": ", ".join(shown[:most]) + rest,
    }


def _direction(before: str, after: str) -> str:
    """Return where platforms went between two ratings, either of which may be `not tracked`."""
    if before == after:
        return "stayed"
    if NOT_TRACKED in (before, after):
        return "appeared" if before == NOT_TRACKED else "disappeared"
    return rating_direction(before, after)
