"""One platform: its standing, course, moves, changes and conflicts."""

from __future__ import annotations

from typing import Any

import pandas as pd

from riskanalytics import analysis
from tests.frames_given import (
    CELLS,
    CHANGES,
    DATED_CELLS,
    FINDINGS,
    STATES,
    Market,
    given,
)

SIDES = {"rating_before": "MED", "rating_after": "MED", "stance_before": "silent", "stance_after": "silent"}


def standing(**levels: str | None) -> dict[str, Any]:
    cells = [
        {"slug": slug, "surface": "training_use", "risk": risk, "count": 1, "state": "found" if risk else "quiet"}
        for slug, risk in levels.items()
    ]
    frame = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS, *cells)), "own")
    assert frame["surface"].iloc[0] == "training_use" or levels["own"] is None
    return frame.set_index("surface").loc["training_use"].to_dict()


def made(market: Market) -> list[pd.DataFrame]:
    matrix = analysis.risk_matrix(market.findings, market.cells, market.platforms)
    return [
        analysis.peer_levels(matrix, market.slugs[0] if market.slugs else ""),
        analysis.platform_history(market.states, market.dated_cells),
        analysis.platform_moves(market.states),
        analysis.platform_changes(market.changes),
        analysis.conflicts(market.findings),
    ]


def test_columns_and_dtypes_do_not_depend_on_the_rows() -> None:
    for none, one, many in zip(*(made(Market(size)) for size in (0, 1, 60)), strict=True):
        assert none.dtypes.to_dict() == one.dtypes.to_dict() == many.dtypes.to_dict()
        assert isinstance(many.index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    before = {name: frame.copy(deep=True) for name, frame in vars(market).items() if hasattr(frame, "columns")}
    first = made(market)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(vars(market)[name], frame)
        setattr(market, name, frame.iloc[::-1].reset_index(drop=True))
    for result, earlier in zip(made(market), first, strict=True):
        pd.testing.assert_frame_equal(result, earlier)


def test_peers_are_the_other_platforms_and_quiet_or_unknown_is_neither_lower_nor_higher() -> None:
    row = standing(own="MED", a="HIGH", b="LOW", c="LOW", d="LOW", e=None, f="SEVERE")
    assert {key: row[key] for key in ("high", "med", "low", "quiet", "to_read", "peers", "below", "above")} == {
        "high": 1, "med": 0, "low": 3, "quiet": 1, "to_read": 1, "peers": 6, "below": 3, "above": 1,
    }  # fmt: skip
    assert row["standing"] == "above most"
    assert standing(own="LOW", a="HIGH", b="MED", c="LOW")["standing"] == "below most"
    assert standing(own="LOW", a="HIGH", b="LOW")["standing"] == "usual"
    assert standing(own="HIGH", a="HIGH", b="LOW")["standing"] == "usual"
    levels = {"a": "HIGH", "b": "MED", "c": "LOW"}
    sides = [[standing(own=own, **levels)[side] for side in ("below", "above")] for own in levels.values()]
    assert sides == [[2, 0], [1, 1], [0, 2]]


def test_surfaces_come_by_level_then_by_peers_below_and_clauses_to_read_are_counted_apart() -> None:
    rows = {"ads_tracking": "MED", "human_review": "HIGH", "training_use": None, "output_rights": "HIGH"}
    cells = [
        {"slug": "own", "surface": name, "risk": risk, "count": 2, "state": "found"} for name, risk in rows.items()
    ]
    cells[2] |= {"state": "to_read", "count": 0, "to_read": 3}
    cells.append({"slug": "a", "surface": "human_review", "risk": "LOW", "count": 1, "state": "found"})
    result = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS, *cells)), "own")
    assert result["surface"].tolist()[:4] == ["human_review", "output_rights", "ads_tracking", "training_use"]
    assert result["clauses"].tolist()[:4] == [2, 2, 2, 3]
    quiet = {"slug": "own", "surface": "data_retention", "count": 0, "to_read": 3, "state": "quiet"}
    result = analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS, *cells, quiet)), "own").set_index(
        "surface"
    )
    assert result.loc["data_retention", "clauses"] == 0, "only clauses to read replace a missing number"


def test_a_platform_without_a_level_or_without_peers_has_no_standing() -> None:
    quiet = standing(own=None, a="HIGH")
    assert quiet["standing"] == ""
    assert pd.isna(quiet["below"])
    assert standing(own="HIGH")["standing"] == ""
    assert analysis.peer_levels(analysis.risk_matrix(given(FINDINGS), given(CELLS)), "own").empty


def state(date: str, rating: str | None = "MED", result: str = "known", stance: str = "silent") -> dict[str, Any]:
    return {"slug": "own", "date": date, "state": result, "rating": rating, "stance": stance}


def test_a_history_begins_when_tracking_begins_and_keeps_unknown_days() -> None:
    states = given(
        STATES,
        state("2025-12-31", None, "untracked"),
        state("2026-03-31"),
        state("2026-06-30", None, "not known"),
        state("2026-07-31", "HIGH"),
        state("2026-08-31", None, "untracked"),
        state("2026-09-30"),
    )
    cells = given(
        DATED_CELLS,
        {"slug": "own", "date": "2026-03-31", "surface": "training_use", "risk": "HIGH", "state": "found"},
        {"slug": "own", "date": "2026-07-31", "surface": "training_use", "risk": None, "state": "quiet"},
    )
    course = analysis.platform_history(states, cells)
    result = [(f"{row.date:%m}", row.subject, row.state, row.level) for row in course.itertuples()]
    assert result == [
        ("03", "rating", "found", "MED"), ("03", "training_use", "found", "HIGH"),
        ("06", "rating", "not known", "UNKNOWN"), ("06", "training_use", "not known", "UNKNOWN"),
        ("07", "rating", "found", "HIGH"), ("07", "training_use", "quiet", "UNKNOWN"),
        ("08", "rating", "untracked", "UNKNOWN"), ("08", "training_use", "untracked", "UNKNOWN"),
        ("09", "rating", "found", "MED"), ("09", "training_use", "unread", "UNKNOWN"),
    ]  # fmt: skip


def test_moves_are_exact_with_the_changes_and_between_two_days_without_them() -> None:
    unknown = state("2026-05-31", None, "not known")
    days = [state("2026-03-31"), unknown, state("2026-06-30", "HIGH"), state("2026-07-31", "HIGH", stance="x")]
    states = given(STATES, *days)
    rows = [
        {
            "change_id": "c1",
            "slug": "own",
            "reviewed_at": "2026-05-02",
            "change_class": "wording",
            **SIDES,
            "rating_after": "HIGH",
        },
        {"change_id": "c2", "slug": "own", "reviewed_at": "2026-05-03", "change_class": "material", **SIDES},
        {"change_id": "c3", "slug": "own", "reviewed_at": None, "change_class": "format", **SIDES},
        {
            "change_id": "c4",
            "slug": "own",
            "reviewed_at": "2026-01-01",
            **SIDES,
            "rating_before": None,
            "stance_before": None,
        },
    ]
    exact = analysis.platform_moves(states, given(CHANGES, *rows))
    assert list(exact["change_id"]) == ["c1"]
    assert exact["direction"].iloc[0] == "up"
    between = analysis.platform_moves(states)
    assert list(between["direction"]) == ["", "up"]
    assert [f"{day:%m-%d}" for side in ("since", "at") for day in between[side]] == ["06-30", "03-31", "07-31", "06-30"]
    assert between.dtypes.to_dict() == exact.dtypes.to_dict() == analysis.platform_moves(given(STATES)).dtypes.to_dict()


def test_changes_worth_reporting_are_material_or_moved_something_latest_first() -> None:
    rows = [
        {"change_id": "c1", "reviewed_at": "2026-05-02", "change_class": "wording", **SIDES, "rating_after": "HIGH"},
        {"change_id": "c2", "reviewed_at": "2026-05-03", "change_class": "material", **SIDES},
        {"change_id": "c3", "reviewed_at": "2026-05-04", "change_class": "format", **SIDES},
        {"change_id": "c4", "reviewed_at": "2026-05-05", "change_class": "capture_failure", **SIDES},
    ]
    result = analysis.platform_changes(given(CHANGES, *({"slug": "own", **row} for row in rows)))
    assert list(zip(result["change_id"], result["moved"], strict=True)) == [("c2", False), ("c1", True)]
    assert analysis.platform_changes(given(CHANGES)).dtypes.to_dict() == result.dtypes.to_dict()


def test_each_conflict_is_listed_once_across_documents_first_and_never_with_a_missing_clause() -> None:
    rows = [
        {"finding_id": "a", "risk": "LOW", "document": "Terms", "conflicts_with": ["b", "gone", "a"]},
        {"finding_id": "b", "risk": "HIGH", "document": "Terms", "conflicts_with": ["a"]},
        {"finding_id": "c", "risk": "MED", "document": "Privacy", "conflicts_with": ["a"]},
        {"finding_id": "A1", "risk": "LOW", "document": "Terms", "conflicts_with": ["A2"], "surface": "ads_tracking"},
        {"finding_id": "A2", "risk": "LOW", "document": "Terms", "conflicts_with": [], "surface": "ads_tracking"},
    ]
    result = analysis.conflicts(given(FINDINGS, *({"slug": "own", "surface": "training_use", **row} for row in rows)))
    assert list(zip(result["first"], result["second"], result["documents"], strict=True)) == [
        ("c", "a", 2),
        ("b", "a", 1),
        ("A1", "A2", 1),
    ]
    assert analysis.conflicts(given(FINDINGS)).dtypes.to_dict() == result.dtypes.to_dict()


def test_documents_that_changed_at_one_moment_are_one_move_that_names_them_all() -> None:
    moved = {"slug": "own", "change_class": "material", **SIDES, "rating_after": "HIGH"}
    rows = [
        {"change_id": "c2", "document": "Terms", "reviewed_at": "2026-05-02T10:00:01"},
        {"change_id": "c1", "document": "Privacy", "reviewed_at": "2026-05-02T10:00:01"},
        {"change_id": "c3", "document": "Terms", "reviewed_at": "2026-06-02T10:00:01"},
    ]
    moves = analysis.platform_moves(given(STATES), given(CHANGES, *(moved | row for row in rows)))
    assert moves["change_id"].tolist() == ["c3", "c1"]
    assert moves["document"].tolist() == ["Terms", "Privacy, Terms"]
    assert moves["change_ids"].tolist() == [["c3"], ["c1", "c2"]]
