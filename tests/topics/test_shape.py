"""The shape of what analyses return: declared columns, missing values, and moments as readers write them."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from riskanalytics.errors import ReportError
from riskanalytics.frames import FINDINGS_COLUMNS, LEVEL_DTYPE, TIME, is_missing
from riskanalytics.topics.shape import (
    clause_rank,
    cut_to,
    dtypes,
    found_share,
    instant,
    items_of,
    level_of,
    measured,
    named,
    ordered,
    schema,
    severities,
    shaped,
    share_row,
    wilson_interval,
    with_columns,
    word_of,
)

COLUMNS = {"slug": "str", "level": LEVEL_DTYPE, "count": "Int64", "at": TIME, "named": "object"}


@pytest.mark.parametrize(
    "rows", [[], [{"slug": "opal"}], [{"level": "HIGH", "count": 2, "at": "2026-07-31", "named": ["a"]}]]
)
def test_rows_become_a_frame_with_the_declared_dtypes(rows: list[dict[str, object]]) -> None:
    frame = shaped(rows, COLUMNS)
    assert {name: str(kind) for name, kind in frame.dtypes.items()} == {k: str(v) for k, v in COLUMNS.items()}
    for row, result in zip(rows, frame.to_dict("records"), strict=True):
        assert {name for name in COLUMNS if not is_missing(result[name])} == set(row)


def test_a_frame_is_cut_to_declared_columns_and_its_rows_are_renumbered() -> None:
    frame = shaped([{"slug": "opal", "count": 1}, {"slug": "tarn"}], COLUMNS)
    cut = cut_to(frame[frame["slug"] == "tarn"].drop(columns=["at", "count"]).assign(more=1), COLUMNS)
    pd.testing.assert_frame_equal(cut, shaped([{"slug": "tarn"}], COLUMNS))


def test_a_word_other_than_a_level_is_unknown_and_a_missing_word_is_missing() -> None:
    assert [level_of(word) for word in ("HIGH", "high", " LOW", None, 3)] == ["HIGH", *["UNKNOWN"] * 4]
    assert [word_of(word) for word in ("HIGH", None, pd.NA, pd.NaT, float("nan"), 3)] == ["HIGH", "", "", "", "", "3"]


def test_the_weightiest_clause_is_the_highest_then_the_most_certain_and_unknown_ranks_above_low() -> None:
    clauses = [("LOW", 0.99), ("SEVERE", 0.5), ("HIGH", None), ("MED", 0.9), ("HIGH", 0.7)]
    rows = [{"risk": risk, "confidence": sure} for risk, sure in clauses]
    assert [row["risk"] for row in sorted(rows, key=clause_rank)] == ["HIGH", "HIGH", "MED", "SEVERE", "LOW"]
    assert min(rows, key=clause_rank)["confidence"] == 0.7
    places = [
        {"risk": "LOW", "document": document, "start": start} for document, start in (("A", 9), ("B", 1), ("B", 2))
    ]
    assert sorted(places[1:] + places[:1], key=clause_rank) == places
    same = [{"risk": "LOW", "finding_id": one} for one in ("f2", "f1", "f3")]
    assert [row["finding_id"] for row in sorted(same, key=clause_rank)] == ["f1", "f2", "f3"]
    assert severities(pd.Series(["HIGH", "MED", "LOW", "UNKNOWN", "SEVERE", None])).tolist() == [0, 1, 3, 2, 2, 2]


def test_a_moment_is_read_as_utc_and_words_that_are_no_date_are_refused() -> None:
    moments = ("2026-07-31", "2026-07-31T02:00:00+02:00", date(2026, 7, 31), pd.Timestamp("2026-07-30T20:00:00-04:00"))
    assert {instant(moment) for moment in moments} == {pd.Timestamp("2026-07-31", tz="UTC")}
    with pytest.raises(ReportError, match="'soon' is not a date: write YYYY-MM-DD"):
        instant("soon")


def test_a_platform_without_a_name_has_its_slug_and_a_cell_without_a_list_has_no_items() -> None:
    frame = named(pd.DataFrame({"slug": ["a", "b", "c"], "name": ["A", "", None]}))
    assert frame["name"].tolist() == ["A", "b", "c"]
    assert [items_of(value) for value in (["x"], ("x", "y"), None, "xy", pd.NA)] == [["x"], ["x", "y"], [], [], []]


def test_a_part_counts_as_measured_with_both_shares_only() -> None:
    figures = {
        name: {"groups": {"all": {key: {"value": value} for key, value in shares.items()}}}
        for name, shares in {"test": {"recall": 0.5}, "calibrate": {"precision": 0.9, "recall": 0.6}}.items()
    }
    assert [shares for _, *shares in measured(figures)] == [[0.9, 0.6]]
    proof = "so finding nothing is not proof of absence."
    assert found_share(figures) == f"We find about 60\xa0% of what documents say, {proof}"
    read = {"with_readings": {"groups": {"calibrate": {"recall": {"value": 0.9}}}}}
    both = f"We find about 60\xa0% of what documents say, or 90\xa0% where language models read them, {proof}"
    assert (found_share(figures | read), found_share(read)) == (both, "Finding nothing is not proof of absence.")


def test_dtypes_are_those_that_frames_declare() -> None:
    assert dtypes(FINDINGS_COLUMNS, "level", "start") == {"level": LEVEL_DTYPE, "start": "Int64"}


def test_a_frame_that_lacks_columns_is_refused_with_their_names() -> None:
    frame = pd.DataFrame({"slug": ["opal"]})
    assert with_columns(frame, "worst_platforms", "slug") is frame
    with pytest.raises(ReportError, match=r"worst_platforms: the frame lacks the column\(s\) name, rating;"):
        with_columns(frame, "worst_platforms", "slug", "name", "rating")


def test_a_schema_gives_each_name_the_dtype_that_follows_it() -> None:
    columns = schema("slug name:str seen_at:time level:level changes:Int64")
    assert list(columns) == ["slug", "name", "seen_at", "level", "changes"]
    assert (columns["slug"], columns["name"], columns["changes"]) == ("str", "str", "Int64")
    frame = shaped([{"slug": "a", "level": "HIGH"}], columns)
    assert frame["level"].dtype == LEVEL_DTYPE
    assert str(frame["seen_at"].dtype) == "datetime64[us, UTC]"


def test_rows_are_sorted_by_columns_and_names_without_regard_to_case() -> None:
    frame = pd.DataFrame({"name": ["b", "A", "B", "c"], "count": [1, 1, 2, 2]}, index=[4, 5, 6, 7])
    assert ordered(frame, "name", "-count")["count"].tolist() == [1, 2, 1, 2]
    assert ordered(frame, "-count", "name")["name"].tolist() == ["B", "c", "A", "b"]


def test_a_share_of_nothing_is_missing() -> None:
    assert [share_row(*counts)["share"] for counts in ((0, 0), (0, 4), (1, 4))] == [None, 0.0, 0.25]


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"), [(0, 10, 0.0, 0.278), (8, 10, 0.490, 0.943), (10, 10, 0.722, 1.0)]
)
def test_intervals_are_those_that_wilson_published(part: int, whole: int, low: float, high: float) -> None:
    assert wilson_interval(part, whole) == pytest.approx((low, high), abs=0.001)


def test_an_interval_narrows_as_the_whole_grows_and_never_leaves_0_to_1() -> None:
    widths = []
    for whole in (1, 10, 100, 10_000):
        low, high = wilson_interval(whole, whole)
        assert 0 <= low <= high <= 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
