"""Days and platforms are taken in the forms that readers have them in."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from riskanalytics.errors import ParameterError
from riskanalytics.text.arguments import as_day, as_month, as_since, as_slugs

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


def test_nothing_and_an_empty_text_are_not_days() -> None:
    assert as_day(None) is None
    assert as_day("") is None


@pytest.mark.parametrize(
    "given", ["2026-02-30", "July", "2026-06", "2026-7-1", pd.NaT, pd.Period("2026-06", "M"), 7, " "]
)
def test_an_invalid_day_is_refused_with_its_format(given: str) -> None:
    with pytest.raises(ParameterError, match="a day is YYYY-MM-DD from 1900 on, not "):
        as_day(given)


@pytest.mark.parametrize(
    "given", ["0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1899-12-31"]
)
def test_a_day_from_which_none_can_be_counted_is_refused(given: str) -> None:
    with pytest.raises(ParameterError, match="a day is YYYY-MM-DD"):
        as_day(given)
    with pytest.raises(ParameterError, match="a month is YYYY-MM from 1900-01 on"):
        as_month("0000-01")
    assert (as_day("1900-01-01"), as_month("1900-01")) == (date(1900, 1, 1), "1900-01")


@pytest.mark.parametrize("given", ["b, a,b,", ["b", " a", "b", ""], pd.Series(["b", "a", "b"])])
def test_slugs_are_taken_as_one_text_a_list_and_a_column(given: list[str] | str) -> None:
    assert as_slugs(given) == ["b", "a"]


def test_a_day_and_a_month_exclude_each_other_and_the_last_report_needs_a_folder() -> None:
    assert as_since("") is None
    assert as_since("", "2026-10") is None
    assert as_since("2026-10-05") == date(2026, 10, 5)
    with pytest.raises(ParameterError, match="or month, not both"):
        as_since("last", "2026-10")
    with pytest.raises(ParameterError, match="needs the folder of earlier reports"):
        as_since("last")


@pytest.mark.parametrize(
    "zone", ["Pacific/Kiritimati", "Pacific/Auckland", "UTC", "America/New_York", "Pacific/Honolulu"]
)
@pytest.mark.parametrize(
    ("day", "month"), [("2026-11-01", "2026-10"), ("2027-01-01", "2026-12"), ("2028-03-01", "2028-02")]
)
@pytest.mark.parametrize("time", ["00:00:01", "23:59:59"])
def test_last_month_is_that_before_the_readers_own_day_wherever_they_live(
    zone: str, day: str, month: str, time: str
) -> None:
    assert as_month("last", datetime.fromisoformat(f"{day}T{time}").replace(tzinfo=ZoneInfo(zone))) == month


def test_the_last_month_of_data_without_a_timestamp_follows_the_local_clock() -> None:
    today = datetime.now().astimezone()
    assert as_month("last") in {as_month("last", today), as_month("last", today - timedelta(days=1))}


@pytest.mark.parametrize("given", ["2026-10", ""])
def test_a_month_is_taken_as_it_is(given: str) -> None:
    assert as_month(given) == given


@pytest.mark.parametrize("given", ["2026-13", "2026-1", "Last", "october", "2026-10-01", "2026-10\n"])
def test_an_invalid_month_is_refused_in_one_line(given: str) -> None:
    with pytest.raises(ParameterError, match=r"^a month is YYYY-MM from 1900-01 on, or last, not"):
        as_month(given)
