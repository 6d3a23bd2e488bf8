"""From scores to chances: how often clauses with such a score were right, on vendors left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from riskanalytics.extraction.learned import SCALE, Kind, Sigmoid
from riskanalytics.extraction.sense import effects_of
from riskanalytics.surfaces import SURFACES
from tests.accuracy.examples import Example


def margin_of(one: Example, at: int, kinds: Sequence[Kind], totals: Sequence[int]) -> tuple[float, int, bool]:
    """By how much HIGH is ahead of the other levels, whether a rule says so too, and whether it was judged so."""
    effects, rule = effects_of(one.words, one.lead_in), one.looks.rules.get(SURFACES[at])
    fitting = [place for place, kind in enumerate(kinds) if kind.polarity in effects] or list(range(len(kinds)))
    sides = ([totals[place] for place in fitting if (kinds[place].risk == "HIGH") is high] for high in (True, False))
    high, rest = (max(side, default=-10 * SCALE) for side in sides)
    kind = one.labels.get(SURFACES[at], (None, True))[0]
    return (
        (high - rest) / SCALE,
        int(rule is not None and rule.risk == "HIGH"),
        kind is not None and kind.risk == "HIGH",
    )


def platt(scores: Any, truth: Any, weights: Any, surfaces: Any) -> list[Sigmoid]:
    """Calibrate: one slope, and for each surface a shift that leans on all."""
    columns = np.concatenate([scores[:, None], np.eye(len(SURFACES))[surfaces]], axis=1)
    fitted = LogisticRegression(C=0.3, max_iter=2000).fit(columns, truth, sample_weight=weights)
    slope, *shifts = fitted.coef_[0]
    return [Sigmoid(round(float(slope), 4), round(float(fitted.intercept_[0] + shift), 4)) for shift in shifts]


def bound(chances: Any, right: Any, wanted: float) -> float:
    """The least chance from which so large a share is right."""
    order = np.argsort(-chances, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= wanted)
    enough = enough[enough >= min(50, len(order) - 1)]
    return round(float(chances[order[enough[-1]]]), 3) if len(enough) else 0.99


def bins_of(chances: Any, right: Any) -> list[tuple[float, float, float]]:
    """Wilson's interval of the share that was right, by confidence."""
    found = []
    for start in (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98):
        later = min((edge for edge in (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01) if edge > start), default=1.01)
        inside = (chances >= start) & (chances < later)
        low, high = wilson(int(right[inside].sum()), int(inside.sum()))
        found.append((start, round(low, 3), round(high, 3)))
    return found


_Z = 1.959964


def wilson(right: float, judged: float) -> tuple[float, float]:
    """Wilson's 95 % score interval of a proportion; (0, 1) without trials."""
    if judged == 0:
        return 0.0, 1.0
    share = right / judged
    middle = share + _Z * _Z / (2 * judged)
    width = _Z * math.sqrt(share * (1 - share) / judged + _Z * _Z / (4 * judged * judged))
    scale = 1 + _Z * _Z / judged
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)
