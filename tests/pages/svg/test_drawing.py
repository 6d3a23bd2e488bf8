"""Figures drawn without a browser: every chart of ours, its words as words, and the same bytes."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest

from riskanalytics import charts
from riskanalytics.pages.svg import drawn
from tests.pages.svg.given import SVG, record, words
from tests.topics.test_doors import frame_of

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"
NAMES = charts.__all__


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_drawn_with_all_its_words_inside(name: str, size: int) -> None:
    figure = getattr(charts, name)(frame_of(name, size)).figure
    svg, high = drawn(record(figure))
    assert drawn(record(figure)) == (svg, high)
    assert words(svg)
    for mark in ElementTree.fromstring(svg).iter():
        assert 0 <= float(mark.get("x") or 0) <= 640, mark.attrib
        assert 0 <= float(mark.get("y") or 0) <= high, mark.attrib


def test_a_standalone_drawing_has_a_title_and_a_background() -> None:
    bars = go.Figure(go.Bar(x=[1], y=[1]), layout={"title": {"text": f"1 &amp; 2<br>{HOSTILE}"}, "height": 300})
    svg, high = drawn(json.loads(bars.to_json()), alone=True)
    root = ElementTree.fromstring(svg)
    title = [mark for mark in root.iter(f"{SVG}text") if float(mark.get("y", 0)) < 0]
    assert "".join(title[0].itertext()) == "1 & 2"
    assert "onerror" not in {name for mark in root.iter() for name in mark.attrib}
    assert high == float(root.get("height", 0)) == 300 - float(root.get("viewBox", "").split()[1])
    assert next(root.iter(f"{SVG}rect")).get("fill") == "#ffffff"
    assert drawn(record(bars))[1] == 300


def test_notes_keep_their_box_and_colour_and_invisible_points_stay_invisible() -> None:
    note = {"x": 1, "y": 1, "text": "<b>1</b> 2", "bgcolor": "#9c1c35", "font": {"color": "#ffffff"}, "borderpad": 3}
    points = go.Scatter(x=[1], y=[1], mode="markers", marker={"opacity": 0, "size": 22})
    svg, _ = drawn(record(go.Figure(points, layout={"annotations": [note], "yaxis": {"range": [0, 2]}})))
    root = ElementTree.fromstring(svg)
    assert [mark.get("fill") for mark in root.iter(f"{SVG}rect")] == ["#9c1c35"]
    assert ("1 2", "#ffffff") in [("".join(mark.itertext()), mark.get("fill")) for mark in root.iter(f"{SVG}text")]
    assert [mark.text for mark in root.iter(f"{SVG}tspan")] == ["1"]
    assert not [mark for mark in root.iter(f"{SVG}path") if mark.get("fill") != "none"]


def test_a_note_is_at_its_place_and_begins_or_ends_there() -> None:
    notes = [{"x": x, "y": 0.25, "xref": "paper", "yref": "paper", "xanchor": side, "yshift": shift, "text": f"{side}{shift}"}
             for x, side, shift in ((0, "left", 0), (1, "right", 0), (0.5, "center", 10))]  # fmt: skip
    svg, high = drawn(record(go.Figure(go.Scatter(x=[1], y=[1]), layout={"annotations": notes})))
    left, right, centre = [
        (float(mark.get("x") or 0), float(mark.get("y") or 0), mark.get("text-anchor"))
        for mark in ElementTree.fromstring(svg).iter(f"{SVG}text") if mark.text in ("left0", "right0", "center10")
    ]  # fmt: skip
    assert (left[2], right[2], centre[2]) == ("start", "end", "middle")
    assert left[0] < centre[0] < right[0]
    assert left[1] == right[1] == pytest.approx(centre[1] + 10)
    assert left[1] > high / 2


def test_lines_of_the_layout_keep_their_look_and_axes_that_match_share_their_range() -> None:
    line = {"dash": "dot", "color": "red", "width": 3}
    shape = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": line}
    rows = {"yaxis": {"domain": [0, 0.4]}, "yaxis2": {"domain": [0.6, 1], "matches": "y"}}
    both = [go.Scatter(x=[1], y=[1], mode="markers"), go.Scatter(x=[1], y=[5], yaxis="y2", mode="markers")]
    svg, high = drawn(record(go.Figure(both, layout={"shapes": [shape], "showlegend": False, **rows})))
    root = ElementTree.fromstring(svg)
    (drawn_line,) = [mark.attrib for mark in root.iter(f"{SVG}path") if mark.get("stroke") == "red"]
    assert (drawn_line["stroke-dasharray"], drawn_line["stroke-width"]) == ("1.5 2.5", "3")
    one, five = (float(mark.get("cy") or 0) for mark in root.iter(f"{SVG}circle"))
    ticks = [float(mark.get("y") or 0) for mark in root.iter(f"{SVG}text") if mark.text in ("1", "5")]
    assert one - ticks[0] == pytest.approx(five - ticks[3], abs=0.02)  # each at the tick of its own axis
    assert five < ticks[2] < high / 2 < ticks[1] < one
    assert drawn_line["d"].split()[-1] == f"{one:g}"


def test_words_and_colours_of_data_cannot_become_markup() -> None:
    bar = go.Bar(x=[HOSTILE], y=[1], text=[HOSTILE], textposition="outside")
    result = record(go.Figure(bar, layout={"yaxis": {"title": {"text": HOSTILE}}}))
    result["data"][0]["marker"] = {"color": 'red" onload="alert(1)'}
    svg, _ = drawn(result)
    tags = {mark.tag.removeprefix(SVG) for mark in ElementTree.fromstring(svg).iter()}
    assert tags <= {"svg", "defs", "rect", "path", "text", "tspan"}
    assert "onload" not in svg
    assert any("<img" in text for text in words(svg))
