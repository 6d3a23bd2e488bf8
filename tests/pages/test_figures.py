"""Words on figures: text from data cannot become markup or hide, and counts are told in one way."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from riskanalytics.pages.figures import count, label, month_ticks, percent, wrapped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>A & B</b>", "&lt;b&gt;A &amp; B&lt;/b&gt;"),
        ("a\u202egnp.exe", "a\ufffdgnp.exe"),
        ("a\u00adb\u200bc\U000e0041\x1b", "a\ufffdb\ufffdc\ufffd\ufffd"),
        (" two\r\n lines\t", "two lines"),
        ("中文 é ∆", "中文 é ∆"),
        ("x" * 61, "x" * 59 + "…"),
        (" " * 500 + "x", "…"),
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (0, "0"),
    ],
)
def test_a_label_is_plain_and_visible(text: object, shown: str) -> None:
    assert label(text) == shown


def test_missing_values_are_not_counted_as_zero() -> None:
    assert [count(value) for value in (1234, np.int64(3), None, pd.NA, float("nan"))] == ["1,234", "3", "?", "?", "?"]
    assert [count(value, "clause") for value in (1, 2.0, None)] == ["1 clause", "2 clauses", "? clauses"]
    assert percent(None) == "no share"
    assert percent(np.float64(0.25)) == "25\xa0%"


def test_each_third_month_is_named_from_the_last_and_a_year_once() -> None:
    months = [date(2025, 10, 1), date(2025, 11, 1), date(2025, 12, 1), date(2026, 1, 1), date(2026, 2, 1)]
    assert month_ticks(months) == ["", "Nov<br>2025", "", "", "Feb<br>2026"]


def test_titles_break_between_words_only() -> None:
    assert wrapped("one two three", 8) == "one two<br>three"
    assert wrapped("x" * 50, 8) == "x" * 50
