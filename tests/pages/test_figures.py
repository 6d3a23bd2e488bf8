"""Words on figures: text from data cannot become markup or hide, and counts are told in one way."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from riskanalytics.pages.figures import (
    add_shares,
    count,
    counted,
    course_rows,
    hatched,
    interval_bars,
    label,
    level_marker,
    month_ticks,
    percent,
    percents,
    row_axis,
    share_bars,
    share_words,
    wrapped,
)
from riskanalytics.theme import LEVEL_COLOURS

SHARES = pd.DataFrame(
    {"what": ["not_checked", "verified"], "n": [1200, 3], "share": [0.4, None], "low": [0.12, 0.1], "high": [0.74, 0.9]}
)


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
    year = [date(2026, month, 1) for month in range(1, 13)]
    assert list(filter(None, month_ticks([date(2025, 12, 1), *year]))) == [
        "Dec<br>2025",
        "Mar<br>2026",
        "Jun",
        "Sep",
        "Dec",
    ]


def test_titles_break_between_words_only() -> None:
    assert wrapped("one two three", 8) == "one two<br>three"
    assert wrapped("x" * 50, 8) == "x" * 50


def test_shares_are_said_with_their_counts_and_intervals() -> None:
    assert counted(SHARES, "what", "n") == "1,200 not checked (40\xa0%), 3 verified (no share)"
    row = {"all": 3000, **SHARES.iloc[0]}
    assert share_words(row, "n", "all") == "40\xa0% (1,200 of 3,000), interval 12\xa0% to 74\xa0%"
    other = {"n": 1, "all": 2, "recall": 0.5, "recall_low": 0.2, "recall_high": 0.8}
    assert share_words(other, "n", "all", "recall", "recall_") == "50\xa0% (1 of 2), interval 20\xa0% to 80\xa0%"


def test_bars_of_shares_are_in_the_order_of_their_rows_with_numbers_next_to_them() -> None:
    figure = share_bars("Title", SHARES, ("what", "n"), {}, "documents", 100)
    (bars,) = figure.data
    assert (list(bars.x), list(bars.y)) == ([1200, 3], ["Not checked", "Verified"])
    assert list(bars.text) == ["1,200 (40\xa0%)", "3 (no share)"]
    assert (figure.layout.yaxis.autorange, figure.layout.xaxis.range, bars.orientation) == ("reversed", (0, 1680), "h")
    assert interval_bars(SHARES["share"], SHARES["low"], SHARES["high"]) == {
        "array": [34.0, None], "arrayminus": [28.0, None], "thickness": 1.6, "width": 3,
    }  # fmt: skip
    assert row_axis(["a", "b"])["range"] == [1.5, -0.5]
    assert percents(pd.Series([0.12345, None])) == [12.35, None]
    assert hatched([True, False])["pattern"] == {"shape": ["", "/"], "solidity": 0.35}


OTHER = SHARES.rename(columns={"share": "recall", "low": "recall_low", "high": "recall_high"}).assign(
    share=1.0, low=1.0, high=1.0
)


@pytest.mark.parametrize(("frame", "columns"), [(SHARES, ("n", "all")), (OTHER, ("n", "all", "recall", "recall_"))])
def test_points_are_at_their_shares_with_their_intervals_and_hover_texts(
    frame: pd.DataFrame, columns: tuple[str, ...]
) -> None:
    figure = go.Figure()
    add_shares(figure, frame.assign(all=10), ["one", "two"], *columns, shift=0.5, name="recall")
    (points,) = figure.data
    assert (points.x, points.y, points.name) == ((40.0, None), (0.5, 1.5), "recall")
    assert list(points.customdata) == [
        "one<br>40\xa0% (1,200 of 10), interval 12\xa0% to 74\xa0%",
        "two<br>no share (3 of 10), interval 10\xa0% to 90\xa0%",
    ]
    assert (points.error_x.arrayminus, points.error_x.array) == ((28.0, None), (34.0, None))
    assert (points.mode, points.hovertemplate) == ("markers", "%{customdata}<extra></extra>")


def test_an_unknown_level_is_hatched_and_each_small_chart_has_its_own_head() -> None:
    assert ["pattern" in level_marker(level) for level in LEVEL_COLOURS["light"]] == [True, False, False, False]
    assert level_marker("HIGH")["color"] == LEVEL_COLOURS["light"]["HIGH"]
    notes = course_rows("Courses", ["first", "second"], height=200, gap=0.1).layout.annotations
    assert [(note.text, note.yref, note.xanchor, note.yanchor) for note in notes] == [
        ("first", "y domain", "left", "bottom"), ("second", "y2 domain", "left", "bottom"),
    ]  # fmt: skip
