"""A report speaks of a calendar month, or of the days after a day; the two are never confused."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from riskanalytics.dataset import span_of_month, span_since
from riskanalytics.errors import IncompleteReportError

NEWEST = date(2026, 10, 31)


def test_a_month_begins_after_the_last_day_of_the_one_before_and_looks_back_on_twelve() -> None:
    span = span_of_month(pd.Period("2026-03", "M"), NEWEST)
    assert (span.before, span.first, span.until, span.after) == (
        date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 31), date(2026, 4, 1)
    )  # fmt: skip
    assert (span.title, span.name, span.kind, span.since) == ("March 2026", "2026-03", "month", "")
    assert span.recorded_from == date(2025, 4, 1)


@pytest.mark.parametrize(
    ("day", "title"),
    [(date(2026, 8, 15), "16 August 2026 to 31 October 2026"), (date(2025, 12, 31), "1 January 2026 to 31 October 2026"),
     (date(2026, 10, 30), "31 October 2026"), (NEWEST, "nothing since 31 October 2026")],
)  # fmt: skip
def test_the_days_since_a_day_begin_on_the_next_and_end_with_the_data(day: date, title: str) -> None:
    span = span_since(day, NEWEST)
    assert span.title == title
    assert (span.before, span.until, span.since, span.kind) == (day, NEWEST, str(day), "period")
    assert span.recorded_from is None
    assert (span.after - span.first).days == (NEWEST - day).days


def test_the_days_of_a_whole_month_have_another_name_than_the_month() -> None:
    month, days = span_of_month(pd.Period("2026-10", "M"), NEWEST), span_since(date(2026, 9, 30), NEWEST)
    assert (month.first, month.after) == (days.first, days.after)
    assert (month.name, days.name) == ("2026-10", "since-2026-09-30-to-2026-10-31")


def test_a_day_after_the_data_is_refused_with_their_last_day() -> None:
    with pytest.raises(IncompleteReportError, match="2026-11-01 lies after the data, which end on 2026-10-31"):
        span_since(date(2026, 11, 1), NEWEST)
