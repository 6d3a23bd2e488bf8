"""What every chart asks of its frame, and the grid of levels that several of them draw."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.errors import ReportError
from riskanalytics.pages.charting.canvas import canvas
from riskanalytics.pages.charting.chart import Chart
from riskanalytics.pages.charting.drawing import NO_DATA, add_grid, draws


@draws(["slug", "count"], "How many?", "Nobody was counted.", table=lambda frame: frame[["slug"]])
def counted(frame: pd.DataFrame, *, height: int = 200) -> Chart:
    """Draw how many there are."""
    return Chart("counted", canvas(f"{frame['count'].sum()} in all", height=height), "Counted.", frame)


def test_a_frame_with_rows_is_drawn_as_the_function_says() -> None:
    frame = pd.DataFrame({"slug": ["opal"], "count": [3]})
    assert counted(frame).title == counted(frame=frame, height=300).title == "3 in all"
    assert counted.__doc__ == "Draw how many there are."


def test_a_frame_without_rows_asks_the_question_and_says_why_there_is_no_answer() -> None:
    made = counted(pd.DataFrame({"slug": [], "count": []}))
    assert (made.name, made.title, made.words, list(made.table)) == ("counted", "How many?", NO_DATA, ["slug"])
    assert "Nobody was counted." in made.figure.to_json()


def test_anything_else_is_refused_in_one_line() -> None:
    with pytest.raises(ReportError) as refused:
        counted(pd.DataFrame({"name": ["Opal"]}))
    assert str(refused.value) == (
        "charts.counted: the frame lacks the column(s) slug, count; it draws what analysis.counted returns"
    )
    with pytest.raises(ReportError) as refused:
        counted([1, 2])  # type: ignore[arg-type]
    assert str(refused.value) == "charts.counted: a frame is needed, not list; it draws what analysis.counted returns"


def test_a_grid_keeps_code_words_and_hint_of_each_mark_in_its_place() -> None:
    figure = canvas("Grid", height=100)
    add_grid(figure, ["a", "b"], ["first"], [[(3, "H", "high"), (None, "", "nothing")]], xgap=2)
    (heat,) = figure.data
    assert [list(line[0]) for line in (heat.z, heat.text, heat.hovertext)] == [
        [3, None],
        ["H", ""],
        ["high", "nothing"],
    ]
    assert (list(heat.x), list(heat.y), heat.xgap, heat.ygap) == (["a", "b"], ["first"], 2, 1)
