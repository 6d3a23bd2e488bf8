"""The chart of changes by month."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.topics.changes import changes_by_month, chart
from tests.frames_given import CHANGES, Market, given


@pytest.mark.parametrize("size", [0, 1, 30])
def test_the_chart_draws_none_one_and_many_rows_without_touching_its_frame(size: int) -> None:
    months = changes_by_month(Market(size).changes)
    before = months.copy(deep=True)
    made = chart.changes_by_month(months)
    assert made.name == "changes_by_month"
    assert made.figure.layout.title.text
    assert len(made.figure.to_json()) < 20_000
    assert made.words.endswith(".")
    pd.testing.assert_frame_equal(months, before)
    pd.testing.assert_frame_equal(made.table, before)


def test_without_the_noise_the_material_changes_alone_are_drawn_and_tabled() -> None:
    made = chart.changes_by_month(changes_by_month(Market(30).changes), noise=False)
    assert [bars.name for bars in made.figure.data] == ["material"]
    assert set(made.table["change_class"]) == {"material"}


def test_the_last_month_is_compared_with_the_months_before_and_only_material_changes_are_solid() -> None:
    days = ["08-01"] * 5 + ["09-30"] * 2 + ["10-09"] * 3
    rows = [
        {"change_id": f"c{n}", "change_class": "material", "reviewed_at": f"2026-{day}"} for n, day in enumerate(days)
    ]
    noise = {"change_id": "n", "change_class": "capture_failure", "reviewed_at": "2026-10-02"}
    months = changes_by_month(given(CHANGES, *rows, noise))
    made = chart.changes_by_month(months)
    assert made.title == "3 material changes in October 2026; 2 to 5 a month in the 2 months before"
    assert made.words == f"{made.title}. Of 11 changes in all these months, 10 are material."
    assert [(bar.name, list(bar.x)[-1], list(bar.y)) for bar in made.figure.data] == [
        ("material", "2026-10", [5, 2, 3]), ("capture failure", "2026-10", [0, 0, 1]),
    ]  # fmt: skip
    assert [bar.marker.pattern.shape for bar in made.figure.data] == [None, "/"]
    two = months[months["month"] > "2026-08-31"]
    assert chart.changes_by_month(two).title == "3 material changes in October 2026"
