"""Days and platforms are taken in the forms that readers have them in."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

from riskanalytics.errors import ParameterError
from riskanalytics.models.asked import as_day, as_since, as_slugs

DAY = date(2026, 6, 30)


@pytest.mark.parametrize(
    "given",
    [
        DAY,
        "2026-06-30",
        "2026-06-30T23:59:59Z",
        datetime(2026, 6, 30, 23, 59, tzinfo=UTC),
        datetime(2026, 6, 30, 8),
        datetime(2026, 7, 1, 1, tzinfo=timezone(timedelta(hours=2))),
        pd.Timestamp("2026-06-30"),
        pd.Timestamp("2026-06-30 12:00:00.123456789", tz="UTC"),
        np.datetime64("2026-06-30"),
    ],
)
def test_a_day_is_taken_as_text_date_time_and_timestamp(given: date | str) -> None:
    day = as_day(given)
    assert day == DAY
    assert type(day) is date


def test_nothing_and_an_empty_text_are_no_day() -> None:
    assert as_day(None) is None
    assert as_day("") is None


@pytest.mark.parametrize(
    "given", ["2026-02-30", "July", "2026-06", "2026-7-1", pd.NaT, pd.Period("2026-06", "M"), 7, " "]
)
def test_what_is_no_day_is_refused_with_its_form(given: str) -> None:
    with pytest.raises(ParameterError, match="a day is YYYY-MM-DD, not "):
        as_day(given)


@pytest.mark.parametrize("given", ["b, a,b,", ["b", " a", "b", ""], pd.Series(["b", "a", "b"])])
def test_slugs_are_taken_as_one_text_a_list_and_a_column(given: list[str] | str) -> None:
    assert as_slugs(given) == ["b", "a"]


def test_a_day_and_a_month_exclude_each_other_and_the_last_report_needs_a_folder() -> None:
    assert as_since("") is None
    assert as_since("", "2026-10") is None
    assert as_since("2026-10-05") == date(2026, 10, 5)
    with pytest.raises(ParameterError, match="since and month exclude each other"):
        as_since("last", "2026-10")
    with pytest.raises(ParameterError, match="needs the folder of earlier reports"):
        as_since("last")
