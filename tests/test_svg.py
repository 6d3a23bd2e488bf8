"""Figures drawn without a browser: every chart of ours, its words as words, its second marks, and the same bytes."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import numpy as np
import plotly.graph_objects as go
import pytest

from riskanalytics import charts
from riskanalytics.svg import NotDrawnError, drawn
from riskanalytics.theme import LEVEL_COLOURS
from tests.frames_given import Market
from tests.topics.test_doors import frames

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"
SVG = "{http://www.w3.org/2000/svg}"
NAMES = charts.__all__


def record(figure: Any) -> dict[str, Any]:
    """A figure as its JSON is kept in a page: without its title."""
    told = json.loads(figure.to_json())
    told["layout"].pop("title", None)
    return dict(told)


def words(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_drawn_with_all_its_words_inside(name: str, size: int) -> None:
    figure = getattr(charts, name)(frames(Market(size))[name]).figure
    svg, high = drawn(record(figure))
    assert drawn(record(figure)) == (svg, high)
    assert words(svg)
    for mark in ElementTree.fromstring(svg).iter():
        assert 0 <= float(mark.get("x") or 0) <= 640, mark.attrib
        assert 0 <= float(mark.get("y") or 0) <= high, mark.attrib


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


def test_a_bar_that_is_hatched_on_the_screen_is_hatched_on_paper() -> None:
    bar = go.Bar(x=[2, 3], y=["known", "unknown"], orientation="h", marker={"pattern": {"shape": ["", "/"]}})
    svg, _ = drawn(record(go.Figure(bar)))
    hatched = [mark for mark in ElementTree.fromstring(svg).iter(f"{SVG}rect") if "hatch" in str(mark.get("fill"))]
    assert len(hatched) == 1
    assert "<pattern id=" in svg


def test_packed_numbers_are_drawn_as_plain_ones() -> None:
    plain = go.Figure(go.Scatter(x=[1.0, 2.0, 4.0], y=[3.0, 1.0, 2.0], mode="markers"))
    packed = go.Figure(go.Scatter(x=np.array([1.0, 2.0, 4.0]), y=np.array([3.0, 1.0, 2.0]), mode="markers"))
    assert "bdata" in json.dumps(record(packed))
    assert drawn(record(packed)) == drawn(record(plain))


def test_values_that_are_missing_leave_a_gap() -> None:
    line = go.Scatter(x=["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"], y=[1, None, 2, 3], mode="lines")
    svg, _ = drawn(record(go.Figure(line, layout={"showlegend": False, "template": "riskanalytics"})))
    lines = [mark for mark in ElementTree.fromstring(svg).iter(f"{SVG}path") if mark.get("stroke-width") == "2"]
    assert len(lines) == 2
    assert "Jan" in words(svg)


def test_intervals_and_bins_stand_where_their_numbers_are() -> None:
    interval = go.Scatter(x=[50], y=["a"], mode="markers", error_x={"array": [10], "arrayminus": [20]})
    svg, _ = drawn(record(go.Figure(interval, layout={"xaxis": {"range": [0, 100]}})))
    assert {"0", "100"} <= set(words(svg))
    bins = go.Histogram(x=[1, 2, 95, 100], xbins={"start": 0, "size": 90})
    svg, _ = drawn(record(go.Figure(bins)))
    assert len(list(ElementTree.fromstring(svg).iter(f"{SVG}rect"))) == 2


def test_notes_keep_their_box_and_colour_and_invisible_points_stay_so() -> None:
    note = {"x": 1, "y": 1, "text": "<b>1</b> 2", "bgcolor": "#9c1c35", "font": {"color": "#ffffff"}, "borderpad": 3}
    points = go.Scatter(x=[1], y=[1], mode="markers", marker={"opacity": 0, "size": 22})
    svg, _ = drawn(record(go.Figure(points, layout={"annotations": [note], "yaxis": {"range": [0, 2]}})))
    root = ElementTree.fromstring(svg)
    assert [mark.get("fill") for mark in root.iter(f"{SVG}rect")] == ["#9c1c35"]
    assert ("1 2", "#ffffff") in [("".join(mark.itertext()), mark.get("fill")) for mark in root.iter(f"{SVG}text")]
    assert [mark.text for mark in root.iter(f"{SVG}tspan")] == ["1"]
    assert not [mark for mark in root.iter(f"{SVG}path") if mark.get("fill") != "none"]


def test_words_and_colours_of_data_cannot_become_markup() -> None:
    bar = go.Bar(x=[HOSTILE], y=[1], text=[HOSTILE], textposition="outside")
    told = record(go.Figure(bar, layout={"yaxis": {"title": {"text": HOSTILE}}}))
    told["data"][0]["marker"] = {"color": 'red" onload="alert(1)'}
    svg, _ = drawn(told)
    tags = {mark.tag.removeprefix(SVG) for mark in ElementTree.fromstring(svg).iter()}
    assert tags <= {"svg", "defs", "rect", "path", "text", "tspan"}
    assert "onload" not in svg
    assert any("<img" in text for text in words(svg))


@pytest.mark.parametrize(
    ("figure", "said"),
    [({"data": [{"type": "pie", "values": [1]}]}, "of the kind pie"),
        ({"data": [{"type": "scatter", "x": [1], "y": [2], "marker": {"color": [0.5]}}]}, "points coloured by number"),
        ({"data": [{"type": "scatter", "x": [1], "y": [2]}], "layout": {"yaxis2": {"overlaying": "y"}}}, "second axis"),
        ({"data": [{"type": "bar", "orientation": "h", "x": [1] * 61, "y": [f"p{n}" for n in range(61)]}]}, "61 rows"),
        ({"data": [{"type": "heatmap", "x": ["a"], "y": ["b"], "z": [[1]]}]}, "by colour alone"),
        ({"data": ["bar"]}, "could not be laid out"),
        ({"data": [{"type": "histogram", "x": [1], "histnorm": "percent"}]}, "shares of a histogram"),
     ({"data": [{"type": "bar", "x": ["a"], "y": ["many"]}], "layout": {"yaxis": {"type": "log"}}}, "kind log"),
     ({"data": [{"type": "scatter", "x": {"dtype": "f8", "bdata": "AAAA"}, "y": [1]}]}, "could not be laid out"),
     ({"data": [], "layout": {"shapes": [{"type": "path", "x0": 0, "x1": 1, "y0": 0, "y1": 1}]}}, "kind path")],
)  # fmt: skip
def test_what_is_not_drawn_is_said(figure: dict[str, Any], said: str) -> None:
    with pytest.raises(NotDrawnError, match=said):
        drawn(figure)
