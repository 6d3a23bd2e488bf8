"""Values that do not fit a column are missing there, and never guessed."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics import frames
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
    ["2026-02-30", "02/03/2026", "1772668800", 1772668800, "2026-W10-3", "0001-01-01", "9999-12-31", None],
)
def test_an_invalid_date_is_missing_and_never_guessed(day: object) -> None:
    assert frames.platforms_frame([{**PLATFORM, "last_reviewed": day}])["last_reviewed"].isna().all()


def test_times_with_offsets_are_read_as_utc() -> None:
    frame = frames.changes_frame([{**CHANGE, "reviewed_at": "2026-09-30T23:30:00-05:00"}])
    assert frame["reviewed_at"][0] == pd.Timestamp("2026-10-01T04:30:00Z")


def test_values_that_do_not_fit_a_column_are_missing_there() -> None:
    frame = frames.findings_frame([{**FINDING, "confidence": "sure", "provenance": {"start": True, "end": 2**70}}])
    assert frame[["confidence", "start", "end"]].isna().all(axis=None)


def test_rows_of_a_frame_are_python_s_own_values() -> None:
    frame = frames.frame_of({"a": ("Int64", "x"), "b": ("str", "x")}, [(1, "x"), (None, None)])
    first, second = frames.rows_of(frame)
    assert first == {"a": 1, "b": "x"}
    assert type(first["a"]) is int
    assert pd.isna(second["a"])
    assert pd.isna(second["b"])
