"""Labels, lines, points, intervals, cells and bars."""

from __future__ import annotations

from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest

from riskanalytics.pages.svg import drawn
from riskanalytics.pages.svg.marks import Sheet, number, width
from riskanalytics.theme import LEVEL_COLOURS
from tests.pages.svg.given import SVG, drawing, marks, record, words


def test_a_matrix_keeps_letters_in_its_coloured_cells_and_leaves_quiet_cells_empty() -> None:
    figure = go.Figure(
        go.Heatmap(
            x=["a", "b", "c"], y=["p", "q"], z=[[3, None, 1], [None, 0, None]], text=[["H", "=", "L"], ["", "?", ""]],
            texttemplate="%{text}", coloraxis="coloraxis",
        ),
        layout={"coloraxis": {"cmin": -0.5, "cmax": 3.5}},
    )  # fmt: skip
    svg, _ = drawn(record(figure))
    fills = [mark.get("fill") for mark in ElementTree.fromstring(svg).iter(f"{SVG}rect")]
    assert fills == [LEVEL_COLOURS["light"][level] for level in ("HIGH", "LOW", "UNKNOWN")]
    up = {mark.text: float(mark.get("y") or 0) for mark in marks(svg, "text")}
    assert [round(up["H"] - up["p"]), round(up["?"] - up["q"])] == [0, 0]
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


def test_a_bar_that_is_hatched_on_the_screen_is_hatched_on_paper() -> None:
    bar = go.Bar(x=[2, 3], y=["known", "unknown"], orientation="h", marker={"pattern": {"shape": ["", "/"]}})
    svg, _ = drawn(record(go.Figure(bar)))
    hatched = [mark for mark in ElementTree.fromstring(svg).iter(f"{SVG}rect") if "hatch" in str(mark.get("fill"))]
    assert len(hatched) == 1
    assert "<pattern id=" in svg


def test_a_histogram_is_a_bar_for_each_bin() -> None:
    svg = drawing(go.Histogram(x=[60, 139, 141, 200], xbins={"start": 50, "size": 90}))
    first, second = (float(bar.get("height") or 0) for bar in marks(svg, "rect"))
    assert first == second > 100
    bins = {"start": 50, "size": 90}
    svg = drawing(go.Histogram(x=[60, 239], xbins=bins), xaxis={"tickvals": [140, 185]})
    (empty, full), (edge, middle) = (
        [mark for mark in marks(svg, "rect") if float(mark.get("height") or 0)],
        [float(mark.get("x") or 0) for mark in marks(svg, "text") if mark.text in ("140", "185")],
    )
    left, right = (float(empty.get(name) or 0) for name in ("x", "width"))
    assert edge - left - right == pytest.approx((middle - edge) * 0.2, abs=0.05)
    assert float(full.get("x") or 0) > middle


def test_stacked_bars_begin_where_the_one_before_ends() -> None:
    pair = [go.Bar(x=["a"], y=[2], marker={"color": "red"}), go.Bar(x=["a"], y=[3], marker={"color": "blue"})]
    red, blue = marks(drawing(*pair, barmode="stack", showlegend=False), "rect")
    assert red.get("x") == blue.get("x")
    top, bottom = float(red.get("y") or 0), sum(float(blue.get(name) or 0) for name in ("y", "height"))
    assert abs(top - bottom) < 0.02


def test_bars_below_zero_are_stacked_downwards() -> None:
    bars = [go.Bar(x=["a"], y=[length]) for length in (2, -1, 3, -4)]
    drawn_bars = marks(drawing(*bars, barmode="relative", showlegend=False), "rect")
    ends = [[float(bar.get("y") or 0), float(bar.get("y") or 0) + float(bar.get("height") or 0)] for bar in drawn_bars]
    (top_2, zero), (below, down_1), (top_5, end_2), (end_1, down_5) = ends
    assert [zero, top_2, down_1] == pytest.approx([below, end_2, end_1], abs=0.02)
    assert top_5 < top_2 < zero < down_1 < down_5


def test_words_that_do_not_fit_into_their_bar_are_left_to_the_table() -> None:
    long = "a" * 300
    texts = marks(drawing(go.Bar(x=[1, 2], y=["p", "q"], orientation="h", text=["fits", long])), "text")
    assert "fits" in [text.text for text in texts]
    assert long not in [text.text for text in texts]
    thin = marks(
        drawing(go.Bar(x=[1, 2], y=["p", "q"], orientation="h", text=["thick", "thin"], width=[0.8, 0.01])), "text"
    )
    assert {text.text for text in thin} & {"thick", "thin"} == {"thick"}


def test_points_have_the_shape_of_their_symbol_and_words_beside_them() -> None:
    look = {"symbol": ["square", "diamond", "circle"], "size": 10, "color": "red"}
    points = go.Scatter(
        x=[1, 2, 3], y=[1, 1, 1], mode="markers+text", marker=look, text=["a", "b", "c"], textposition="middle right"
    )
    svg = drawing(points)
    square, diamond = [
        [tuple(map(float, place.split())) for place in str(mark.get("d")).strip("MZ").split("L")]
        for mark in marks(svg, "path") if mark.get("fill") == "red"
    ]  # fmt: skip
    (circle,) = marks(svg, "circle")
    x, y = square[0][0] + 5, float(circle.get("cy") or 0)
    assert square == [(x - 5, y - 5), (x + 5, y - 5), (x + 5, y + 5), (x - 5, y + 5)]
    x = diamond[0][0]
    assert diamond == [(x, y - 6.5), (x + 6.5, y), (x, y + 6.5), (x - 6.5, y)]
    (word,) = [mark for mark in marks(svg, "text") if mark.text == "c"]
    assert (float(word.get("x") or 0), word.get("text-anchor")) == (float(circle.get("cx") or 0) + 6, "start")


def test_a_label_has_its_lines_and_strong_words_and_no_other_mark() -> None:
    sheet = Sheet()
    sheet.text((10, 20), "<b>one</b> &amp; two<br><script>three", fill="#000000")
    svg = sheet.written(100, 50)
    assert words(svg) == ["one & two", "<script>three"]
    assert [mark.text for mark in marks(svg, "tspan")] == ["one"]
    first, second = (float(mark.get("y") or 0) for mark in marks(svg, "text"))
    assert first < 20 < second


def test_width_is_that_of_the_longest_line() -> None:
    assert width("ab<br>abcd") == width("abcd") > width("ab")


def test_numbers_are_the_same_on_every_machine() -> None:
    assert [number(value) for value in (1.0, -0.001, 2.345, 1e6)] == ["1", "0", "2.35", "1000000"]


def test_a_line_is_dashed_and_stepped_as_on_the_screen_and_marks_are_drawn_only_if_requested() -> None:
    sheet = Sheet()
    sheet.line([(0, 0), (10, 5)], "red", 2, "dot", "hv")
    (line,) = marks(sheet.written(20, 20), "path")
    assert (line.get("d"), line.get("stroke-dasharray")) == ("M0 0H10V5", "1.5 2.5")
    drawings = [drawing(go.Scatter(x=[1, 2], y=[1, 2], mode=mode)) for mode in ("lines", "markers", "lines+markers")]
    thick = [[mark for mark in marks(svg, "path") if mark.get("stroke-width") == "2"] for svg in drawings]
    assert [(len(one), len(marks(svg, "circle"))) for one, svg in zip(thick, drawings, strict=True)] == [
        (1, 0),
        (0, 2),
        (1, 2),
    ]


def test_words_beside_a_bar_begin_at_its_end() -> None:
    svg = drawing(go.Bar(x=[2], y=["p"], orientation="h", text=["two"], textposition="outside"))
    (bar,) = marks(svg, "rect")
    (at,) = [float(mark.get("x") or 0) for mark in marks(svg, "text") if mark.text == "two"]
    assert at == float(bar.get("x") or 0) + float(bar.get("width") or 0) + 5
