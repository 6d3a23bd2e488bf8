"""Shares of a whole, how far they may lie from that of all of its kind, and the measured shares of the reading itself."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Final

from riskanalytics.frames.building import mapping_of
from riskanalytics.models import ACCURACY_PARTS
from riskanalytics.wording import percent

__all__ = ["found_share", "wilson_interval"]

SHARE_OF_PLATFORMS: Final = {"platforms": "Int64", "total": "Int64", "share": "Float64"}
"""Columns and dtypes of a number of platforms, of how many it is, and what share of these."""


def share(part: int, whole: int) -> float | None:
    """Return part / whole, None where there is nothing to divide by."""
    return part / whole if whole > 0 else None


def wilson_interval(part: int, whole: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return Wilson's score interval for a share.

    Parameters
    ----------
    part, whole : int
        0 <= part <= whole, whole > 0.
    z : float
        Quantile of the normal distribution; the default gives 95 %.

    Returns
    -------
    tuple of float
        Lower and upper bound, within 0..1.

    Examples
    --------
    >>> [round(bound, 2) for bound in analysis.wilson_interval(8, 10)]
    [0.49, 0.94]
    """
    observed = part / whole
    spread = z * sqrt(observed * (1 - observed) / whole + z * z / (4 * whole * whole))
    middle = observed + z * z / (2 * whole)
    scale = 1 + z * z / whole
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def measured(figures: object) -> Iterator[tuple[str, float, float]]:
    """Yield on which documents the reading was measured, its precision and its recall, what is to be shown first first.

    Parameters
    ----------
    figures : object
        What the service tells of its extraction under `figures`.
    """
    for name, where in ACCURACY_PARTS.items():
        whole = mapping_of(mapping_of(mapping_of(mapping_of(figures).get(name)).get("groups")).get("all"))
        precision, recall = (mapping_of(whole.get(share)).get("value") for share in ("precision", "recall"))
        if isinstance(precision, int | float) and isinstance(recall, int | float):
            yield where, float(precision), float(recall)


def found_share(figures: object) -> str:
    """Say which share of what documents say is found: what belongs beside every total of nothing found.

    Parameters
    ----------
    figures : object
        What the service tells of its extraction under `figures`.

    Examples
    --------
    >>> analysis.found_share(data.extraction.get("figures")).replace("\xa0", " ")
    'We find about 52 % of what documents say, so nothing found is no promise.'
    """
    for _, _, recall in measured(figures):
        return f"We find about {percent(recall)} of what documents say, so nothing found is no promise."
    return "Nothing found is no promise."
