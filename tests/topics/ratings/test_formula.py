"""How one rating is made up, in numbers."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import frames
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.ratings import rating_mean, rating_parts

FORMULA = {
    "weights": {"training_use": 3, "human_review": 1, "ip_liability": 1},
    "points": {"LOW": 0, "MED": 1, "HIGH": 2},
}


def cells(**levels: str | None) -> pd.DataFrame:
    surfaces = {
        name: {"count": 2, "risk": risk, "decided_by": [f"f-{name}"]}
        for name, risk in levels.items()
        if risk is not None
    }
    return frames.surfaces_frame([{"slug": "aurelia-chat", "surfaces": surfaces}])


FINDINGS = frames.findings_frame(
    [
        {"surface": "training_use", "risk": "HIGH"},
        {"surface": "training_use", "risk": "HIGH", "duplicate_of": "f-1"},
        {"surface": "training_use", "risk": "LOW"},
    ]
)


def test_a_rating_is_made_of_weights_times_points() -> None:
    parts = rating_parts(cells(training_use="HIGH", human_review="MED", ip_liability="LOW"), FINDINGS, FORMULA)
    known = parts[parts["risk"].notna()]
    assert list(known["surface"]) == ["training_use", "human_review", "ip_liability"]
    assert list(known["product"]) == [6, 1, 0]
    assert known["decided_by"].iloc[0] == ["f-training_use"]
    assert list(parts.iloc[0][["high", "med", "low"]]) == [1, 0, 1]
    assert rating_mean(parts) == pytest.approx(7 / 5)


def test_surfaces_without_a_level_come_last_and_are_not_in_the_mean() -> None:
    parts = rating_parts(cells(ip_liability="HIGH"), FINDINGS, FORMULA)
    assert parts["surface"].iloc[0] == "ip_liability"
    assert parts["product"].notna().sum() == 1
    assert rating_mean(parts) == 2.0


def test_the_largest_product_comes_first_then_the_largest_weight_then_the_order_of_surfaces() -> None:
    given = cells(training_use="LOW", human_review="LOW", ip_liability="MED")
    weights = {"training_use": 1, "human_review": 3, "ip_liability": 1}
    parts = rating_parts(given[::-1].reset_index(drop=True), FINDINGS, FORMULA | {"weights": weights})
    assert list(parts["surface"][:3]) == ["ip_liability", "human_review", "training_use"]
    given = cells(human_review="MED", ip_liability="MED", voice_cloning="MED")
    parts = rating_parts(given[::-1].reset_index(drop=True), FINDINGS, FORMULA | {"weights": {}})
    known = [one for one in SURFACES if one in ("human_review", "ip_liability")]
    assert list(parts["surface"][:3]) == [*known, "voice_cloning"]


def test_how_many_clauses_have_a_level_is_unknown_only_where_a_service_counts_clauses_that_it_does_not_show() -> None:
    near = frames.findings_frame([{"surface": "ip_liability", "risk": "LOW", "duplicate_of": "f-1"}])
    parts = rating_parts(cells(training_use="HIGH", ip_liability="LOW"), near, FORMULA).set_index("surface")
    assert parts.loc["training_use", ["high", "med", "low"]].isna().all()
    assert parts.loc["ip_liability", ["high", "med", "low"]].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "formula",
    [{}, {"weights": 3}, {"weights": {"training_use": "three"}, "points": {"HIGH": 2}},
     {"weights": {"training_use": 3}, "points": {"HIGH": True}}, {"weights": {"training_use": True}, "points": {"HIGH": 2}}],
)  # fmt: skip
def test_a_formula_that_is_not_published_gives_no_mean(formula: dict[str, Any]) -> None:
    parts = rating_parts(cells(training_use="HIGH"), FINDINGS, formula)
    assert parts["product"].isna().all()
    assert rating_mean(parts) is None
