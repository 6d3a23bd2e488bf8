"""A month is named as a whole only where the data reach its end."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from riskanalytics.dataset import month_title


@pytest.mark.parametrize(
    ("day", "title"),
    [(1, "the 1st"), (2, "the 2nd"), (3, "the 3rd"), (4, "the 4th"), (11, "the 11th"), (12, "the 12th"),
     (13, "the 13th"), (21, "the 21st"), (22, "the 22nd"), (23, "the 23rd"), (30, "the 30th")],
)  # fmt: skip
def test_a_month_that_the_data_do_not_reach_the_end_of_is_named_with_its_last_day(day: int, title: str) -> None:
    assert month_title(pd.Period("2026-08"), date(2026, 8, day)) == f"August 2026, to {title}"


def test_a_month_that_is_over_in_the_data_is_named_as_a_whole() -> None:
    for newest in (date(2026, 8, 31), date(2026, 9, 2)):
        assert month_title(pd.Period("2026-08"), newest) == "August 2026"
