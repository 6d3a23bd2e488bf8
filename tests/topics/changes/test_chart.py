"""The chart of changes by month."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.topics.changes import changes_by_month, chart
from tests.frames_given import Market


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
