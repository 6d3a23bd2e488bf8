"""What is drawn here, and what would be drawn wrongly: told before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from riskanalytics.svg.told import Told

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
_FILLS: Final = ("", "none", "tonexty", "tozeroy")


class NotDrawnError(ValueError):
    """A figure that is not drawn here; the message says what it is, to stand after `does not draw`."""


def check_drawable(figure: Mapping[str, object]) -> None:
    """Refuse a figure that would be drawn wrongly.

    Parameters
    ----------
    figure : mapping
        `data` and `layout` as plotly's JSON holds them.

    Raises
    ------
    NotDrawnError
    """
    told = Told(figure)
    for trace in told.parts("data"):
        if (kind := trace.text("type", "scatter")) not in _KINDS:
            raise NotDrawnError(f"a chart of the kind {kind[:40]}")
    for words in _not_followed(told):
        raise NotDrawnError(f"a chart with {words}")


def _not_followed(figure: Told) -> Iterator[str]:
    """Give what a figure asks for and does not get."""
    for trace in figure.parts("data"):
        yield from _asked(trace, _OF_TRACES)
        yield from _of_marks(trace)
    layout = figure.part("layout")
    yield from _asked(layout, _OF_LAYOUTS)
    for name in layout.whole:
        if name.startswith(("xaxis", "yaxis")):
            yield from _asked(layout.part(name), _OF_AXES)


def _asked(told: Told, names: Mapping[str, str]) -> Iterator[str]:
    """Give the words of the settings that are set."""
    return (words for name, words in names.items() if told.get(name))


def _of_marks(trace: Told) -> Iterator[str]:
    """Give what the marks of a trace ask for and do not get."""
    marker, kind = trace.part("marker"), trace.text("type")
    if any(isinstance(shade, int | float) for shade in marker.values("color")):
        yield "points coloured by number"
    if marker.get("sizeref"):
        yield "points sized by number"
    if trace.text("fill") not in _FILLS:
        yield "filled shapes"
    if kind == "heatmap" and not (trace.text("texttemplate") and trace.get("x") and trace.get("y")):
        yield "cells that tell their values by colour alone"
    if kind == "histogram" and trace.get("x") is None:
        yield "a histogram on its side"
