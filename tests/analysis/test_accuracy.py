"""Accuracy by surface, faults, and how one rating is made up."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis, frames

SHARE = {"value": 0.9, "low": 0.8, "high": 0.95, "part": 9, "whole": 10}
LOWER = {"value": 0.5, "low": 0.3, "high": 0.7, "part": 5, "whole": 10}
NOTHING = {"value": None, "low": None, "high": None, "part": 0, "whole": 0}
FORMULA = {
    "weights": {"training_use": 3, "human_review": 1, "ip_liability": 1},
    "points": {"LOW": 0, "MED": 1, "HIGH": 2},
}


def figures(**surfaces: Any) -> pd.DataFrame:
    return analysis.accuracy(frames.accuracy_frame({"test": {"groups": surfaces}}))


def fault(kind: str, risk: str | None, given: str | None, surface: str = "training_use") -> tuple[object, ...]:
    return (surface, kind, "aurelia-chat", "Terms", risk, given, "rule", "words", "ab", 1, 6)


def test_the_lowest_recall_stands_first_and_all_last() -> None:
    both = {"precision": SHARE, "recall": SHARE}
    frame = figures(
        all=both, learned=both, human_review={"precision": SHARE, "recall": LOWER}, training_use=both,
        ads_tracking={"precision": NOTHING, "recall": NOTHING},
    )  # fmt: skip
    assert list(frame["surface"]) == ["human_review", "training_use", "ads_tracking", "learned", "all"]
    row = frame.iloc[0]
    assert (row["precision"], row["precision_low"], row["recall_part"], row["recall_whole"]) == (0.9, 0.8, 5, 10)
    assert frame.loc[2, ["precision", "recall_low"]].isna().all()


def test_what_is_no_figure_is_left_missing() -> None:
    frame = figures(training_use={"precision": "good", "recall": None}, other=3)
    assert list(frame["surface"]) == ["training_use"]
    assert frame["precision"].isna().all()
    assert frames.accuracy_frame("nonsense").empty


def test_no_rows_give_the_same_columns() -> None:
    assert list(analysis.accuracy(frames.accuracy_frame({})).columns) == list(figures(all={"precision": SHARE}).columns)
    many = analysis.faults(frames.faults_frame([fault("missed", "HIGH", None)]))
    pd.testing.assert_series_equal(analysis.faults(frames.faults_frame([])).dtypes, many.dtypes)


def test_the_gravest_fault_of_each_kind_stands_first() -> None:
    rows = [
        fault("level", "MED", "HIGH"),
        fault("level", "LOW", "HIGH"),
        fault("false_alarm", None, "LOW"),
        fault("missed", "LOW", None),
        fault("missed", "HIGH", None, "human_review"),
        fault("missed", "HIGH", None),
    ]
    frame = analysis.faults(frames.faults_frame(rows))
    assert list(frame["kind"]) == ["missed", "missed", "missed", "false_alarm", "level", "level"]
    assert list(frame["risk"].fillna("")) == ["HIGH", "HIGH", "LOW", "", "LOW", "MED"]
    assert list(frame["surface"][:2]) == ["training_use", "human_review"]
    assert list(frame["steps"][4:]) == [2, 1]


def test_what_nothing_was_made_from_stands_first() -> None:
    both = {"precision": SHARE, "recall": SHARE}
    parts = {"calibrate": {"groups": {"all": both}}, "test": {"groups": {"all": both | {"recall": LOWER}}}}
    frame = analysis.accuracy(frames.accuracy_frame(parts))
    assert (list(frame["labels"]), list(frame["recall"])) == (["test"], [0.5])


def test_the_error_of_the_confidence_is_that_of_its_bins() -> None:
    bins = [{"from": 0.5, "to": 0.6, "stated": 0.5} | LOWER, {"from": 0.9, "to": 1, "stated": 0.99} | SHARE, {}, 3]
    told = {"calibrate": {"reliability": {"all": bins, "learned": bins[:1], "hand_written": "none"}}}
    frame = analysis.reliability(frames.reliability_frame(told))
    assert list(frame["decided_by"]) == ["all", "all", "learned"]
    assert list(frame["error"]) == pytest.approx([0.045, 0.045, 0.0])
    assert list(frame["stated"]) == [0.5, 0.99, 0.5]
    empty = analysis.reliability(frames.reliability_frame({}))
    pd.testing.assert_series_equal(empty.dtypes, frame.dtypes)


def test_the_sentences_say_what_is_known_and_what_is_not() -> None:
    share = {"precision": SHARE, "recall": LOWER}
    noise = analysis.change_noise(
        frames.changes_frame([{"class": "material"}, {"class": "format"}, {"class": "format"}])
    )
    told = analysis.accuracy_sentences(figures(all=share), {"measured_on": "2026-11-21"}, noise)
    assert "a model learned from written sentences and documents labelled whole" in told[0]
    assert told[1] == (
        "On documents of vendors that nothing was made from, labelled whole, 90 % of all findings shown are right and 50 % of "
        "the firm labels are found, measured on 2026-11-21."
    )
    assert told[2] == "Of 3 recorded changes 33 % are material; the others are noise."
    unknown = analysis.accuracy_sentences(figures(), {}, None)
    assert "is not known: there are no figures on whole documents." in unknown[1]
    assert "Pro keys only" in unknown[2]
    older = analysis.accuracy_sentences(figures(), {"withdrawn": {"groups": {}}}, None)
    assert "are withdrawn" in older[1]
    none = analysis.change_noise(frames.changes_frame([]))
    assert analysis.accuracy_sentences(figures(), {}, none)[2] == "No change is recorded."


def test_nearly_all_is_not_all() -> None:
    share = figures(all={"precision": SHARE | {"value": 0.998}, "recall": SHARE | {"value": 0.001}})
    said = analysis.accuracy_sentences(share, {}, None)[1]
    assert "over 99 % of all findings shown are right and under 1 % of the firm labels" in said


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
    parts = analysis.rating_parts(cells(training_use="HIGH", human_review="MED", ip_liability="LOW"), FINDINGS, FORMULA)
    known = parts[parts["risk"].notna()]
    assert list(known["surface"]) == ["training_use", "human_review", "ip_liability"]
    assert list(known["product"]) == [6, 1, 0]
    assert known["decided_by"].iloc[0] == ["f-training_use"]
    assert list(parts.iloc[0][["high", "med", "low"]]) == [1, 0, 1]
    assert analysis.rating_mean(parts) == pytest.approx(7 / 5)


def test_surfaces_without_a_level_stand_last_and_are_not_in_the_mean() -> None:
    parts = analysis.rating_parts(cells(ip_liability="HIGH"), FINDINGS, FORMULA)
    assert parts["surface"].iloc[0] == "ip_liability"
    assert parts["product"].notna().sum() == 1
    assert analysis.rating_mean(parts) == 2.0


@pytest.mark.parametrize(
    "formula", [{}, {"weights": 3}, {"weights": {"training_use": "three"}, "points": {"HIGH": True}}]
)
def test_a_formula_that_is_not_published_gives_no_mean(formula: dict[str, Any]) -> None:
    parts = analysis.rating_parts(cells(training_use="HIGH"), FINDINGS, formula)
    assert parts["product"].isna().all()
    assert analysis.rating_mean(parts) is None
