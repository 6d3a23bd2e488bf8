"""What is read from a figure's JSON."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from riskanalytics.pages.svg import drawn
from riskanalytics.pages.svg.sheet import Told
from tests.pages.svg.given import record


def test_packed_numbers_are_drawn_as_plain_ones() -> None:
    plain = go.Figure(go.Scatter(x=[1.0, 2.0, 4.0], y=[3.0, 1.0, 2.0], mode="markers"))
    packed = go.Figure(go.Scatter(x=np.array([1.0, 2.0, 4.0]), y=np.array([3.0, 1.0, 2.0]), mode="markers"))
    assert "bdata" in json.dumps(record(packed))
    assert drawn(record(packed)) == drawn(record(plain))


def test_what_is_not_set_or_of_another_kind_is_the_default() -> None:
    told = Told({"width": None, "name": {"a": 1}, "line": 3, "shown": 0})
    assert told.number("width", 2) == 2
    assert told.number("shown", 2) == 0
    assert told.text("name", "none") == "none"
    assert told.part("line").text("dash") == ""
    assert told.values("name") == []
    assert Told("bar").get("x") is None
    with pytest.raises(ValueError, match="many"):
        Told({"size": "many"}).number("size")


def test_a_setting_for_each_point_is_read_for_the_point_that_is_spoken_of() -> None:
    told = Told({"text": ["a", "b"], "marker": {"color": ["red"], "line": {"width": 3}}})
    assert [told.at(place).text("text") for place in (0, 1, 2)] == ["a", "b", ""]
    assert told.at(0).part("marker").colour("color", "blue") == "red"
    assert told.at(1).part("marker").colour("color", "blue") == "blue"
    assert told.at(1).part("marker").part("line").number("width") == 3
