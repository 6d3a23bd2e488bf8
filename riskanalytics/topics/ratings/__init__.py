"""Ratings of all platforms: counts, history, changes, and the explanation of one rating."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import is_missing, level_of, mapping_of
from riskanalytics.models import RATINGS
from riskanalytics.text.wording import listed

from ..changes import Moment, between, rating_direction
from ..shape import NOT_GIVEN, Dtypes, cut_to, items_of, ordered, schema, shaped, with_columns

__all__ = ["rating_history", "rating_mean", "rating_mix", "rating_moves", "rating_parts", "rating_transitions"]

NOT_KNOWN: Final = "not known"
"""Word in place of the rating of a platform whose state on a date is not known."""
NOT_TRACKED: Final = "not tracked"
"""Word in place of the rating of a platform that was not tracked on a date."""

MIX_COLUMNS: Final = schema("rating:rating level:level platforms total:Int64 share:Float64")
HISTORY_COLUMNS: Final = schema("date:time rating:rating level:level known:bool platforms total:Int64 share:Float64")
MOVE_COLUMNS: Final = schema(
    "slug name:str rating_before rating_after:rating level_before level_after:level direction:str"
)
TRANSITION_COLUMNS: Final = schema(
    "since until:time rating_before rating_after:rating level_after:level direction:str platforms total:Int64 names:str"
)
PART_COLUMNS: Final = schema(
    "surface state:str risk:rating clauses to_read high med low weight points product:Int64 decided_by:object"
)
SIDES: Final = ["rating_before", "rating_after"]
_DIRECTIONS: Final = ("up", "unclear", "down", "other_texts", "appeared", "disappeared")
"""Directions of a move, in the order of `rating_moves`."""
_ORDER: Final = {"HIGH": 0, "MED": 1, "LOW": 2, NOT_KNOWN: 4, NOT_TRACKED: 5}


def rating_mix(platforms: pd.DataFrame) -> pd.DataFrame:
    """Count platforms by rating.

    Parameters
    ----------
    platforms : pandas.DataFrame
        One row for each platform, with the column `rating`.

    Returns
    -------
    pandas.DataFrame
        `rating`, `level` ordered category (the rating; UNKNOWN if it is not LOW, MED or HIGH), `platforms` Int64 (with this
        rating), `total` Int64 (all platforms), `share` Float64 0..1. One row for each of HIGH, MED and LOW, then one for each
        other rating that occurs, in alphabetical order. Empty without platforms.

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
    return _counted(ratings, pd.Series("now", ratings.index), MIX_COLUMNS)


def _given(frame: pd.DataFrame) -> pd.Series[str]:
    """Return the ratings of platforms; `not given` if a rating is missing or empty."""
    return frame["rating"].astype("str").replace("", None).fillna(NOT_GIVEN)


def _counted(ratings: pd.Series[str], dates: pd.Series, columns: Dtypes) -> pd.DataFrame:
    """Count ratings on each day: the known ratings worst first, then the others that occur on any day."""
    order = sorted({*RATINGS, *ratings}, key=rating_place)
    counts = pd.crosstab(dates, ratings).reindex(columns=order, fill_value=0)
    rows = counts.rename_axis("date").reset_index().melt("date", var_name="rating", value_name="platforms")
    rows = rows.sort_values("date", kind="stable")
    rows["total"] = rows.groupby("date")["platforms"].transform("sum")
    level, known = level_of(rows["rating"]), rows["rating"] != NOT_KNOWN
    return cut_to(rows.assign(level=level, known=known, share=rows["platforms"] / rows["total"]), columns)


def rating_history(history: pd.DataFrame) -> pd.DataFrame:
    """Count platforms by rating on each date.

    Parameters
    ----------
    history : pandas.DataFrame
        Result of `data.history()`: one row for each platform and date, with `date`, `rating`, and `known` (False if the rating
        on that date is not known).

    Returns
    -------
    pandas.DataFrame
        One row for each date and rating: `date` datetime64[us, UTC], `rating` category, `level` category (the rating; UNKNOWN
        if it is not LOW, MED or HIGH), `known` bool, `platforms` Int64 (with this rating), `total` Int64 (all platforms of that
        date), `share` Float64 0..1. A rating that occurs on any date has a row on each date. Platforms whose rating is not
        known are counted in a row with the rating `not known` and `known` False. Sorted by date, then HIGH, MED, LOW, others in
        alphabetical order.

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
    with_columns(history, "rating_history", "date", "rating", "known")
    return _counted(_known(history), history["date"], HISTORY_COLUMNS)


def _known(history: pd.DataFrame) -> pd.Series[str]:
    """Return the ratings of platforms; `not known` if their state on that date is not known."""
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
        Platforms on the two dates: `slug`, `name`, `rating`.
    changes : pandas.DataFrame, optional
        All recorded changes of the platforms (`data.changes()`), of every class. If they are given, a rating that differs
        although no change moved it has the direction `other_texts`: other documents were read, the vendor changed nothing.
    since, until : str, date or datetime, optional
        Use only the changes of this half-open period [since, until) in UTC. By default all changes are used.

    Returns
    -------
    pandas.DataFrame
        One row for each platform: `slug`, `name` str, `rating_before`, `rating_after` category (missing if the platform was not
        tracked on that date), `level_before`, `level_after` category (the same; UNKNOWN if it is not LOW, MED or HIGH),
        `direction` str: `up`, `unclear` (from or to a rating other than LOW, MED, HIGH), `down`, `other_texts` (see `changes`),
        `appeared` or `disappeared` (tracked on only one of the dates). Sorted by direction in this order, then by name. Platforms
        tracked on both dates are left out if their rating is the same, or is missing on one of them.

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
    both = _both(*(with_columns(side, "rating_moves", "slug", "name", "rating") for side in (before, after)))
    if changes is not None:
        both["direction"] = _moved_by(both, changes, since, until)
    moved = both[both["direction"] != ""]
    levels = {f"level_{side}": level_of(moved[f"rating_{side}"]) for side in ("before", "after")}
    ranked = moved.assign(**levels, order=moved["direction"].map(_DIRECTIONS.index))
    return cut_to(ordered(ranked, "order", "name", "slug"), MOVE_COLUMNS)


def _both(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return the platforms of two dates: newest name, both ratings, and the direction of the move, empty without a move."""
    sides = (side[["slug", "name", "rating"]].astype({"rating": "str"}) for side in (before, after))
    both = next(sides).merge(next(sides), "outer", "slug", suffixes=("_before", "_after"), indicator="listed")
    directions = [
        {"left_only": "disappeared", "right_only": "appeared"}.get(side)
        or ("" if is_missing(old) or is_missing(new) else rating_direction(old, new))
        for side, old, new in both[["listed", *SIDES]].itertuples(index=False)
    ]
    names = both[["name_after", "name_before", "slug"]].replace("", None).bfill(axis=1)["name_after"].astype("str")
    return both.assign(name=names, direction=pd.Series(directions, both.index, dtype="str"))


def _moved_by(both: pd.DataFrame, changes: pd.DataFrame, since: Moment | None, until: Moment | None) -> pd.Series[str]:
    """Return the direction of each rating; `other_texts` if it differs although no change moved it."""
    period = between(changes, "rating_moves", since, until)
    sides = period[SIDES].astype("str")
    moving = period["slug"][sides.isna().any(axis=1) | (sides["rating_before"] != sides["rating_after"])]
    known = (both[SIDES] != NOT_KNOWN).all(axis=1)
    unmoved = both["direction"].isin(_DIRECTIONS[:3]) & known & ~both["slug"].isin(moving)
    return both["direction"].mask(unmoved, "other_texts")


def rating_transitions(history: pd.DataFrame, changes: pd.DataFrame | None = None) -> pd.DataFrame:
    """Count platforms by their ratings on the first and on the last date of a history.

    Parameters
    ----------
    history : pandas.DataFrame
        Result of `data.history()`: one row for each platform and date, with `slug`, `name`, `date`, `rating`, `known`.
    changes : pandas.DataFrame, optional
        All changes between the two dates, material or not. If they are given, a rating that differs although no change moved
        it has the direction `other_texts`, as in `rating_moves`.

    Returns
    -------
    pandas.DataFrame
        One row for each pair of ratings and direction that occurs: `since`, `until` datetime64[us, UTC] (the two dates),
        `rating_before`, `rating_after` category (`not known` if the rating on that date is not known, `not tracked` if the
        platform was not tracked), `level_after` category, `direction` str (`stayed`, or as in `rating_moves`), `platforms`
        Int64, `total` Int64 (platforms tracked on either date), `names` str (of the platforms whose rating differs; empty for
        `stayed`). Sorted by rating: HIGH, MED, LOW, other ratings, not known, not tracked. Empty if the history has fewer than
        two dates.

    Examples
    --------
    >>> went = analysis.rating_transitions(data.history(3), data.changes())
    >>> went.query("direction != 'stayed'")[["rating_before", "rating_after", "names"]]
    Empty DataFrame
    Columns: [rating_before, rating_after, names]
    Index: []
    """
    with_columns(history, "rating_transitions", "slug", "name", "date", "rating", "known")
    dates = sorted(history["date"].unique())
    if len(dates) < 2:
        return shaped([], TRANSITION_COLUMNS)
    rated, ends = history.assign(rating=_known(history)), (dates[0], dates[-1])
    both = _both(*(rated[rated["date"] == end] for end in ends))
    if changes is not None:  # a date means the end of its day
        since, until = (end + pd.Timedelta(days=1) for end in ends)
        both["direction"] = _moved_by(both, changes, since, until)
    both = both.fillna(dict.fromkeys(SIDES, NOT_TRACKED)).replace({"direction": {"": "stayed"}})
    both["name"] = both["name"].mask(both["direction"] == "stayed")
    by_cell = ordered(both.sort_values("name"), "name").groupby([*SIDES, "direction"])["name"]
    cells = by_cell.agg(platforms="size", names=lambda group: listed(list(group.dropna()), 12)).reset_index()
    order = {side: cells[side].map(rating_place) for side in SIDES} | {"other": cells["direction"] == "other_texts"}
    cells = cells.loc[pd.DataFrame(order).sort_values(list(order)).index]
    cells = cells.assign(since=ends[0], until=ends[1], total=len(both), level_after=level_of(cells["rating_after"]))
    return cut_to(cells, TRANSITION_COLUMNS)


def rating_place(rating: str) -> tuple[int, str]:
    """Return a sort key for ratings: HIGH, MED, LOW, then other words in alphabetical order, then `not known`, `not tracked`."""
    return _ORDER.get(rating, 3), rating


def rating_parts(surfaces: pd.DataFrame, findings: pd.DataFrame, formula: Mapping[str, object]) -> pd.DataFrame:
    """Return the contribution of each surface to the rating of one platform.

    Parameters
    ----------
    surfaces : pandas.DataFrame
        The rows of one platform in `data.surfaces`.
    findings : pandas.DataFrame
        The rows of the same platform in `data.findings`.
    formula : mapping
        The rating formula that the service publishes, `data.extraction["rating"]`: its `weights` (surface -> weight) and
        `points` (level -> points) are used.

    Returns
    -------
    pandas.DataFrame
        One row for each surface: `surface`, `state` str, `risk` category (its level; missing if it has none), `clauses` Int64
        (number of findings; findings that repeat another one do not count), `to_read` Int64 (number of clauses that a person
        must read), `high`, `med`, `low` Int64 (numbers of findings of each level, including those that the formula ignores;
        missing if the service gives only the number of all findings), `weight` Int64 (of the surface; missing if the formula
        gives none), `points` Int64 (of the level) and `product` Int64 (weight times points; both missing if the formula does not
        give them or the surface has no level), `decided_by` list (identifiers of the findings that decided the level). The
        largest product first, surfaces without a level last.

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
    weights, points = (
        {key: number for key, number in mapping_of(formula.get(name)).items() if type(number) is int}
        for name in ("weights", "points")
    )
    alone = with_columns(findings, "rating_parts", "surface", "risk", "duplicate_of")
    alone = alone[alone["duplicate_of"].isna()]
    parts = surfaces.rename(columns={"count": "clauses"})
    hidden = (parts["clauses"] > 0) & ~parts["surface"].isin(findings["surface"])
    for level in RATINGS:
        clauses = alone.loc[alone["risk"] == level, "surface"].value_counts()
        parts[level.lower()] = parts["surface"].map(clauses).fillna(0).mask(hidden)
    weight, point = parts["surface"].map(weights).astype("Int64"), parts["risk"].map(points).astype("Int64")
    parts = parts.assign(weight=weight, points=point, product=weight * point)
    parts["decided_by"] = parts.reindex(columns=["decided_by"])["decided_by"].map(items_of)
    ranked = ordered(parts.assign(without=parts["risk"].isna()), "without", "-product", "-weight", "surface")
    return cut_to(ranked, PART_COLUMNS)


def rating_mean(parts: pd.DataFrame) -> float | None:
    """Return the weighted mean of a platform's levels, which decides its rating.

    Parameters
    ----------
    parts : pandas.DataFrame
        Result of `rating_parts`.

    Returns
    -------
    float or None
        Sum of `product` divided by sum of `weight`, over the surfaces that have both; None if no surface has both.

    Examples
    --------
    >>> one = data.of(["orvewick-voice"])
    >>> parts = analysis.rating_parts(one.surfaces, one.findings, one.extraction["rating"])
    >>> round(analysis.rating_mean(parts), 2)
    1.78
    """
    weight, product = sums(parts)
    return product / weight if weight else None


def sums(parts: pd.DataFrame) -> tuple[int, int]:
    """Return the sum of the weights and the sum of the products (weight times points) of the surfaces that have a product.

    `parts` is the result of `rating_parts`.
    """
    counted = parts.dropna(subset="product")
    return int(counted["weight"].sum()), int(counted["product"].sum())
