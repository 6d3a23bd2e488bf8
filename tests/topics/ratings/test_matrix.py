"""The matrix of levels: same columns for any rows, nothing lost, and the unknown kept apart."""

from __future__ import annotations

import pandas as pd

from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.ratings import matrix as analysis
from tests.frames_given import CELLS, FINDINGS, PLATFORMS, given


def test_a_matrix_has_a_cell_for_every_surface_and_what_is_not_reported_is_unread() -> None:
    cells = given(
        CELLS,
        {"slug": "opal", "surface": "training_use", "risk": "SEVERE", "state": "found", "count": 2},
        {"slug": "opal", "surface": "voice_cloning", "risk": "HIGH", "state": "found", "count": 1},
        {"slug": "opal", "surface": "human_review", "state": "unread", "count": 0},
    )
    made = analysis.risk_matrix(given(FINDINGS), cells).set_index("surface")
    assert list(made.index) == [*SURFACES, "voice_cloning"]
    assert made.loc["training_use", "level"] == "UNKNOWN"
    assert made.loc["voice_cloning", ["level", "count"]].tolist() == ["HIGH", 1]
    assert set(made.loc[list(SURFACES[1:]), "state"]) == {"unread"}
    assert made.loc["human_review", "count"] is pd.NA


def test_the_worst_come_by_rating_then_high_then_med_and_the_unknown_before_the_low() -> None:
    ratings = {"a": "LOW", "b": "HIGH", "c": "UNRATED", "d": "HIGH", "e": "MED"}
    cells = given(CELLS, {"slug": "d", "surface": "ip_liability", "risk": "HIGH", "state": "found", "count": 1})
    platforms = given(PLATFORMS, *({"slug": s, "rating": r} for s, r in ratings.items()))
    matrix = analysis.risk_matrix(given(FINDINGS), cells, platforms)
    worst = analysis.worst_platforms(matrix, 5)
    assert worst["slug"].tolist() == ["d", "b", "e", "c", "a"]
    assert worst.loc[0, ["high", "unread", "surfaces"]].tolist() == [1, len(SURFACES) - 1, len(SURFACES)]
    assert (analysis.level_counts(matrix).groupby("surface")["platforms"].sum() == 5).all()
