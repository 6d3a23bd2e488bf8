"""How one platform's rating is made up of its surfaces, by the formula that the service publishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.models import RATINGS
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.shape import is_missing, items_of, records, shaped, word_of

__all__ = ["rating_mean", "rating_parts"]

PART_COLUMNS: Final = {
    "surface": "str",
    "state": "str",
    "risk": "str",
    "clauses": "Int64",
    "high": "Int64",
    "med": "Int64",
    "low": "Int64",
    "weight": "Int64",
    "points": "Int64",
    "product": "Int64",
    "decided_by": "object",
}
_ORDER: Final = {surface: place for place, surface in enumerate(SURFACES)}


def rating_parts(surfaces: pd.DataFrame, findings: pd.DataFrame, formula: Mapping[str, Any]) -> pd.DataFrame:
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
        `surface`, `state` str, `risk` str (missing where the surface has no level), `clauses` Int64 (near-copies not
        counted twice), of them `high`, `med`, `low` by level Int64 (those that the formula leaves aside too), `weight`, `points`,
        `product` Int64 (weight times points; missing without a level, or where the formula does not name it),
        `decided_by` list of finding identifiers. What brings most first, surfaces without a level last.

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
    levels = Counter(
        (word_of(row["surface"]), word_of(row["risk"]))
        for row in records(findings, "rating_parts", "surface", "risk", "duplicate_of")
        if is_missing(row["duplicate_of"])
    )
    rows = []
    for row in records(surfaces, "rating_parts", "surface", "risk", "count", "state"):
        surface = word_of(row["surface"])
        weight, point = weights.get(surface), points.get(word_of(row["risk"]))
        told = {
            "clauses": row["count"],
            "weight": weight,
            "points": point,
            "product": None if weight is None or point is None else weight * point,
            "decided_by": items_of(row.get("decided_by")),
        }
        rows.append(row | told | {level.lower(): levels[surface, level] for level in RATINGS})
    rows.sort(key=_heaviest)
    return shaped(rows, PART_COLUMNS)


def _numbers(value: object) -> dict[str, int]:
    """Return the entries of a mapping whose values are whole numbers; none where it is no mapping."""
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {str(key): number for key, number in pairs if isinstance(number, int) and not isinstance(number, bool)}


def _heaviest(row: dict[str, Any]) -> tuple[bool, int, int, int]:
    """Return the sort key of a surface: what brings most first, surfaces without a level last."""
    product, weight = row["product"], row["weight"]
    return (is_missing(row["risk"]), -(product or 0), -(weight or 0), _ORDER.get(row["surface"], len(_ORDER)))


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
    counted = [row for row in records(parts, "rating_mean", "weight", "product") if not is_missing(row["product"])]
    weight = sum(int(row["weight"]) for row in counted)
    return sum(int(row["product"]) for row in counted) / weight if weight else None
