"""What is not drawn is said before anything is drawn."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.pages.svg import NotDrawnError, drawn


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
