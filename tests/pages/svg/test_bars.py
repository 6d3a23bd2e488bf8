"""Bars and bins: where they stand and how they are filled."""

from __future__ import annotations

from xml.etree import ElementTree

import plotly.graph_objects as go

from riskanalytics.pages.svg import drawn
from tests.pages.svg.given import SVG, drawing, marks, record


def test_a_bar_that_is_hatched_on_the_screen_is_hatched_on_paper() -> None:
    bar = go.Bar(x=[2, 3], y=["known", "unknown"], orientation="h", marker={"pattern": {"shape": ["", "/"]}})
    svg, _ = drawn(record(go.Figure(bar)))
    hatched = [mark for mark in ElementTree.fromstring(svg).iter(f"{SVG}rect") if "hatch" in str(mark.get("fill"))]
    assert len(hatched) == 1
    assert "<pattern id=" in svg


def test_a_histogram_is_a_bar_for_each_bin() -> None:
    svg = drawing(go.Histogram(x=[1, 2, 95, 100], xbins={"start": 0, "size": 90}))
    first, second = (float(bar.get("height") or 0) for bar in marks(svg, "rect"))
    assert first == second > 100


def test_stacked_bars_begin_where_the_one_before_ends_and_others_stand_beside_each_other() -> None:
    pair = [go.Bar(x=["a"], y=[2], marker={"color": "red"}), go.Bar(x=["a"], y=[3], marker={"color": "blue"})]

    def edges(mode: str) -> dict[str, tuple[float, float, float]]:
        bars = marks(drawing(*pair, barmode=mode, showlegend=False), "rect")
        told = {str(bar.get("fill")): [float(bar.get(name) or 0) for name in ("x", "y", "height")] for bar in bars}
        return {fill: (x, y, y + high) for fill, (x, y, high) in told.items()}

    stacked, beside = edges("stack"), edges("group")
    assert stacked["red"][0] == stacked["blue"][0]
    assert abs(stacked["red"][1] - stacked["blue"][2]) < 0.02
    assert beside["red"][0] < beside["blue"][0]
    assert beside["red"][2] == beside["blue"][2]


def test_words_that_do_not_fit_into_their_bar_are_left_to_the_table() -> None:
    long = "a" * 300
    texts = marks(drawing(go.Bar(x=[1, 2], y=["p", "q"], orientation="h", text=["fits", long])), "text")
    assert "fits" in [text.text for text in texts]
    assert long not in [text.text for text in texts]
