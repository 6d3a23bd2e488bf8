"""Read a figure in plotly's JSON: its settings, its axes with their ticks, and the check for unsupported elements."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from math import ceil, floor, isfinite, log10
from typing import Any, Final, Self

import numpy as np
import pandas as pd

_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120)
_TICKS: Final = 7
_SECONDS: Final = 86_400

Value = str | float | None
"""One value of a trace: a day is its ISO form, None is missing."""
Tick = tuple[float, str]
"""Position of a tick on its axis, and its words."""


class NotDrawnError(Exception):
    """A figure contains something unsupported; the message says what, as a clause without full stop."""


class Node:
    """An object in plotly's JSON of a figure. Its methods read a value by its path, such as `line.width`.

    Parameters
    ----------
    value : object
        The object; any value that is not a mapping is read as an empty object.
    place : int, optional
        Number of a point of a trace, from 0. If given, and a setting has a list with one item for each point (such as the
        colours of the points), only the item of this point is read.
    """

    def __init__(self, value: object, place: int | None = None) -> None:
        self.whole: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self._place = place

    def at(self, place: int) -> Self:
        """Return a copy of this object for one point of a trace, whose number, from 0, is `place`.

        If a setting has a list with one item for each point (such as their colours), the copy reads only the item of this point.
        """
        return type(self)(self.whole, place)

    def get(self, path: str) -> Any:
        """Return the value at a path in the object, such as `line.width`, unchanged; None if it is not set."""
        value: Any = self.whole
        for name in path.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
            if self._place is not None and isinstance(value, list):
                value = value[self._place] if self._place < len(value) else None
        return value

    def part(self, path: str) -> Node:
        """Return the inner object at a path, such as `marker.line`, as a `Node`; an empty one if it is not set."""
        return Node(self.get(path), self._place)

    def parts(self, path: str) -> list[Node]:
        """Return the items of the list at a path, such as `shapes`; if one is not an object, raise a TypeError or ValueError."""
        return [Node(dict(part)) for part in self.values(path)]

    def text(self, path: str, default: str = "") -> str:
        """Return the string or number at a path, such as `title.text`, as a string; if it is empty or anything else, `default`."""
        value = self.get(path)
        return str(value) if isinstance(value, str | int | float) and value != "" else default

    def number(self, path: str, default: float = 0.0) -> float:
        """Return the number at a path in the object, such as `line.width`; `default` if it is not set."""
        value: float | None = self.get(path)
        return default if value is None else value

    def colour(self, path: str, default: str) -> str:
        """Return the colour at a path, such as `line.color`; `default` if it is not set, or unsafe in an attribute of SVG.

        Raises
        ------
        ValueError
            If the colour is given as a number, which only a colour scale can turn into a colour.
        """
        value = self.get(path)
        if isinstance(value, int | float):
            raise ValueError("the colours are given by number")  # noqa: TRY004 (the JSON is read as data)
        form = r"#[0-9a-fA-F]{3,8}|rgba?\([0-9., %]{1,40}\)|[a-zA-Z]{3,24}"
        return value if isinstance(value, str) and re.fullmatch(form, value) else default

    def values(self, path: str) -> list[Any]:
        """Return the list at a path, such as `x`, or the numbers packed there as base64; an empty list for any other value."""
        value = self.get(path)
        if isinstance(value, Mapping) and "bdata" in value:
            kind = np.dtype(value["dtype"]).newbyteorder("<")
            value = np.frombuffer(base64.b64decode(value["bdata"]), kind).tolist()
        return value if isinstance(value, list) else []


class Axis:
    """One axis of a figure: values from `low` to `high` are drawn at pixels from `first` to `last`.

    Parameters
    ----------
    name : str
        Name of the axis in traces: `x`, `y2`, ...
    settings : Node
        The object of the axis in the layout.
    """

    def __init__(self, name: str, settings: Node) -> None:
        self.name, self.settings = name, settings
        self.across = name[0] == "x"
        self.visible = settings.get("visible") is not False
        self.above = settings.text("side") == "top"
        self.turned = abs(settings.number("tickangle"))
        self.title = settings.text("title.text")
        self.kind = settings.text("type")
        self.categories: dict[str, int] = {}
        self.low, self.high, self.first, self.last = 0.0, 1.0, 0.0, 1.0

    def learn(self, values: list[Value]) -> None:
        """Read the values of a trace: they set the type of the axis, unless its settings give one, and the order of its categories.

        Raises
        ------
        ValueError
            If the type is not `linear`, `category` or `date`.
        """
        known = [value for value in values if value is not None]
        if not self.kind:
            texts = [value for value in known if isinstance(value, str)]
            days = all(re.match(r"\d{4}-\d\d-\d\d(?![^T ])", text) for text in texts)
            read = "date" if days else "category"
            self.kind = read if texts else "linear"
        if self.kind not in ("linear", "category", "date"):
            raise ValueError(f"an axis has the type {self.kind}, which is not supported")
        for value in known if self.kind == "category" else ():
            self.categories.setdefault(str(value), len(self.categories))

    def value(self, raw: Value) -> float | None:
        """Return a value as a number: a category's index, or a date's days since 1970; None for a missing value."""
        if raw is None:
            return None
        if self.kind == "category" and str(raw) in self.categories:
            return float(self.categories[str(raw)])
        if self.kind == "date" and isinstance(raw, str):
            return pd.Timestamp(raw).timestamp() / _SECONDS
        return number if isfinite(number := float(raw)) else None

    def span(self, values: list[float], *, from_zero: bool) -> None:
        """Set the range of the axis: the range in its settings, if given; else all its categories, or the range of `values`.

        `values` are the positions that the traces need on this axis. If `from_zero`, their range is extended to 0.
        """
        given = self.settings.values("range")
        if given and None not in given:
            self.low, self.high = (self.value(end) or 0.0 for end in given)
        elif self.kind == "category":
            self.low, self.high = -0.5, max(len(self.categories), 1) - 0.5
        else:
            low, high = min(values, default=0.0), max(values, default=1.0)
            if from_zero or self.settings.text("rangemode") == "tozero":
                low, high = min(low, 0.0), max(high, 0.0)
            room = ((high - low) * 0.05 or 0.5) if self.kind == "linear" else 0.0
            self.low, self.high = low - (room if low else 0), high + (room if high else 0)
        if self.settings.text("autorange") == "reversed":
            self.low, self.high = self.high, self.low

    def at(self, raw: Value) -> float:
        """Return the pixel at which a value is drawn; a missing value raises a ValueError."""
        value = self.value(raw)
        if value is None:
            raise ValueError("a point has no value on an axis: leave out rows with a missing value")
        return self.first + (value - self.low) / ((self.high - self.low) or 1.0) * (self.last - self.first)

    def ticks(self) -> list[Tick]:
        """Return the position and label of each tick in the range of the axis; empty if the axis is not visible."""
        low, high = sorted((self.low, self.high))
        slack, named = (high - low) * 1e-6, self.settings.get("showticklabels") is not False
        ticks = self._ticks(low, high) if self.visible else []
        return [(at, words if named else "") for at, words in ticks if low - slack <= at <= high + slack]

    def _ticks(self, low: float, high: float) -> list[Tick]:
        if places := self.settings.values("tickvals"):
            words = self.settings.values("ticktext") or places
            values = map(self.value, places)
            return [(value, str(word)) for value, word in zip(values, words, strict=False) if value is not None]
        if self.kind == "category":
            return [(float(place), word) for word, place in self.categories.items()]
        most = int(max(2, min(_TICKS, self.settings.number("nticks", _TICKS))))
        return self._days(low, high, most) if self.kind == "date" else self._round_numbers(low, high, most)

    def _round_numbers(self, low: float, high: float, most: int) -> list[Tick]:
        """Return ticks at 1, 2, 5, 10, 20, ..."""
        rough = (high - low) / most or 1.0
        power = 10.0 ** floor(log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
        step = max(step, 1.0) if self.settings.text("tickformat") == ",d" else step
        places, suffix = max(0, -floor(log10(step) + 1e-9)), self.settings.text("ticksuffix")
        values = [n * step for n in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
        return [(value, f"{value:,.{places}f}{suffix}") for value in values]

    def _days(self, low: float, high: float, most: int) -> list[Tick]:
        """Return the first days of months at regular distances."""
        ends = (datetime.fromtimestamp(end * _SECONDS, UTC) for end in (low, high))
        first, last = (moment.year * 12 + moment.month - 1 for moment in ends)
        step = next((step for step in _MONTHS if (last - first) / step <= most - 1), _MONTHS[-1])
        starts = (datetime(n // 12, n % 12 + 1, 1, tzinfo=UTC) for n in range(first, last + 1) if n % step == 0)
        style = self.settings.text("tickformat", "%b<br>%Y")
        return [(start.timestamp() / _SECONDS, start.strftime(style)) for start in starts]


_NOT_DRAWN: Final = (
    "stackgroup", "groupnorm", "histnorm", "histfunc", "barnorm", "marker.sizeref", "overlaying", "rangebreaks", "images",
    "coloraxis.colorscale",
)  # fmt: skip
"""Settings of traces, axes and layouts that are not supported."""


def check_drawable(figure: Node) -> None:
    """Raise `NotDrawnError` if a figure has settings with which it would be drawn wrongly."""
    layout, traces = figure.part("layout"), figure.parts("data")
    for trace in traces:
        if (kind := trace.text("type", "scatter")) not in ("bar", "histogram", "scatter", "heatmap"):
            raise NotDrawnError(
                f"the chart is of the type {kind[:40]}, but only bar, histogram, scatter and heatmap can be drawn"
            )
        if kind == "heatmap" and (trace.text("texttemplate") != "%{text}" or layout.get("coloraxis.cmax") != 3.5):
            raise NotDrawnError("the cells of the chart show their values by colour alone, which cannot be drawn")
    for part in (layout, *traces, *map(layout.part, layout.whole)):
        for path in filter(part.get, _NOT_DRAWN):
            raise NotDrawnError(f"the chart has the setting {path}, which cannot be drawn")
    hidden = False in map(layout.get, ("showlegend", "template.layout.showlegend"))
    if not hidden and sum(bool(trace.text("name")) for trace in traces) > 1:
        raise NotDrawnError("the chart has a legend, which cannot be drawn")
