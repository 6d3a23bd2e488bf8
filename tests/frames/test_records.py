"""Each frame of records has its declared columns and dtypes, whatever the rows are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pandas as pd
import pytest

from riskanalytics import frames
from riskanalytics.surfaces import SURFACES

FINDING = {
    "slug": "aurelia-chat", "name": "Aurelia Chat", "id": "f1", "quote": "We train.", "surface": "training_use", "risk": "HIGH",
    "polarity": "raises_risk", "confidence": 0.9, "confidence_interval": [0.8, 0.95], "rule": "training_use.used",
    "scope": {"audience": "consumer"}, "conflicts_with": ["f2"], "verification_status": "verified",
    "provenance": {"snapshot_sha256": "ab", "archive_url": "https://a.example", "start": 3, "end": 12, "document": "Terms",
                   "captured_at": "2026-03-05T00:00:00Z"},
}  # fmt: skip
MACHINE = {
    "slug": "aurelia-chat", "name": "Aurelia Chat", "rating": "HIGH", "findings": [FINDING],
    "training_use": {"stance": "trains_by_default", "decided_by": ["f1"]},
    "documents": [{"document": "Terms", "captured_at": "2026-03-05T00:00:00Z", "state": "good"}],
    "dates": [{"kind": "updated", "date": "2026-03-01", "quote": "Updated.", "provenance": {"start": 3, "document": "Terms"}}],
    "searched_without_result": [{"surface": "human_review", "snapshots": ["ab"]}],
}  # fmt: skip
PLATFORM = {"id": "aurelia-chat", "name": "Aurelia Chat", "rating": "HIGH", "last_reviewed": "2026-03-05"}
CHANGE = {
    "id": "c",
    "platform": "aurelia-chat",
    "class": "material",
    "surfaces": ["training_use"],
    "reviewed_at": "2026-03-05T00:00:00Z",
}

BUILDERS: list[tuple[Callable[[list[Any]], pd.DataFrame], frames.Columns, Any]] = [
    (frames.platforms_frame, frames.PLATFORMS_COLUMNS, PLATFORM),
    (frames.findings_frame, frames.FINDINGS_COLUMNS, FINDING),
    (frames.surfaces_frame, frames.SURFACES_COLUMNS, MACHINE),
    (frames.training_use_frame, frames.TRAINING_USE_COLUMNS, MACHINE),
    (frames.documents_frame, frames.DOCUMENTS_COLUMNS, MACHINE),
    (frames.dates_frame, frames.DATES_COLUMNS, MACHINE),
    (frames.changes_frame, frames.CHANGES_COLUMNS, CHANGE),
]


@pytest.mark.parametrize(("build", "columns", "record"), BUILDERS)
def test_columns_and_dtypes_do_not_depend_on_the_number_of_rows(
    build: Callable[[list[Any]], pd.DataFrame], columns: frames.Columns, record: Any
) -> None:
    none, one, many = build([]), build([record]), build([record, {}, {"unforeseen": {"deep": 1}}] * 3)
    assert list(none.columns) == list(columns)
    assert isinstance(none.index, pd.RangeIndex)
    for frame in (one, many):
        pd.testing.assert_series_equal(frame.dtypes, none.dtypes)
        assert isinstance(frame.index, pd.RangeIndex)
    for name, (dtype, meaning) in columns.items():
        assert str(none[name].dtype) == {"level": "category", "rating": "category"}.get(dtype, dtype)
        assert meaning


def test_provenance_is_read_under_the_name_that_citations_have() -> None:
    cited = {key: value for key, value in FINDING.items() if key != "provenance"} | {"source": FINDING["provenance"]}
    pd.testing.assert_frame_equal(frames.findings_frame([cited]), frames.findings_frame([FINDING]))


def test_roles_are_read_if_present_and_missing_otherwise() -> None:
    roles = {"actor": "vendor", "action": "may use", "object": "your prompts", "condition": None}
    frame = frames.findings_frame([{**FINDING, "roles": result} for result in (roles, None, "vendor", {"actor": 3})])
    columns = frame[["actor", "action", "object", "condition"]]
    assert columns.iloc[0].tolist()[:3] == ["vendor", "may use", "your prompts"]
    assert columns.notna().to_numpy().sum(axis=1).tolist() == [3, 0, 0, 1]


def test_surfaces_distinguish_found_quiet_and_unread() -> None:
    frame = frames.surfaces_frame([MACHINE]).set_index("surface")
    assert frame.loc["training_use", ["risk", "count", "state"]].tolist() == ["HIGH", 1, "found"]
    assert frame.loc["human_review", "state"] == "quiet"
    assert frame.loc["ip_liability", "state"] == "unread"


@pytest.mark.parametrize(
    ("clauses", "level"),
    [
        ([("LOW", "raises_risk"), ("HIGH", "raises_risk"), ("MED", "raises_risk")], "HIGH"),
        ([("MED", "raises_risk"), ("HIGH", "mitigates_risk"), ("HIGH", "neutral")], "MED"),
        ([("HIGH", "mitigates_risk"), ("HIGH", "neutral")], "LOW"),
        ([("SEVERE", "raises_risk"), ("LOW", "raises_risk")], "LOW"),
        ([("SEVERE", "raises_risk")], "SEVERE"),
        ([("HIGH", None), ("LOW", "mitigates_risk")], "HIGH"),
    ],
)
def test_an_unstated_level_is_the_worst_known_one_of_the_clauses_that_raise_the_risk(
    clauses: list[tuple[str, str | None]], level: str
) -> None:
    rows = [{**FINDING, "risk": risk, "polarity": polarity} for risk, polarity in clauses]
    frame = frames.surfaces_frame([{**MACHINE, "findings": rows}]).set_index("surface")
    assert frame.loc["training_use", ["risk", "count", "state"]].tolist() == [level, len(rows), "found"]


def test_plain_counts_of_surfaces_keep_the_level_of_the_clauses_and_a_count_of_0_finds_nothing() -> None:
    stated = {"training_use": 5, "data_retention": 0, "human_review": {"count": 0}}
    frame = frames.surfaces_frame([{**MACHINE, "surface_counts": stated}]).set_index("surface")
    assert frame.loc[list(stated), "state"].tolist() == ["found", "unread", "quiet"]
    assert frame.loc["training_use", ["risk", "count"]].tolist() == ["HIGH", 5]


def test_a_stated_state_is_kept_regardless_of_the_count() -> None:
    states = {
        "training_use": {
            "count": 2,
            "risk": None,
            "state": "to_read",
            "to_read": 3,
            "slug": "x",
            "name": "X",
            "surface": "x",
        },
        "data_retention": {"count": 0, "risk": None, "state": "to_read", "to_read": 1},
        "human_review": {"count": 0, "risk": None, "state": "unread", "to_read": 0},
        "ip_liability": {"count": 1, "risk": "LOW", "state": "unheard of"},
    }
    frame = frames.surfaces_frame([{**MACHINE, "surfaces": states}]).set_index("surface")
    assert frame.loc[list(states), "state"].tolist() == ["to_read", "to_read", "unread", "found"]
    assert frame.loc[list(states)[:3], "to_read"].tolist() == [3, 1, 0]
    assert set(zip(frame["slug"], frame["name"], strict=True)) == {("aurelia-chat", "Aurelia Chat")}


def test_documents_keep_their_language_and_whether_they_are_read() -> None:
    result = [{"document": "Terms", "language": "zh", "read": False}, {"document": "Policy"}]
    frame = frames.documents_frame([{**MACHINE, "documents": result}])
    assert frame["language"].tolist()[0] == "zh"
    assert frame["read"].isna().tolist() == [False, True]
    captured = [{"captured_at": "2026-03-05"}, {"captured_at": "2026-03-05", "newest_capture_at": "2026-04-01"}]
    newest = frames.documents_frame([{**MACHINE, "documents": captured}])["newest_capture_at"]
    assert newest.dt.strftime("%Y-%m-%d").tolist() == ["2026-03-05", "2026-04-01"]


def test_an_unknown_surface_has_a_separate_row() -> None:
    frame = frames.surfaces_frame([{**MACHINE, "surfaces": {"mind_reading": {"count": 2, "risk": "HIGH"}}}])
    assert frame[frame["surface"] == "mind_reading"]["count"].tolist() == [2]
    assert frame["surface"].tolist() == [*SURFACES, "mind_reading"]


def test_coverage_is_one_row_even_with_other_names_or_no_content() -> None:
    for record in (
        {"tracked": 3, "verified": 2, "as_of": "2026-03-05"},
        {"tracked_platforms": 3, "verified_platforms": 2, "date": "2026-03-05"},
    ):
        frame = frames.coverage_frame(record)
        assert frame[["tracked", "verified"]].iloc[0].tolist() == [3, 2]
        assert frame["as_of"].tolist() == [pd.Timestamp("2026-03-05", tz="UTC")]
    assert frames.coverage_frame({})["tracked"].isna().all()


def test_the_findings_that_decided_a_surface_are_kept() -> None:
    result = {**MACHINE, "surfaces": {"training_use": {"count": 1, "risk": "HIGH", "decided_by": ["f1"]}, "other": 3}}
    frame = frames.surfaces_frame([result]).set_index("surface")
    assert frame.loc["training_use", "decided_by"] == ["f1"]
    assert frame.loc["other", "decided_by"] == []


def test_past_days_keep_the_counts_and_the_missing_levels_of_their_surfaces() -> None:
    frame = frames.dated_surfaces_frame([(date(2026, 3, 5), "known", MACHINE), (date(2026, 1, 1), "not known", {})])
    result = frame.drop(columns="date")
    pd.testing.assert_frame_equal(result, frames.surfaces_frame([MACHINE]))
    assert set(frame["date"]) == {pd.Timestamp("2026-03-05", tz="UTC")}


def test_an_unknown_day_has_only_its_date() -> None:
    frame = frames.states_frame([(date(2026, 1, 1), "not known", {})])
    assert frame.loc[0, ["date", "state"]].tolist() == [pd.Timestamp("2026-01-01", tz="UTC"), "not known"]
    assert frame.drop(columns=["date", "state", "level"]).isna().all(axis=None)


def test_levels_that_a_service_leaves_out_come_from_the_findings_of_each_surface_alone() -> None:
    given = [("data_retention", "LOW"), ("ads_tracking", "HIGH"), ("data_retention", "MED")]
    findings = [{"surface": surface, "risk": risk, "polarity": "raises_risk"} for surface, risk in given]
    frame = frames.surfaces_frame([{"slug": "a", "name": "A", "findings": findings}]).set_index("surface")
    rows = frame.loc[["data_retention", "ads_tracking"], ["level", "count"]]
    assert [tuple(row) for row in rows.itertuples(index=False)] == [("MED", 2), ("HIGH", 1)]
