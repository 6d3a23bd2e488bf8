"""Accuracy by surface, faults, and the sentences on the method."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis, frames
from tests.frames_given import Market

SHARE = {"value": 0.9, "low": 0.8, "high": 0.95, "part": 9, "whole": 10}
LOWER = {"value": 0.5, "low": 0.3, "high": 0.7, "part": 5, "whole": 10}
NOTHING = {"value": None, "low": None, "high": None, "part": 0, "whole": 0}


def figures(**surfaces: Any) -> pd.DataFrame:
    return analysis.accuracy(frames.accuracy_frame({"test": {"groups": surfaces}}))


def fault(kind: str, risk: str | None, given: str | None, surface: str = "training_use") -> tuple[object, ...]:
    return (surface, kind, "aurelia-chat", "Terms", risk, given, "rule", "words", "ab", 1, 6)


def test_the_surface_with_the_lowest_recall_comes_first_and_all_surfaces_last() -> None:
    both = {"precision": SHARE, "recall": SHARE}
    frame = figures(
        all=both, learned=both, human_review={"precision": SHARE, "recall": LOWER}, training_use=both,
        ads_tracking={"precision": NOTHING, "recall": NOTHING},
    )  # fmt: skip
    assert list(frame["surface"]) == ["human_review", "training_use", "ads_tracking", "learned", "all"]
    row = frame.iloc[0]
    assert (row["precision"], row["precision_low"], row["recall_part"], row["recall_whole"]) == (0.9, 0.8, 5, 10)
    assert frame.loc[2, ["precision", "recall_low"]].isna().all()


def test_a_value_that_is_not_a_figure_is_left_missing() -> None:
    frame = figures(training_use={"precision": "good", "recall": None}, other=3)
    assert list(frame["surface"]) == ["training_use"]
    assert frame["precision"].isna().all()
    assert frames.accuracy_frame("nonsense").empty


def test_no_rows_give_the_same_columns() -> None:
    assert list(analysis.accuracy(frames.accuracy_frame({})).columns) == list(figures(all={"precision": SHARE}).columns)
    many = analysis.extraction_errors(frames.frame_of(frames.FAULTS_COLUMNS, [fault("missed", "HIGH", None)]))
    pd.testing.assert_series_equal(
        analysis.extraction_errors(frames.frame_of(frames.FAULTS_COLUMNS, [])).dtypes, many.dtypes
    )


def test_the_worst_error_of_each_kind_comes_first() -> None:
    rows = [
        fault("level", "MED", "HIGH"),
        fault("level", "LOW", "HIGH"),
        fault("false_alarm", None, "LOW"),
        fault("missed", "LOW", None),
        fault("missed", "HIGH", None, "human_review"),
        fault("missed", "HIGH", None),
    ]
    frame = analysis.extraction_errors(frames.frame_of(frames.FAULTS_COLUMNS, rows))
    assert list(frame["kind"]) == ["missed", "missed", "missed", "false_alarm", "level", "level"]
    assert frame["risk"].astype("object").fillna("").tolist() == ["HIGH", "HIGH", "LOW", "", "LOW", "MED"]
    assert list(frame["surface"][:2]) == ["training_use", "human_review"]
    assert list(frame["steps"][4:]) == [2, 1]


def test_held_out_parts_come_first() -> None:
    both = {"precision": SHARE, "recall": SHARE}
    parts = {"calibrate": {"groups": {"all": both}}, "test": {"groups": {"all": both | {"recall": LOWER}}}}
    frame = analysis.accuracy(frames.accuracy_frame(parts))
    assert (list(frame["labels"]), list(frame["recall"])) == (["test"], [0.5])


def test_the_error_of_the_confidence_is_that_of_its_bins() -> None:
    bins = [{"from": 0.4, "to": 0.6, "stated": 0.4} | LOWER, {"from": 0.9, "to": 1, "stated": 0.99} | SHARE, {}, 3]
    result = {"calibrate": {"reliability": {"all": bins, "learned": bins[:1], "hand_written": "none"}}}
    frame = analysis.reliability(frames.reliability_frame(result))
    assert list(frame["decided_by"]) == ["all", "all", "learned"]
    assert list(frame["error"]) == pytest.approx([0.095, 0.095, 0.1])
    assert list(frame["stated"]) == [0.4, 0.99, 0.4]
    empty = analysis.reliability(frames.reliability_frame({}))
    pd.testing.assert_series_equal(empty.dtypes, frame.dtypes)


def test_the_sentences_state_known_and_unknown_accuracy() -> None:
    share = {"precision": SHARE, "recall": LOWER}
    noise = analysis.change_noise(
        frames.changes_frame([{"class": "material"}, {"class": "format"}, {"class": "format"}])
    )
    result = analysis.accuracy_sentences(figures(all=share), {"measured_on": "2026-11-21"}, noise)
    assert "a model trained on sentences written for it and on fully labelled documents" in result[0]
    assert result[1] == (
        "On documents that readers labelled sentence by sentence, of vendors not used to develop the program, 90\u00a0% of all "
        "findings shown are right, and 50\u00a0% of the clauses that these readers were sure of are found (measured on 2026-11-21)."
    )
    assert result[2] == "33\u00a0% of 3 recorded changes are material; the others are noise."
    unknown = analysis.accuracy_sentences(figures(), {}, None)
    every = "for 12 surfaces; every level can be traced to the clauses that decided it."
    assert unknown[0] == f"Policy documents are searched {every}"
    assert result[0].endswith(f" search policy documents {every}")
    assert analysis.accuracy_sentences(figures(all=share), {}, noise)[1].endswith(" were sure of are found.")
    assert "Their accuracy is not known: there are no figures on fully labelled documents." in unknown[1]
    assert "with a Pro key only" in unknown[2]
    none = analysis.change_noise(frames.changes_frame([]))
    assert analysis.accuracy_sentences(figures(), {}, none)[2] == "No change is recorded."


def test_nearly_all_is_not_all() -> None:
    share = figures(all={"precision": SHARE | {"value": 0.998}, "recall": SHARE | {"value": 0.001}})
    said = analysis.accuracy_sentences(share, {}, None)[1]
    assert (
        "over 99\u00a0% of all findings shown are right, and under 1\u00a0% of the clauses that these readers were sure of"
        in said
    )


def laid_out(market: Market) -> list[pd.DataFrame]:
    """Every analysis of the method that a market has frames for."""
    return [analysis.accuracy(market.figures), analysis.reliability(market.reliability)]


def test_columns_and_types_do_not_depend_on_the_rows() -> None:
    for none, one, many in zip(*(laid_out(Market(size)) for size in (0, 1, 60)), strict=True):
        assert none.dtypes.to_dict() == one.dtypes.to_dict() == many.dtypes.to_dict()
        assert isinstance(many.index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    before = {name: frame.copy(deep=True) for name, frame in vars(market).items() if hasattr(frame, "columns")}
    first = laid_out(market)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(vars(market)[name], frame)
        setattr(market, name, frame.iloc[::-1].reset_index(drop=True))
    for mine, other in zip(laid_out(market), first, strict=True):
        pd.testing.assert_frame_equal(mine, other)
