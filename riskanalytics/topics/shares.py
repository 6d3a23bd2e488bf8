"""Shares of a whole, and how far they may lie from that of all of its kind."""

from __future__ import annotations

from math import sqrt
from typing import Final

__all__ = ["wilson_interval"]

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
