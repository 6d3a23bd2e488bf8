"""A chart shows itself to front ends, and what every chart asks of its frame."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import plotly.graph_objects as go
import pytest

from riskanalytics.errors import ReportError
from riskanalytics.pages.figures import NO_DATA, Chart, add_grid, canvas, draws
from riskanalytics.pages.section import decode
from riskanalytics.pages.values import PAGE_TYPE, Figure, Paragraph
from riskanalytics.theme import UNFILLED


def chart(figure: go.Figure) -> Chart:
    return Chart("mix", figure, "in words", pd.DataFrame({"name": ["a", "b"], "share": [0.25, 3]}), most=1)


def test_it_carries_its_words_its_numbers_and_a_drawing_where_there_is_one() -> None:
    drawn = chart(go.Figure(go.Bar(x=[1], y=[1]), layout={"title": {"text": "One<br>two"}}))._repr_mimebundle_()
    (value,) = decode(drawn[PAGE_TYPE])
    assert isinstance(value, Figure)
    assert (value.title, value.words, len(value.table.rows), value.table.left_out) == ("One two", "in words", 1, 1)
    assert drawn["text/plain"] == "in words"
    assert drawn["image/svg+xml"].startswith("<svg")
    assert "image/svg+xml" not in chart(go.Figure(go.Pie(values=[1])))._repr_mimebundle_()


@draws(["slug", "count"], "How many?", "Nobody was counted.", table=lambda frame: frame[["slug"]])
def counted(frame: pd.DataFrame, *, height: int = 200) -> Chart:
    """Draw how many there are."""
    return Chart("counted", canvas(f"{frame['count'].sum()} in all", height=height), "Counted.", frame)


def test_a_frame_with_rows_is_drawn_as_the_function_says() -> None:
    frame = pd.DataFrame({"slug": ["opal"], "count": [3]})
    assert counted(frame).title == counted(frame=frame, height=300).title == "3 in all"
    assert counted.__doc__ == "Draw how many there are."


def test_a_frame_without_rows_shows_the_question_and_why_there_is_no_answer() -> None:
    made = counted(pd.DataFrame({"slug": [], "count": []}))
    assert (made.name, made.title, made.words, list(made.table)) == ("counted", "How many?", NO_DATA, ["slug"])
    assert "Nobody was counted." in made.figure.to_json()


@draws(["count"], "How many?", view="totals", unknown="The service does not say.")
def total(frame: pd.DataFrame, *, noun: str = "one") -> Chart:
    return Chart("total", canvas(f"{len(frame)} {noun}", height=100), "", frame)


def test_a_data_set_is_drawn_from_its_view_or_says_that_it_is_not_known() -> None:
    class Data:
        views = SimpleNamespace(totals=pd.DataFrame({"count": [3]}), counted=None, total=None)

    assert total(Data(), noun="row").title == "1 row"
    Data.views.totals = pd.DataFrame({"count": []})
    assert total(Data()).title == "How many?"
    Data.views.totals = None
    said = total(Data())
    assert (said.parts, said.text) == ((Paragraph("The service does not say."),), "The service does not say.")  # type: ignore[attr-defined]
    nothing = counted(Data())
    assert (nothing.parts, nothing.text) == ((), NO_DATA)  # type: ignore[attr-defined]


def test_anything_else_is_refused_in_one_line() -> None:
    with pytest.raises(ReportError) as refused:
        counted(pd.DataFrame({"name": ["Opal"]}))
    assert str(refused.value) == (
        "charts.counted: the frame lacks the column(s) slug, count; it draws the result of analysis.counted"
    )
    with pytest.raises(ReportError) as refused:
        counted([1, 2])  # type: ignore[arg-type]
    assert str(refused.value) == "charts.counted: expected a frame, not list; it draws the result of analysis.counted"


def test_a_grid_keeps_code_words_and_hint_of_each_mark_in_its_place() -> None:
    figure = canvas("Grid", height=100)
    add_grid(
        figure, ["a", "b", "c"], ["first"], [[(3, "H", "high"), (None, "", "nothing"), (None, "?", "read")]], xgap=2
    )
    (heat,) = figure.data
    assert [list(line[0]) for line in (heat.z, heat.text, heat.hovertext)] == [
        [3, None, UNFILLED],
        ["H", "", "?"],
        ["high", "nothing", "read"],
    ]
    assert (list(heat.x), list(heat.y), heat.xgap, heat.ygap) == (["a", "b", "c"], ["first"], 2, 1)
