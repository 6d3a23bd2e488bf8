"""A chart shows itself to front ends, and nothing of it leaves the machine."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.pages.charting.chart import Chart
from riskanalytics.pages.encoding import decode
from riskanalytics.pages.values import PAGE_TYPE, Figure


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
