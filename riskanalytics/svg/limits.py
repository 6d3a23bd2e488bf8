"""What is drawn here, and what would be drawn wrongly: told before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

_KINDS: Final = frozenset({"bar", "histogram", "scatter", "heatmap"})
_OF_TRACES: Final = {
    "stackgroup": "stacked lines",
    "histnorm": "shares of a histogram",
    "histfunc": "sums of a histogram",
    "groupnorm": "stacked shares",
}
_OF_AXES: Final = {"overlaying": "a second axis", "rangebreaks": "an axis with gaps"}
_OF_LAYOUTS: Final = {"barnorm": "shares of bars", "images": "pictures"}
"""Settings that are not followed, and how they are told."""
_FILLS: Final = (None, "none", "tonexty", "tozeroy")


class NotDrawnError(ValueError):
    """A figure that is not drawn here; the message says what it is, to stand after `does not draw`."""


def check_drawable(figure: Mapping[str, Any]) -> None:
    """Refuse a figure that would be drawn wrongly.

    Parameters
    ----------
    figure : mapping
        `data` and `layout` as plotly's JSON holds them.

    Raises
    ------
    NotDrawnError
    """
    for trace in figure.get("data") or ():
        kind = str(trace.get("type") or "scatter")
        if kind not in _KINDS:
            raise NotDrawnError(f"a chart of the kind {kind[:40]}")
    for words in (*_asked_of_traces(figure), *_asked_of_layout(figure.get("layout") or {})):
        raise NotDrawnError(f"a chart with {words}")


def _asked_of_traces(figure: Mapping[str, Any]) -> Iterator[str]:
    """Give what traces ask for and do not get."""
    for trace in figure.get("data") or ():
        yield from (words for name, words in _OF_TRACES.items() if trace.get(name))
        marker = trace.get("marker") or {}
        shades = marker.get("color")
        if isinstance(shades, Mapping) or (
            isinstance(shades, list) and any(isinstance(one, int | float) for one in shades)
        ):
            yield "points coloured by number"
        if marker.get("sizeref"):
            yield "points sized by number"
        if trace.get("fill") not in _FILLS:
            yield "filled shapes"
        if trace.get("type") == "heatmap" and not (trace.get("texttemplate") and trace.get("x") and trace.get("y")):
            yield "cells that tell their values by colour alone"
        if trace.get("type") == "histogram" and "x" not in trace:
            yield "a histogram on its side"


def _asked_of_layout(layout: Mapping[str, Any]) -> Iterator[str]:
    """Give what the layout and its axes ask for and do not get."""
    yield from (words for name, words in _OF_LAYOUTS.items() if layout.get(name))
    for name, settings in layout.items():
        if name.startswith(("xaxis", "yaxis")) and isinstance(settings, Mapping):
            yield from (words for key, words in _OF_AXES.items() if settings.get(key))
