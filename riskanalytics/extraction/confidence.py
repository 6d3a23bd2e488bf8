"""How sure a finding is: the measured precision of what decided, a rule or a kind of the model, with its interval.

Measured on labelled clauses of vendors left out of the learning and of platforms never seen
(riskanalytics.accuracy.measure writes the counts): of the clauses that a rule, or one kind of the model's findings,
took and that somebody judged, how many were rightly taken. Both are called a rule here; the model's are
`surface.learned.kind`. One that was seldom judged leans on those of its surface, and a surface on all surfaces
(beta-binomial, the level above as the prior):

    p      = (r + 1/2) / (n + 1)                    all rules: r right of n judged
    p_s    = (r_s + K p + 1/2) / (n_s + K + 1)      the rules of one surface
    p_rule = (r_rule + K p_s) / (n_rule + K)        one rule

K = 5: what stands above weighs as much as five judged clauses; the halves are Jeffreys' prior, so that nothing is
ever certain. The interval is Wilson's score interval at 95 % (Wilson 1927, JASA 22:209) of p_rule in n_rule + K
trials.
"""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

_Z: Final = 1.959964
_WEIGHT: Final = 5
"""Judged clauses that the level above weighs as much as; K of the module."""

Counts = Mapping[str, tuple[int, int]]
"""Right and judged findings of each rule, by its identifier."""


def wilson(right: float, judged: float) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a proportion.

    Parameters
    ----------
    right, judged : float
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


def shrunk(rule: str, counts: Counts) -> tuple[float, tuple[float, float]]:
    """Return the confidence that counts of judged findings give to a rule, by the formula of the module.

    Parameters
    ----------
    rule : str
        Its identifier, `surface.name`.
    counts : mapping of str to (int, int)
        Right and judged findings of each rule.

    Returns
    -------
    tuple of float and (float, float)
        Share of findings that are right, 0 to 1, and its interval.
    """
    surface = rule.partition(".")[0] + "."
    right, judged = _sum(counts, "")
    over_all = (right + 0.5) / (judged + 1)
    right, judged = _sum(counts, surface)
    of_surface = (right + _WEIGHT * over_all + 0.5) / (judged + _WEIGHT + 1)
    right, judged = counts.get(rule, (0, 0))
    given, trials = right + _WEIGHT * of_surface, judged + _WEIGHT
    low, high = wilson(given, trials)
    return round(given / trials, 3), (round(low, 3), round(high, 3))


def _sum(counts: Counts, beginning: str) -> tuple[int, int]:
    """Right and judged findings of all rules whose names begin in one way."""
    rows = [row for name, row in counts.items() if name.startswith(beginning)]
    return sum(right for right, _ in rows), sum(judged for _, judged in rows)


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
    return shrunk(rule, _counts())


def accuracy() -> dict[str, Any]:
    """Return how well rules and model read labelled clauses, as last measured.

    Returns
    -------
    dict
        `precision` (of what was judged), `recall`, `f1` (0 to 1), `labelled_clauses` (count), `tuned_on_them`
        (whether the rules were written with these clauses at hand, so that clauses never seen are read less well),
        `measured_on` (ISO 8601 day), `rules` (version of rules and weights measured); `vendors_left_out`: the same with
        each family of vendors read by weights that were learned without it, and scored by the rules and kinds that the
        others justify (`riskanalytics.accuracy.vendors`): `measured_on`, `families` (count), `precision`, `recall` and,
        by surface and in all, objects of `value`, `low`, `high` (Wilson's interval), `part`, `whole`;
        `mean_confidence`, `share_right` and `brier` of the findings' confidence; and `never_seen`, on platforms from which no
        rule was written and no weight learned: `measured_on`, `platforms`, `texts`, `lookalikes`,
        `lookalikes_reported`, `levels_right` (counts), and the same shares.
    """
    figures = dict(_measured()["figures"])
    for name in ("vendors_left_out", "never_seen"):
        if name in figures:
            figures[name] = _with_shares(figures[name])
    return figures


def _with_shares(told: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the counts of the surfaces into shares with intervals."""
    counts = told["surfaces"]
    sums = {key: sum(row[key] for row in counts.values()) for key in ("right", "judged", "found", "labelled")}
    return {**told, **_shares(sums), "surfaces": {name: _shares(row) for name, row in counts.items()}}


def _shares(row: Mapping[str, int]) -> dict[str, Any]:
    """Precision and recall from their counts, with intervals."""
    return {
        "precision": _share(row["right"], row["judged"]),
        "recall": _share(row["found"], row["labelled"]),
    }


def _share(part: int, whole: int) -> dict[str, Any]:
    """A share of a count, with its interval; unknown of nothing."""
    low, high = wilson(part, whole)
    known = {"value": round(part / whole, 3), "low": round(low, 3), "high": round(high, 3)} if whole else {}
    return {"value": None, "low": None, "high": None} | known | {"part": part, "whole": whole}


def counts_version() -> str:
    """Return what tells one measurement from another: the beginning of a hash of the rules' counts.

    Returns
    -------
    str
    """
    return hashlib.sha256(repr(sorted(_counts().items())).encode()).hexdigest()[:6]


@cache
def _counts() -> dict[str, tuple[int, int]]:
    """Right and judged findings of each rule, as measured."""
    return {name: (int(row["right"]), int(row["judged"])) for name, row in _measured()["rules"].items()}


@cache
def _measured() -> dict[str, Any]:
    """What riskanalytics.accuracy.measure wrote."""
    return tomllib.loads(resources.files(__package__).joinpath("rules", "measured.toml").read_text(encoding="utf-8"))
