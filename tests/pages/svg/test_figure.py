"""What is read from a figure: settings, axes with their ticks, and what is not drawn."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from riskanalytics.pages.svg import NotDrawnError, drawn
from riskanalytics.pages.svg.figure import Axis, Node, Value
from tests.pages.svg.given import record


def axis(values: list[Value], **settings: object) -> Axis:
    """An axis of 100 pixels that holds some values."""
    made = Axis("x", Node(settings))
    made.last = 100.0
    made.learn(values)
    made.span([place for value in values if (place := made.value(value)) is not None], from_zero=False)
    return made


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2.5, None], "linear"),
        (["2026-01-01", "2026-02-01T10:00:00"], "date"),
        (["2026-01-01", "later"], "category"),
    ],
)
def test_the_kind_is_read_from_the_values(values: list[Value], kind: str) -> None:
    assert axis(values).kind == kind


def test_categories_are_in_order_and_reversed_on_request() -> None:
    assert [axis(["b", "a", "c"]).at(name) for name in "bac"] == pytest.approx([100 / 6, 50, 500 / 6])
    assert axis(["b", "a", "c"], autorange="reversed").at("b") == pytest.approx(500 / 6)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"range": [0, 1000], "nticks": 3}, ["0", "500", "1,000"]),
        ({"range": [0, 2], "tickformat": ",d"}, ["0", "1", "2"]),
        ({"range": [0, 1], "nticks": 2, "ticksuffix": " d"}, ["0.0 d", "0.5 d", "1.0 d"]),
        ({"range": [0, 10], "tickvals": [5, 50], "ticktext": ["half", "beyond"]}, ["half"]),
        ({"range": [0, None], "nticks": 2}, ["1", "2"]),
        ({"range": [0, 10], "visible": False}, []),
        ({"range": [0, 10], "tickvals": [5], "showticklabels": False}, [""]),
    ],
)
def test_ticks_are_round_and_cover_the_requested_range(settings: dict[str, object], words: list[str]) -> None:
    assert [word for _, word in axis([1, 2], **settings).ticks()] == words


def test_days_are_shown_as_months_at_round_intervals() -> None:
    result = axis(["2025-01-15", "2026-06-15"], tickformat="%b %Y")
    assert [word for _, word in result.ticks()] == ["Apr 2025", "Jul 2025", "Oct 2025", "Jan 2026", "Apr 2026"]
    result = axis(["2025-02-15", "2026-07-15"], tickformat="%b %Y")
    assert [word for _, word in result.ticks()] == [
        "Apr 2025",
        "Jul 2025",
        "Oct 2025",
        "Jan 2026",
        "Apr 2026",
        "Jul 2026",
    ]


def test_a_moment_is_between_the_days_around_it_and_60_rows_are_drawn() -> None:
    assert axis(["2026-01-01", "2026-01-02"]).at("2026-01-01T18:00") == pytest.approx(75)
    assert drawn({"data": [{"type": "bar", "orientation": "h", "x": [1] * 60, "y": [f"p{n}" for n in range(60)]}]})


def test_a_value_without_a_number_has_no_place_and_the_range_of_values_has_room_except_at_zero() -> None:
    made = axis([0, 10, None])
    assert (made.low, made.high) == (0, 10.5)
    assert [made.value(value) for value in (None, float("inf"), float("nan"), 4)] == [None, None, None, 4.0]
    with pytest.raises(ValueError, match="a point has no value on an axis"):
        made.at(None)
    assert [(one.low, one.high) for one in (axis([-10, 10]), axis([5]), axis([5], rangemode="tozero"))] == [
        (-11, 11), (4.5, 5.5), (0, 5.25),
    ]  # fmt: skip


def test_a_kind_that_is_not_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="the type log, which is not supported"):
        axis([1], type="log")


def test_packed_numbers_are_drawn_as_plain_ones() -> None:
    plain = go.Figure(go.Scatter(x=[1.0, 2.0, 4.0], y=[3.0, 1.0, 2.0], mode="markers"))
    packed = go.Figure(go.Scatter(x=np.array([1.0, 2.0, 4.0]), y=np.array([3.0, 1.0, 2.0]), mode="markers"))
    assert "bdata" in json.dumps(record(packed))
    assert drawn(record(packed)) == drawn(record(plain))


def test_a_missing_or_malformed_setting_has_the_default() -> None:
    result = Node({"width": None, "name": {"a": 1}, "line": 3, "shown": 0})
    assert result.number("width", 2) == 2
    assert result.number("shown", 2) == 0
    assert result.text("name", "none") == "none"
    assert result.text("line.dash") == ""
    assert result.values("name") == []
    assert Node("bar").get("x") is None


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("#9c1c35", "#9c1c35"),
        ("rgba(1,2,3,0)", "rgba(1,2,3,0)"),
        ('red" x="', "blue"),
        ('rgb(1" x=")', "blue"),
        ({}, "blue"),
    ],
)
def test_a_colour_that_could_be_anything_else_is_the_default(value: object, shown: str) -> None:
    assert Node({"color": value}).colour("color", "blue") == shown


def test_a_setting_for_each_point_is_read_for_the_point_that_is_spoken_of() -> None:
    result = Node({"text": ["a", "b"], "marker": {"color": ["red"], "line": {"width": 3}}})
    assert [result.at(place).text("text") for place in (0, 1, 2)] == ["a", "b", ""]
    assert result.at(0).colour("marker.color", "blue") == "red"
    assert result.at(1).colour("marker.color", "blue") == "blue"
    assert result.at(1).part("marker").number("line.width") == 3


@pytest.mark.parametrize(
    ("figure", "said"),
    [({"data": [{"type": "pie", "values": [1]}]}, "of the type pie"),
        ({"data": [{"type": "scatter", "x": [1], "y": [2], "marker": {"color": [0.5]}}]}, "colours are given by number"),
        ({"data": [{"type": "scatter", "x": [1], "y": [2]}], "layout": {"yaxis2": {"overlaying": "y"}}}, "the setting overlaying"),
        ({"data": [{"type": "bar", "orientation": "h", "x": [1] * 61, "y": [f"p{n}" for n in range(61)]}]}, "61 rows"),
        ({"data": [{"type": "heatmap", "x": ["a"], "y": ["b"], "z": [[1]]}]}, "by colour alone"),
        ({"data": [{"type": "heatmap", "texttemplate": "%{text}"}], "layout": {"coloraxis": {"cmax": 9}}}, "by colour alone"),
        ({"data": ["bar"]}, "could not be laid out"),
        ({"data": [{"type": "bar", "name": name, "x": [1], "y": [1]} for name in "ab"]}, "a legend"),
        ({"data": [{"type": "bar", "x": [1], "y": [1]}] * 2}, "grouped bars"),
        ({"data": [{"x": [1], "y": [1], "fill": "tozeroy"}]}, "filled tozeroy"),
        ({"data": [{"x": [1], "y": [1], "mode": "markers", "marker": {"symbol": "star"}}]}, "could not be laid out"),
        *(({"data": [{"type": "histogram", "x": [1], name: "percent"}]}, f"the setting {name}")
          for name in ("stackgroup", "groupnorm", "histnorm", "histfunc")),
        ({"data": [{"type": "bar", "x": [1], "y": [1]}], "layout": {"barnorm": "percent"}}, "the setting barnorm"),
        ({"data": [{"x": [1], "y": [1], "marker": {"sizeref": 2}}]}, "the setting marker.sizeref"),
        ({"data": [], "layout": {"xaxis": {"rangebreaks": [{"values": []}]}}}, "the setting rangebreaks"),
        ({"data": [], "layout": {"images": [{"x": 1}]}}, "the setting images"),
        ({"data": [], "layout": {"coloraxis": {"colorscale": [[0, "red"]]}}}, "the setting coloraxis.colorscale"),
     ({"data": [{"type": "bar", "x": ["a"], "y": ["many"]}], "layout": {"yaxis": {"type": "log"}}}, "type log"),
     ({"data": [{"type": "scatter", "x": {"dtype": "f8", "bdata": "AAAA"}, "y": [1]}]}, "could not be laid out"),
     ({"data": [], "layout": {"shapes": [{"type": "path", "x0": 0, "x1": 1, "y0": 0, "y1": 1}]}}, "type path")],
)  # fmt: skip
def test_settings_that_are_not_drawn_are_named(figure: dict[str, Any], said: str) -> None:
    with pytest.raises(NotDrawnError, match=said):
        drawn(figure)
