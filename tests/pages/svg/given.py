"""Figures for the tests of drawings, and what stands in an SVG."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import plotly.graph_objects as go

from riskanalytics.pages.svg import drawn

SVG = "{http://www.w3.org/2000/svg}"


def record(figure: go.Figure) -> dict[str, Any]:
    """A figure as its JSON is kept in a page: without its title."""
    result = json.loads(figure.to_json())
    result["layout"].pop("title", None)
    return dict(result)


def words(svg: str) -> list[str]:
    return ["".join(mark.itertext()) for mark in marks(svg, "text")]


def marks(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{SVG}{tag}"))


def drawing(*traces: Any, **layout: Any) -> str:
    """The SVG of some traces."""
    return drawn(record(go.Figure(traces, layout=layout)))[0]
