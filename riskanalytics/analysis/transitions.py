"""Between two dates: which platforms went from which rating to which."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.ratings import NOT_KNOWN, rating_direction
from riskanalytics.analysis.shape import NOT_GIVEN, level_of, records, shaped, word_of
from riskanalytics.frames import LEVEL_DTYPE, TIME
from riskanalytics.models import RATINGS

NOT_TRACKED: Final = "not tracked"
"""Word for a platform that is not listed at a date."""

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
_LAST: Final = (NOT_KNOWN, NOT_TRACKED)


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
    """
    rows = records(history, "rating_transitions", "slug", "name", "date", "rating", "known")
    dates = sorted({row["date"] for row in rows})
    if len(dates) < 2:
        return shaped([], TRANSITION_COLUMNS)
    sides = [{row["slug"]: row for row in rows if row["date"] == date} for date in (dates[0], dates[-1])]
    cells: dict[tuple[str, str], list[str]] = {}
    for slug in sides[0].keys() | sides[1].keys():
        pair = (_word(sides[0].get(slug)), _word(sides[1].get(slug)))
        shown = sides[1].get(slug) or sides[0][slug]
        cells.setdefault(pair, []).append(word_of(shown["name"]) or slug)
    total = sum(map(len, cells.values()))
    ordered = sorted(cells, key=lambda pair: (*_place(pair[0]), *_place(pair[1])))
    return shaped(
        (
            {"since": dates[0], "until": dates[-1], "total": total, **_cell(pair, cells[pair], names)}
            for pair in ordered
        ),
        TRANSITION_COLUMNS,
    )


def _word(row: dict[str, Any] | None) -> str:
    if row is None:
        return NOT_TRACKED
    return (word_of(row["rating"]) or NOT_GIVEN) if row["known"] is True else NOT_KNOWN


def _place(rating: str) -> tuple[int, str]:
    if rating in RATINGS:
        return len(RATINGS) - 1 - RATINGS.index(rating), ""
    return (len(RATINGS) + 1 + _LAST.index(rating), "") if rating in _LAST else (len(RATINGS), rating)


def _cell(pair: tuple[str, str], listed: list[str], most: int) -> dict[str, Any]:
    before, after = pair
    if before == after:
        direction, named = "stayed", ""
    else:
        shown = sorted(listed, key=lambda name: (name.casefold(), name))
        rest = f" and {len(shown) - most:,} more" if len(shown) > most else ""
        direction, named = _direction(before, after), ", ".join(shown[:most]) + rest
    return {
        "rating_before": before,
        "rating_after": after,
        "level_after": level_of(after),
        "direction": direction,
        "platforms": len(listed),
        "names": named,
    }


def _direction(before: str, after: str) -> str:
    if NOT_TRACKED in (before, after):
        return "appeared" if before == NOT_TRACKED else "disappeared"
    return rating_direction(before, after)
