"""Values that do not fit a column are missing there, and never guessed."""

from __future__ import annotations

import time

import pandas as pd
import pytest

from riskanalytics import frames
from riskanalytics.frames.building import plain_frame
from tests.frames.test_records import CHANGE, FINDING, PLATFORM


@pytest.mark.parametrize("rating", ["CRITICAL", "", " HIGH ", "high", "ＨＩＧＨ", None, 3, {"value": "HIGH"}])
def test_an_unknown_rating_is_kept_verbatim_and_never_counted_as_a_level(rating: object) -> None:
    frame = frames.platforms_frame([{**PLATFORM, "rating": rating}])
    assert frame["level"].tolist() == ["UNKNOWN"]
    assert pd.isna(frame["rating"][0]) if rating is None else frame["rating"][0] == str(rating)
    assert not (frame["level"] >= "LOW").any()
    assert not (frame["rating"] >= "LOW").any()


def test_ratings_are_ordered_and_unknown_words_sort_lowest() -> None:
    frame = frames.platforms_frame(
        [{**PLATFORM, "rating": rating} for rating in ("HIGH", "LOW", "VERY HIGH", "UNRATED", "MED")]
    )
    assert frame.loc[frame["rating"] >= "MED", "rating"].tolist() == ["HIGH", "MED"]
    assert frame["rating"].sort_values().tolist() == ["VERY HIGH", "UNRATED", "LOW", "MED", "HIGH"]
    with pytest.raises(TypeError, match="Invalid comparison"):
        _ = frame["rating"] >= "Medium"


@pytest.mark.parametrize(
    "day",
    [
        "2026-02-30",
        "02/03/2026",
        "1772668800",
        1772668800,
        "2026-W10-3",
        "0001-01-01",
        "1989-12-31",
        "2201-01-01",
        "9999-12-31",
        None,
    ],
)
def test_an_invalid_date_is_missing_and_never_guessed(day: object) -> None:
    assert frames.platforms_frame([{**PLATFORM, "last_reviewed": day}])["last_reviewed"].isna().all()


def test_times_with_offsets_are_read_as_utc() -> None:
    frame = frames.changes_frame([{**CHANGE, "reviewed_at": "2026-09-30T23:30:00-05:00"}])
    assert frame["reviewed_at"][0] == pd.Timestamp("2026-10-01T04:30:00Z")
    days = ["1990-01-01", "2200-12-31 23:59", "2026-03-05T10:00:01.5", "2026-03-05 10:00:01.123456"]
    times = frames.changes_frame([{**CHANGE, "reviewed_at": day} for day in days])["reviewed_at"]
    assert times.tolist() == [pd.Timestamp(day, tz="UTC") for day in days]


def test_times_without_an_offset_are_utc_on_a_machine_anywhere_and_fractions_are_cut_to_microseconds() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        times = ["2026-03-05T10:00:07", "2026-03-05T10:00:07.123456789Z"]
        read = frames.changes_frame([{**CHANGE, "reviewed_at": at} for at in times])["reviewed_at"]
    time.tzset()
    assert read.tolist() == [pd.Timestamp("2026-03-05T10:00:07Z"), pd.Timestamp("2026-03-05T10:00:07.123456Z")]


def test_values_that_do_not_fit_a_column_are_missing_there() -> None:
    frame = frames.findings_frame([{**FINDING, "confidence": "sure", "provenance": {"start": True, "end": 2**70}}])
    assert frame[["confidence", "start", "end"]].isna().all(axis=None)
    frame = frames.findings_frame([{**FINDING, "provenance": {"start": -(2**70), "end": 2**40}}])
    assert (frame["start"].isna().all(), frame["end"].tolist()) == (True, [2**40])


def test_rows_of_a_frame_are_python_s_own_values() -> None:
    frame = frames.frame_of({"a": ("Int64", "x"), "b": ("str", "x")}, [(1, "x"), (None, None)])
    first, second = frames.rows_of(frame)
    assert first == {"a": 1, "b": "x"}
    assert type(first["a"]) is int
    assert pd.isna(second["a"])
    assert pd.isna(second["b"])


def test_a_frame_for_files_has_text_for_nested_values_periods_and_names_and_the_index_if_it_means_something() -> None:
    frame = pd.DataFrame({"a": [["é"]], "b": [("x",)], "c": [pd.Period("2026-03", "M")], ("d", 7): [1]})
    plain = plain_frame(frame)
    assert (plain.columns.tolist(), plain.iloc[0].tolist()) == (
        ["a", "b", "c", "d 7"],
        ['["é"]', '["x"]', "2026-03", 1],
    )
    for index in (pd.RangeIndex(1, name="row"), pd.Index([4], name="row"), pd.Index([4])):
        assert plain_frame(frame.set_axis(index)).columns[0] == (index.name or "index")


def test_a_value_of_null_gives_way_to_the_other_name_of_its_field_whatever_the_other_rows_hold() -> None:
    first, without = {**FINDING, "risk": None, "risk_level": "HIGH"}, {k: v for k, v in FINDING.items() if k != "risk"}
    alone, among = frames.findings_frame([first]), frames.findings_frame([first, without])
    assert alone["risk"].tolist() == among["risk"].tolist()[:1] == ["HIGH"]
