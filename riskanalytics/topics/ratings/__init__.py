"""Ratings: their mix, its course, who moved, and from which rating to which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, level_of
from riskanalytics.models import RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.changes import Moment, between, rating_direction
from riskanalytics.topics.shape import NOT_GIVEN, Dtypes, cut_to, items_of, schema, shaped, with_columns

__all__ = ["rating_history", "rating_mean", "rating_mix", "rating_moves", "rating_parts", "rating_transitions"]

NOT_KNOWN: Final = "not known"
"""Rating shown for a platform whose state at a date cannot be known."""
NOT_TRACKED: Final = "not tracked"
"""Word for a platform that is not listed at a date."""

MIX_COLUMNS: Final = schema("rating:rating level:level platforms total:Int64 share:Float64")
HISTORY_COLUMNS: Final = schema("date:time rating:rating level:level known:bool platforms total:Int64 share:Float64")
MOVE_COLUMNS: Final = schema(
    "slug name:str rating_before rating_after:rating level_before level_after:level direction:str"
)
TRANSITION_COLUMNS: Final = schema(
    "since until:time rating_before rating_after:rating level_after:level direction:str platforms total:Int64 names:str"
)
DIRECTIONS: Final = ("up", "unclear", "down", "other_texts", "appeared", "disappeared")
"""Directions of a move in the order of `rating_moves`."""

_WORST_FIRST: Final = RATINGS[::-1]
_LAST: Final = (NOT_KNOWN, NOT_TRACKED)
_SIDES: Final = ("rating_before", "rating_after")


def rating_mix(platforms: pd.DataFrame) -> pd.DataFrame:
    """Count platforms by rating.

    Parameters
    ----------
    platforms : pandas.DataFrame
        One row per platform, column `rating`.

    Returns
    -------
    pandas.DataFrame
        `rating`, `level` ordered category, `platforms` Int64, `total` Int64 (the denominator),
        `share` Float64 0..1, missing where total is 0. HIGH, MED and LOW always have a row; every other
        rating that occurs follows under its own word with level UNKNOWN, by count, then by word.

    Examples
    --------
    >>> analysis.rating_mix(data.platforms)[["rating", "platforms", "total"]]
        rating  platforms  total
    0     HIGH         89    320
    1      MED        141    320
    2      LOW         80    320
    3  UNRATED         10    320
    """
    ratings = _given(with_columns(platforms, "rating_mix", "rating"))
    counts = ratings.value_counts()
    occurring = sorted(counts.index, key=lambda rating: (-counts[rating], rating))
    return _mix(ratings, pd.Series("now", ratings.index), ["now"], occurring, MIX_COLUMNS)


def _given(frame: pd.DataFrame) -> pd.Series[str]:
    """Return the ratings of platforms; `not given` where a rating is left empty."""
    words = frame["rating"].astype("str")
    return words.mask(words == "").fillna(NOT_GIVEN)


def _mix(
    ratings: pd.Series[str],
    dates: pd.Series[pd.Timestamp] | pd.Series[str],
    days: Iterable[object],
    occurring: Iterable[str],
    columns: Dtypes,
) -> pd.DataFrame:
    """Count ratings on each day: the known ratings worst first, then the others that occur, in their order."""
    names = dict.fromkeys((*_WORST_FIRST, *occurring))
    index = pd.MultiIndex.from_product([list(days), list(names)], names=["date", "rating"])
    counts = ratings.groupby([dates, ratings]).size().reindex(index, fill_value=0)
    rows = counts.rename("platforms").reset_index()
    total = rows.groupby("date")["platforms"].transform("sum")
    level, known = level_of(rows["rating"]), rows["rating"] != NOT_KNOWN
    return cut_to(rows.assign(level=level, known=known, total=total, share=rows["platforms"] / total), columns)


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
        `date` datetime64[us, UTC], `rating` category, `level` category, `known` bool, `platforms` Int64,
        `total` Int64 (platforms of that date, known or not), `share` Float64 0..1. Every date has every
        rating that occurs at any date (count 0 where none); what cannot be known has the rating
        `not known`, level UNKNOWN and known False. Sorted by date, then HIGH, MED, LOW, others by word.

    Examples
    --------
    >>> history = analysis.rating_history(data.history(1))
    >>> history[["date", "rating", "platforms", "total"]].tail(4)
                           date   rating  platforms  total
    4 2026-10-31 00:00:00+00:00     HIGH         89    320
    5 2026-10-31 00:00:00+00:00      MED        141    320
    6 2026-10-31 00:00:00+00:00      LOW         80    320
    7 2026-10-31 00:00:00+00:00  UNRATED         10    320
    """
    told = with_columns(history, "rating_history", "date", "rating", "known")
    ratings = _known(told)
    occurring = sorted(set(ratings), key=lambda rating: (rating == NOT_KNOWN, rating))
    return _mix(ratings, told["date"], sorted(told["date"].unique()), occurring, HISTORY_COLUMNS)


def _known(history: pd.DataFrame) -> pd.Series[str]:
    """Return the ratings that platforms had; `not known` where their state then cannot be known."""
    return _given(history).where(history["known"], NOT_KNOWN)


def rating_moves(
    before: pd.DataFrame,
    after: pd.DataFrame,
    changes: pd.DataFrame | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
) -> pd.DataFrame:
    """List the platforms whose rating differs between two dates.

    Parameters
    ----------
    before, after : pandas.DataFrame
        Platforms at the two dates: `slug`, `name`, `rating`.
    changes : pandas.DataFrame, optional
        `frames.CHANGES_COLUMNS`, of every class: a rating that none of them moved differs because other documents are
        read than before, which is no move of the vendor's.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC of the changes that count; all count without them.

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, `rating_before`, `rating_after` category (missing where not listed at that date),
        `level_before`, `level_after` category, `direction` str: `up`, `unclear` (to or from a rating outside LOW, MED, HIGH),
        `down`, `other_texts` (no recorded change moved it), `appeared`, `disappeared`. Sorted in that order, then by name.
        Platforms that did not move are left out, and those one of whose ratings is missing: it is not known.

    Examples
    --------
    >>> from datetime import date
    >>> moves = analysis.rating_moves(data.at(date(2026, 4, 30)).platforms, data.platforms)
    >>> moves[["name", "rating_before", "rating_after", "direction"]]
                  name rating_before rating_after direction
    0  Cordowick Draft           MED         HIGH        up
    1   CorzoholtNotes           MED         HIGH        up
    2  Elravane Studio          HIGH          MED      down
    """
    both = _beside(*(with_columns(side, "rating_moves", "slug", "name", "rating") for side in (before, after)))
    if changes is not None:
        both["direction"] = _moved_by(both, between(changes, "rating_moves", since, until))
    moved = both[both["direction"] != ""]
    levels = {f"level_{side}": level_of(moved[f"rating_{side}"]) for side in ("before", "after")}
    ordered = moved.assign(**levels).sort_values(["direction", "name", "slug"], key=_move_order)
    return cut_to(ordered, MOVE_COLUMNS)


def _beside(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return the platforms of two dates: their newest name, both ratings, and where the rating went, empty where it stayed."""
    columns = ["slug", "name", "rating"]
    sides = (side[columns].astype({"rating": "str"}) for side in (before, after))
    both = next(sides).merge(next(sides), "outer", "slug", suffixes=("_before", "_after"), indicator="listed")
    directions = [
        {"left_only": "disappeared", "right_only": "appeared"}.get(listed)
        or ("" if is_missing(old) or is_missing(new) else rating_direction(old, new))
        for listed, old, new in zip(both["listed"], both["rating_before"], both["rating_after"], strict=True)
    ]
    name = both["name_after"].mask(both["name_after"] == "").fillna(both["name_before"])
    name = name.mask(name == "").fillna(both["slug"])
    return both.assign(name=name, direction=pd.Series(directions, both.index, dtype="str"))


def _moved_by(both: pd.DataFrame, changes: pd.DataFrame) -> pd.Series[str]:
    """Return where each rating went; `other_texts` where it differs though none of the changes moved it."""
    told = with_columns(changes, "rating_moves", "slug", *_SIDES)
    sides = told[list(_SIDES)].astype("str")
    moving = told.loc[sides.isna().any(axis=1) | (sides["rating_before"] != sides["rating_after"]), "slug"]
    known = (both[list(_SIDES)] != NOT_KNOWN).all(axis=1)
    unmoved = both["direction"].isin(["up", "down", "unclear"]) & known & ~both["slug"].isin(moving)
    return both["direction"].mask(unmoved, "other_texts")


def _move_order(column: pd.Series[str]) -> pd.Series[str] | pd.Series[int]:
    """Return what a column of moves is sorted by."""
    if column.name == "direction":
        return column.map(DIRECTIONS.index)
    return column.str.casefold() if column.name == "name" else column


def rating_transitions(history: pd.DataFrame, changes: pd.DataFrame | None = None, *, names: int = 12) -> pd.DataFrame:
    """Count platforms by the rating they had at the first date and the one they have at the last.

    Parameters
    ----------
    history : pandas.DataFrame
        One row per platform and date: `slug`, `name`, `date`, `rating`, `known`.
    changes : pandas.DataFrame, optional
        `frames.CHANGES_COLUMNS`, of every class, none left out between the two dates: as in `rating_moves`.
    names : int
        At most so many platforms of a cell are named; the others are counted.

    Returns
    -------
    pandas.DataFrame
        `since`, `until` datetime64[us, UTC] (the two dates), `rating_before`, `rating_after` category (`not known`
        where the state at that date cannot be known, `not tracked` where it is not listed), `level_after`
        category, `direction` str (as in `rating_moves`; `stayed`), `platforms`
        Int64, `total` Int64 (platforms listed at either date), `names` str (whose rating differs, by name; empty where
        they stayed). One row per pair and direction that occurs; HIGH, MED, LOW, other words, what is not known, not tracked.
        Empty where there are not two dates.

    Examples
    --------
    >>> went = analysis.rating_transitions(data.history(3), data.changes())
    >>> went.query("direction != 'stayed'")[["rating_before", "rating_after", "names"]]
    Empty DataFrame
    Columns: [rating_before, rating_after, names]
    Index: []
    """
    told = with_columns(history, "rating_transitions", "slug", "name", "date", "rating", "known")
    dates = sorted(told["date"].unique())
    if len(dates) < 2:
        return shaped([], TRANSITION_COLUMNS)
    known = told.assign(rating=_known(told))
    both = _beside(*(known[known["date"] == date] for date in (dates[0], dates[-1])))
    if changes is not None:  # a date speaks of its end
        ends = (date + pd.Timedelta(days=1) for date in (dates[0], dates[-1]))
        both["direction"] = _moved_by(both, between(changes, "rating_transitions", *ends))
    cells = both.fillna(dict.fromkeys(_SIDES, NOT_TRACKED)).groupby([*_SIDES, "direction"])
    rows = [_transition(cell, names) for _, cell in cells]
    rows.sort(key=lambda row: (*(_place(str(row[side])) for side in _SIDES), row["direction"] == "other_texts"))
    shared = {"since": dates[0], "until": dates[-1], "total": len(both)}
    return shaped((shared | row for row in rows), TRANSITION_COLUMNS)


def _place(rating: str) -> tuple[int, str]:
    """Return the sort key of a rating: worst first, then other words, then what is not known or not tracked."""
    if rating in RATINGS:
        return _WORST_FIRST.index(rating), ""
    return (len(RATINGS) + 1 + _LAST.index(rating), "") if rating in _LAST else (len(RATINGS), rating)


def _transition(cell: pd.DataFrame, most: int) -> dict[str, object]:
    """Return the platforms that share both ratings as a row of `TRANSITION_COLUMNS`, but for its dates and total."""
    before, after, direction = cell[[*_SIDES, "direction"]].iloc[0]
    shown = sorted(cell["name"], key=lambda name: (name.casefold(), name)) if direction else []
    rest = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    went = {"rating_before": before, "rating_after": after, "level_after": level_of([after])[0]}
    who = {"platforms": len(cell), "names": ", ".join(shown[:most]) + rest}
    return {**went, "direction": direction or "stayed", **who}


PART_COLUMNS: Final = schema(
    "surface state:str risk:rating clauses to_read high med low weight points product:Int64 decided_by:object"
)
_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}


def rating_parts(surfaces: pd.DataFrame, findings: pd.DataFrame, formula: Mapping[str, object]) -> pd.DataFrame:
    """Show how much each surface brings to the rating of one platform.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        `frames.SURFACES_COLUMNS` of one platform.
    findings : pandas.DataFrame
        `frames.FINDINGS_COLUMNS` of the same platform.
    formula : mapping
        As the service publishes it: `weights` (surface -> weight) and `points` (level -> points).

    Returns
    -------
    pandas.DataFrame
        `surface`, `state` str, `risk` category (missing where the surface has no level), `clauses` Int64 (near-copies not
        counted twice), `to_read` Int64 (clauses to read), `high`, `med`, `low` Int64 (clauses by level, those that the
        formula leaves aside too; missing where clauses are counted and none is shown), `weight`, `points`, `product` Int64
        (weight times points; missing without a level, or where the formula does not name it), `decided_by` list of finding
        identifiers. What brings most first, surfaces without a level last.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> parts = analysis.rating_parts(one.surfaces, one.findings, one.extraction["rating"])
    >>> parts[["surface", "risk", "weight", "points", "product"]].head(3)
                 surface  risk  weight  points  product
    0       training_use  HIGH       3       2        6
    1    content_license  HIGH       3       2        6
    2  web_data_training  HIGH       2       2        4
    """
    weights, points = (_numbers(formula.get(name)) for name in ("weights", "points"))
    with_columns(findings, "rating_parts", "surface", "risk", "duplicate_of")
    alone = findings[findings["duplicate_of"].isna()]
    told = with_columns(surfaces, "rating_parts", "surface", "risk", "count", "state")
    told = told.rename(columns={"count": "clauses"})
    hidden = set(told.loc[told["clauses"] > 0, "surface"]) - set(findings["surface"])
    for level in RATINGS:
        clauses = alone.loc[alone["risk"] == level, "surface"].value_counts()
        told[level.lower()] = told["surface"].map(clauses).fillna(0).mask(told["surface"].isin(hidden))
    weight, point = told["surface"].map(weights).astype("Int64"), told["risk"].map(points).astype("Int64")
    decided = told.reindex(columns=["decided_by"])["decided_by"].map(items_of)
    parts = told.assign(weight=weight, points=point, product=weight * point, decided_by=decided)
    order = {"without": parts["risk"].isna(), "brings": -parts["product"].fillna(0), "counts": -weight.fillna(0)}
    ranked = parts.assign(**order, place=parts["surface"].map(_ORDER).fillna(len(_ORDER)))
    return cut_to(ranked.sort_values([*order, "place"]), PART_COLUMNS)


def _numbers(value: object) -> dict[str, int]:
    """Return the entries of a mapping whose values are whole numbers; none where it is no mapping."""
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {str(key): number for key, number in pairs if isinstance(number, int) and not isinstance(number, bool)}


def rating_mean(parts: pd.DataFrame) -> float | None:
    """Return the weighted mean of a platform's levels, from which its rating follows.

    Parameters
    ----------
    parts : pandas.DataFrame
        What `rating_parts` returned.

    Returns
    -------
    float or None
        The sum of `product` over the sum of `weight`, of the surfaces that have both; None where none has.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> parts = analysis.rating_parts(one.surfaces, one.findings, one.extraction["rating"])
    >>> round(analysis.rating_mean(parts), 2)
    1.78
    """
    weight, product = sums(with_columns(parts, "rating_mean", "weight", "product"))
    return product / weight if weight else None


def sums(parts: pd.DataFrame) -> tuple[int, int]:
    """Return the sums of weight and product over the surfaces that bring something to the mean."""
    counted = parts[parts["product"].notna()]
    return int(counted["weight"].sum()), int(counted["product"].sum())
