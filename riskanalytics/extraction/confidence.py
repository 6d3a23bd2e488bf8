"""How sure a finding is: the measured precision of the rule that decided, with its interval.

Measured on labelled clauses (riskanalytics.accuracy.measure writes the counts): of the clauses that a rule took and that
somebody judged, how many were rightly taken. Wilson's score interval at 95 % (Wilson 1927, JASA 22:209).
A rule judged fewer than five times is given what all rules of its surface reached together.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib import resources
from typing import Any, Final

_Z: Final = 1.959964
_FEWEST: Final = 5
_PRIOR: Final = (7, 10)
"""Right and judged, where neither the rule nor its surface was measured."""


def wilson(right: int, judged: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a proportion.

    Parameters
    ----------
    right, judged : int
        Successes and trials; 0 <= right <= judged.

    Returns
    -------
    tuple of float
        Lower and upper bound; (0, 1) without trials.
    """
    if judged == 0:
        return 0.0, 1.0
    share = right / judged
    middle = share + _Z * _Z / (2 * judged)
    width = _Z * math.sqrt(share * (1 - share) / judged + _Z * _Z / (4 * judged * judged))
    scale = 1 + _Z * _Z / judged
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


@cache
def confidence_of(rule: str) -> tuple[float, tuple[float, float]]:
    """Return the confidence of a rule's findings.

    Parameters
    ----------
    rule : str
        Its identifier, `surface.name`.

    Returns
    -------
    tuple of float and (float, float)
        Share of findings that were right, 0 to 1, and its interval.
    """
    right, judged = _counts().get(rule, (0, 0))
    if judged < _FEWEST:
        surface = rule.partition(".")[0] + "."
        rows = [counts for name, counts in _counts().items() if name.startswith(surface)]
        right, judged = sum(row[0] for row in rows), sum(row[1] for row in rows)
    if judged < _FEWEST:
        right, judged = _PRIOR
    low, high = wilson(right, judged)
    return round(right / judged, 3), (round(low, 3), round(high, 3))


def accuracy() -> dict[str, float | bool]:
    """Return how well the rules read labelled clauses.

    Returns
    -------
    dict
        `precision`, `recall`, `f1` (0 to 1), `labelled_clauses` (count), `tuned_on_them` (whether the rules were
        written with these clauses at hand, so that clauses never seen are read less well).
    """
    return dict(_measured()["figures"])


@cache
def _counts() -> dict[str, tuple[int, int]]:
    """Right and judged findings of each rule, as measured."""
    return {name: (int(row["right"]), int(row["judged"])) for name, row in _measured()["rules"].items()}


@cache
def _measured() -> dict[str, Any]:
    """What riskanalytics.accuracy.measure wrote."""
    return tomllib.loads(resources.files(__package__).joinpath("rules", "measured.toml").read_text(encoding="utf-8"))
