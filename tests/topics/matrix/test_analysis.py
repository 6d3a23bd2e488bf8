"""The matrix of levels: same columns for any rows, nothing lost, and the unknown kept apart."""

from __future__ import annotations

import pandas as pd

from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.matrix import analysis
from riskanalytics.topics.matrix.surface import surface_matrix
from tests.frames_given import CELLS, FINDINGS, PLATFORMS, Market, given


def frames(market: Market) -> dict[str, pd.DataFrame]:
    matrix = analysis.risk_matrix(market.findings, market.cells, market.platforms)
    return {
        "risk_matrix": matrix,
        "surface_matrix": surface_matrix(matrix, "training_use"),
        "level_counts": analysis.level_counts(matrix),
        "worst_platforms": analysis.worst_platforms(matrix),
    }


def test_columns_and_dtypes_do_not_depend_on_the_rows() -> None:
    none, one, many = (frames(Market(size)) for size in (0, 1, 60))
    for name in many:
        assert none[name].dtypes.to_dict() == one[name].dtypes.to_dict() == many[name].dtypes.to_dict()
        assert isinstance(many[name].index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    before = {name: frame.copy(deep=True) for name, frame in vars(market).items() if hasattr(frame, "columns")}
    first = frames(market)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(vars(market)[name], frame)
        setattr(market, name, frame.iloc[::-1].reset_index(drop=True))
    for name, frame in frames(market).items():
        pd.testing.assert_frame_equal(frame, first[name])


def test_a_matrix_from_findings_alone_knows_no_quiet_surface_and_no_low_beside_an_unknown() -> None:
    findings = given(
        FINDINGS,
        {"slug": "opal", "surface": "training_use", "risk": "LOW"},
        {"slug": "opal", "surface": "training_use", "risk": None},
        {"slug": "opal", "surface": "voice_cloning", "risk": "HIGH"},
        {"slug": "opal", "surface": "voice_cloning", "risk": "HIGH", "duplicate_of": "x"},
    )
    cells = analysis.risk_matrix(findings).set_index("surface")
    assert list(cells.index) == [*SURFACES, "voice_cloning"]
    assert cells.loc["training_use", "level"] == "UNKNOWN"
    assert cells.loc["voice_cloning", ["level", "count"]].tolist() == ["HIGH", 1]
    assert set(cells.loc[list(SURFACES[1:]), "state"]) == {"unread"}
    assert cells.loc["human_review", "count"] is pd.NA


def test_the_worst_come_by_rating_then_high_then_med_and_the_unknown_before_the_low() -> None:
    ratings = {"a": "LOW", "b": "HIGH", "c": "UNRATED", "d": "HIGH", "e": "MED"}
    cells = given(CELLS, {"slug": "d", "surface": "ip_liability", "risk": "HIGH", "state": "found", "count": 1})
    platforms = given(PLATFORMS, *({"slug": s, "rating": r} for s, r in ratings.items()))
    matrix = analysis.risk_matrix(given(FINDINGS), cells, platforms)
    worst = analysis.worst_platforms(matrix, 5)
    assert worst["slug"].tolist() == ["d", "b", "e", "c", "a"]
    assert worst.loc[0, ["high", "unknown", "surfaces"]].tolist() == [1, len(SURFACES) - 1, len(SURFACES)]
    assert (analysis.level_counts(matrix).groupby("surface")["platforms"].sum() == 5).all()
