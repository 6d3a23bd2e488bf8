"""Axes of a figure: kind, range, places, ticks; what cannot be drawn is refused first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil, floor, isfinite, log10
from typing import Final

from riskanalytics.pages.svg.sheet import Told, Value

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?")
_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120)
_TICKS: Final = 7
_SECONDS: Final = 86_400

Tick = tuple[float, str]
"""Where a tick stands, and its words."""


def round_step(rough: float) -> float:
    """Return the first of 1, 2, 5, 10, 20, ... that is not below a number."""
    power = 10.0 ** floor(log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)


@dataclass(eq=False)
class Axis:
    """One axis; its pixels run from `first` to `last`, its values from `low` to `high`.

    Parameters
    ----------
    name : str
        As traces name it: `x`, `y2`.
    settings : Told
        Of the layout.
    """

    name: str
    settings: Told
    kind: str = ""
    categories: dict[str, int] = field(default_factory=dict)
    low: float = 0.0
    high: float = 1.0
    first: float = 0.0
    last: float = 1.0

    @property
    def across(self) -> bool:
        """Whether it runs from left to right."""
        return self.name[0] == "x"

    @property
    def visible(self) -> bool:
        """Whether it is drawn."""
        return self.settings.get("visible") is not False

    @property
    def above(self) -> bool:
        """Whether its words stand above the marks."""
        return self.settings.text("side") == "top"

    @property
    def turned(self) -> float:
        """Degrees by which the words of its ticks are turned."""
        return abs(self.settings.number("tickangle"))

    @property
    def group(self) -> str:
        """Name of the axis whose range it has; its own where it follows none."""
        return self.settings.text("matches", self.name)

    @property
    def title(self) -> str:
        """What stands beside it."""
        return self.settings.part("title").text("text", self.settings.text("title"))

    def learn(self, values: Iterable[Value]) -> None:
        """Take note of a trace's values: they decide the kind, and the order of categories."""
        known = [value for value in values if value is not None]
        if not self.kind:
            texts = [value for value in known if isinstance(value, str)]
            read = "date" if texts and all(map(_DAY.fullmatch, texts)) else "category"
            asked = self.settings.text("type").replace("-", "")
            self.kind = asked or (read if texts else "linear")
        if self.kind not in ("linear", "category", "date"):
            raise ValueError(f"an axis of the kind {self.kind}")
        if self.kind == "category":
            for value in known:
                self.categories.setdefault(str(value), len(self.categories))

    def value(self, raw: Value) -> float | None:
        """Return where a value stands on the axis, in its own units; a day is its number since 1970 (UTC)."""
        if raw is None:
            return None
        if self.kind == "category" and str(raw) in self.categories:
            return float(self.categories[str(raw)])
        if self.kind == "date" and isinstance(raw, str):
            moment = datetime.fromisoformat(raw)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / _SECONDS
        number = float(raw)
        return number if isfinite(number) else None

    def span(self, values: list[float], *, from_zero: bool) -> None:
        """Set the range: the one that is asked for, else what holds the values."""
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
        """Return the pixel of a value."""
        value = self.value(raw)
        if value is None:
            raise ValueError("a value that is missing has no place")
        return self.first + (value - self.low) / ((self.high - self.low) or 1.0) * (self.last - self.first)

    def ticks(self) -> list[Tick]:
        """Return the ticks in range."""
        low, high = sorted((self.low, self.high))
        slack = (high - low) * 1e-6
        shown = [(value, words) for value, words in self._all_ticks() if low - slack <= value <= high + slack]
        return [(value, "") for value, _ in shown] if self.settings.get("showticklabels") is False else shown

    def _all_ticks(self) -> list[Tick]:
        if not self.visible:
            return []
        if places := self.settings.values("tickvals"):
            words = self.settings.values("ticktext") or places
            values = [self.value(place) for place in places]
            return [(value, str(word)) for value, word in zip(values, words, strict=False) if value is not None]
        if self.kind == "category":
            return [(float(place), word) for word, place in self.categories.items()]
        return self._days() if self.kind == "date" else self._round_numbers()

    def _most_ticks(self) -> int:
        return max(2, min(_TICKS, int(self.settings.number("nticks") or _TICKS)))

    def _round_numbers(self) -> list[Tick]:
        low, high = sorted((self.low, self.high))
        style, suffix = self.settings.text("tickformat"), self.settings.text("ticksuffix")
        step = round_step((high - low) / self._most_ticks() or 1.0)
        step = max(step, 1.0) if style == ",d" else step
        places = max(0, -floor(log10(step) + 1e-9))
        values = [n * step for n in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
        if style.endswith("%"):
            return [(value, f"{100 * value:.{max(0, places - 2)}f}%") for value in values]
        return [(value, f"{value:,.{places}f}{suffix}") for value in values]

    def _days(self) -> list[Tick]:
        low, high = (datetime.fromtimestamp(end * _SECONDS, UTC) for end in sorted((self.low, self.high)))
        style = self.settings.text("tickformat", "%b<br>%Y")
        first, last = (moment.year * 12 + moment.month - 1 for moment in (low, high))
        step = next((step for step in _MONTHS if (last - first) / step <= self._most_ticks() - 1), _MONTHS[-1])
        starts = (datetime(n // 12, n % 12 + 1, 1, tzinfo=UTC) for n in range(first, last + 1) if n % step == 0)
        return [(start.timestamp() / _SECONDS, start.strftime(style)) for start in starts]


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
