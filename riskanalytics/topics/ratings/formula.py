"""How one platform's rating is made up of its surfaces, by the formula that the service publishes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pandas as pd

from riskanalytics.frames import RATING
from riskanalytics.models import RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.shape import cut_to, items_of, with_columns

__all__ = ["rating_mean", "rating_parts"]

PART_COLUMNS: Final = {
    **dict.fromkeys(("surface", "state"), "str"),
    "risk": RATING,
    **dict.fromkeys(("clauses", "to_read", "high", "med", "low", "weight", "points", "product"), "Int64"),
    "decided_by": "object",
}
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
    told = with_columns(surfaces, "rating_parts", "surface", "risk", "count", "state").rename(
        columns={"count": "clauses"}
    )
    hidden = set(told.loc[told["clauses"] > 0, "surface"]) - set(findings["surface"])
    for level in RATINGS:
        clauses = alone.loc[alone["risk"] == level, "surface"].value_counts()
        told[level.lower()] = told["surface"].map(clauses).fillna(0).mask(told["surface"].isin(hidden))
    weight, point = (
        told[key].map(numbers).astype("Int64") for key, numbers in (("surface", weights), ("risk", points))
    )
    decided = told.reindex(columns=["decided_by"])["decided_by"].map(items_of)
    parts = told.assign(weight=weight, points=point, product=weight * point, decided_by=decided)
    ranked = parts.assign(
        without=parts["risk"].isna(),
        brings=parts["product"].fillna(0),
        counts=weight.fillna(0),
        order=parts["surface"].map(_ORDER).fillna(len(_ORDER)),
    ).sort_values(["without", "brings", "counts", "order"], ascending=[True, False, False, True])
    return cut_to(ranked, PART_COLUMNS)


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
