"""The matrix of levels: same columns for any rows, nothing lost, and the unknown kept apart."""

from __future__ import annotations

import pandas as pd
import pytest

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
    nameless = given(PLATFORMS, {"slug": "opal", "name": ""}, {"slug": "tarn", "name": None})
    assert analysis.risk_matrix(given(FINDINGS), cells, nameless)["name"].unique().tolist() == ["opal", "tarn"]


def test_the_worst_come_by_rating_then_high_then_med_and_the_unknown_before_the_low() -> None:
    ratings = {"a": "LOW", "b": "HIGH", "c": "UNRATED", "d": "HIGH", "e": "MED"}
    cells = given(CELLS, {"slug": "d", "surface": "ip_liability", "risk": "HIGH", "state": "found", "count": 1})
    platforms = given(PLATFORMS, *({"slug": s, "rating": r} for s, r in ratings.items()))
    matrix = analysis.risk_matrix(given(FINDINGS), cells, platforms)
    worst = analysis.worst_platforms(matrix, 5)
    assert worst["slug"].tolist() == ["d", "b", "e", "c", "a"]
    assert worst.loc[0, ["high", "unread", "surfaces"]].tolist() == [1, len(SURFACES) - 1, len(SURFACES)]
    assert (analysis.level_counts(matrix).groupby("surface")["platforms"].sum() == 5).all()
    silent = analysis.risk_matrix(given(FINDINGS), cells.assign(state="quiet"), platforms)
    counts = analysis.level_counts(silent).set_index(["surface", "state", "level"])["platforms"]
    assert counts.loc["ip_liability", "quiet", "UNKNOWN"] == 1  # whatever its level


def test_equal_ratings_are_ordered_by_surfaces_that_are_med_then_by_name_and_counted_by_their_worst_surface() -> None:
    found = [
        ("a", "human_review", "MED"),
        ("a", "ip_liability", "MED"),
        ("b", "human_review", "MED"),
        ("d", "ip_liability", "LOW"),
    ]
    rows = [{"slug": s, "surface": surface, "risk": risk, "state": "found", "count": 1} for s, surface, risk in found]
    names = {"a": "Zeta", "b": "Yew", "c": "Xylo", "d": "Wren"}
    platforms = given(PLATFORMS, *({"slug": s, "name": name, "rating": "MED"} for s, name in names.items()))
    matrix = analysis.risk_matrix(given(FINDINGS), given(CELLS, *rows), platforms)
    worst = analysis.worst_platforms(matrix)
    assert worst[["rank", "slug", "med", "low"]].values.tolist() == [
        [1, "a", 2, 0], [2, "b", 1, 0], [3, "d", 0, 1], [4, "c", 0, 0],
    ]  # fmt: skip
    counts = analysis.level_counts(matrix)
    assert list(counts["surface"].unique()[:3]) == ["human_review", "ip_liability", SURFACES[0]]
    liability = counts[counts["surface"] == "ip_liability"]
    assert list(zip(liability["state"], liability["level"], liability["share"], strict=True)) == [
        ("found", "HIGH", 0), ("found", "MED", 0.25), ("found", "LOW", 0.25), ("quiet", "UNKNOWN", 0),
        ("found", "UNKNOWN", 0), ("to_read", "UNKNOWN", 0), ("unread", "UNKNOWN", 0.5),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "mark", "words"),
    [({"level": "HIGH", "state": "found"}, "HIGH", "not read"), ({"level": "HIGH", "state": "quiet"}, "QUIET", "no clause found"),
     ({"level": "UNKNOWN", "state": "found", "count": 1, "to_read": 2}, "TO_READ", "to be read (2 clauses)"),
     ({"level": "UNKNOWN", "state": "found", "count": 1, "to_read": 0}, "TO_READ", "to be read (1 clause)"),
     ({"level": "UNKNOWN", "state": "haunted"}, "UNREAD", "not read"), ({"level": "UNKNOWN", "state": None}, "UNREAD", "not read")],
)  # fmt: skip
def test_a_cell_is_silent_only_if_its_state_says_so(cell: dict[str, object], mark: str, words: str) -> None:
    assert (analysis.mark_of(cell), analysis.cell_words(cell)) == (mark, words)


def test_the_day_of_a_cell_is_that_of_its_newest_clause() -> None:
    cell = {"slug": "opal", "surface": "training_use", "risk": "HIGH", "state": "found", "count": 2}
    rows = [cell | {"captured_at": f"2026-07-{day:02}"} for day in (9, 30, 12)]
    made = analysis.risk_matrix(given(FINDINGS, *rows), given(CELLS, cell)).set_index("surface")
    assert f"{made.loc['training_use', 'latest']:%F}" == "2026-07-30"
