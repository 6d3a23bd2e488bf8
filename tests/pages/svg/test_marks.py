"""Lines, points, intervals and cells."""

from __future__ import annotations

from xml.etree import ElementTree

import plotly.graph_objects as go

from riskanalytics.pages.svg import drawn
from riskanalytics.theme import LEVEL_COLOURS
from tests.pages.svg.given import SVG, drawing, marks, record, words


def test_a_matrix_keeps_letters_beside_its_colours_and_leaves_quiet_cells_empty() -> None:
    figure = go.Figure(
        go.Heatmap(
            x=["a", "b", "c"], y=["p"], z=[[3, None, 1]], text=[["H", "=", "L"]], texttemplate="%{text}",
            coloraxis="coloraxis",
        ),
        layout={"template": "riskanalytics", "coloraxis": {"cmin": -0.5, "cmax": 3.5}},
    )  # fmt: skip
    svg, _ = drawn(record(figure))
    fills = [mark.get("fill") for mark in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    assert fills == [LEVEL_COLOURS["light"]["HIGH"], LEVEL_COLOURS["light"]["LOW"]]
    assert {"H", "=", "L"} <= set(words(svg))


def test_values_that_are_missing_leave_a_gap() -> None:
    line = go.Scatter(x=["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"], y=[1, None, 2, 3], mode="lines")
    svg, _ = drawn(record(go.Figure(line, layout={"showlegend": False, "template": "riskanalytics"})))
    lines = [mark for mark in ElementTree.fromstring(svg).iter(f"{SVG}path") if mark.get("stroke-width") == "2"]
    assert len(lines) == 2
    assert "Jan" in words(svg)


def test_an_interval_ends_where_its_numbers_are() -> None:
    interval = go.Scatter(x=[50], y=["a"], mode="markers", error_x={"array": [10], "arrayminus": [20], "width": 0})
    svg = drawing(interval, xaxis={"range": [0, 100], "tickvals": [30, 60], "showgrid": False})
    ends = {round(float(mark.get("x") or 0), 1) for mark in marks(svg, "text") if mark.text in ("30", "60")}
    lines = [str(mark.get("d")) for mark in marks(svg, "path") if mark.get("stroke-width") == "1.2"]
    spans = [
        [float(place.split(" ")[0]) for place in line.removeprefix("M").split("L")] for line in lines if "L" in line
    ]
    assert ends == {round(place, 1) for place in max(spans, key=lambda span: span[1] - span[0])}


def test_a_line_fills_down_to_the_line_before_it() -> None:
    low, high = go.Scatter(x=[1, 2], y=[1, 1]), go.Scatter(x=[1, 2], y=[2, 2], fill="tonexty", fillcolor="red")
    filled = [str(mark.get("d")) for mark in marks(drawing(low, high), "path") if mark.get("fill") == "red"]
    assert len(filled) == 1
    assert filled[0].count("L") == 3
    assert filled[0].endswith("Z")
