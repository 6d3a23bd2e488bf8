"""Bars and histograms of a figure: where each stands, how it is filled, what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, Final

from riskanalytics.svg.axes import Axis, plain
from riskanalytics.svg.sheet import Sheet, colour, is_dark, width

_SIZE: Final = 11.0
_NARROW: Final = 5.0


@dataclass(frozen=True)
class Bar:
    """One bar, in the units of its axes.

    Parameters
    ----------
    place : float
        Middle on the axis of positions.
    thick : float
        Width along that axis.
    base, top : float
        From where to where it reaches on the other axis.
    marker : mapping
        Colour, hatch and edge of this bar.
    words : str
        What it says.
    inside : bool
        Whether the words stand in it.
    """

    place: float
    thick: float
    base: float
    top: float
    marker: Mapping[str, Any]
    words: str
    inside: bool


def nth(value: Any, place: int) -> Any:
    """Return a trace's setting for one of its points: the same for all, or one each."""
    if isinstance(value, Mapping) and "bdata" not in value:
        return {key: nth(part, place) for key, part in value.items()}
    listed = plain(value) if isinstance(value, list | Mapping) else None
    if listed is None:
        return value
    return listed[place] if place < len(listed) else None


def binned(trace: Mapping[str, Any]) -> dict[str, Any]:
    """Return a histogram as bars: the count of each bin, from edge to edge."""
    values = [float(value) for value in plain(trace.get("x")) if value is not None]
    if not values:
        return {**trace, "type": "bar", "x": [], "y": []}
    bins = trace.get("xbins") or {}
    size = float(bins.get("size") or _bin_size(values))
    start = floor((min(values) - float(bins.get("start") or 0)) / size) * size + float(bins.get("start") or 0)
    counts = [0] * (floor((max(values) - start) / size) + 1)
    for value in values:
        counts[floor((value - start) / size)] += 1
    return {
        **{key: part for key, part in trace.items() if key != "xbins"},
        "type": "bar",
        "x": [start + (place + 0.5) * size for place in range(len(counts))],
        "y": counts,
        "spacing": size,
    }


def _bin_size(values: list[float]) -> float:
    rough = (max(values) - min(values)) / 12 or 1.0
    power = 10.0 ** floor(log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)


class Bars:
    """All bars that share two axes, stacked or beside each other as the layout asks."""

    def __init__(self, layout: Mapping[str, Any], traces: int) -> None:
        self._mode = str(layout.get("barmode") or "group")
        self._gap = 0.2 if layout.get("bargap") is None else float(layout["bargap"])
        self._traces, self._seen = traces, 0
        self._tops: dict[tuple[float, bool], float] = {}

    def of(self, trace: Mapping[str, Any], positions: Axis, lengths: Axis) -> list[Bar]:
        """Return the bars of the next trace, over those before it."""
        across = trace.get("orientation") == "h"
        places = plain(trace.get("y" if across else "x"))
        values = plain(trace.get("x" if across else "y"))
        thick = trace.get("width") or (1 - self._gap) * float(trace.get("spacing") or 1)
        bars = []
        for number, (raw, length) in enumerate(zip(places, values, strict=False)):
            place, value = positions.value(raw), lengths.value(length)
            if place is None or value is None:
                continue
            middle, breadth = self._beside(place, float(nth(thick, number)), nth(trace.get("offset"), number))
            base = self._base(trace, number, place, value)
            inside = nth(trace.get("textposition"), number) != "outside"
            words = str(nth(trace.get("text"), number) or "")
            bars.append(Bar(middle, breadth, base, base + value, nth(trace.get("marker") or {}, number), words, inside))
        self._seen += 1
        return bars

    def _beside(self, place: float, thick: float, offset: Any) -> tuple[float, float]:
        """Return the middle and the width of a bar beside those of other traces."""
        if offset is not None:
            return place + float(offset) + thick / 2, thick
        if self._mode != "group" or self._traces < 2:
            return place, thick
        part = thick / self._traces
        return place - thick / 2 + (self._seen + 0.5) * part, part

    def _base(self, trace: Mapping[str, Any], number: int, place: float, value: float) -> float:
        """Return where a bar begins."""
        if trace.get("base") is not None:
            return float(nth(trace["base"], number) or 0)
        if self._mode not in ("stack", "relative"):
            return 0.0
        key = (place, value < 0)
        base = self._tops.get(key, 0.0)
        self._tops[key] = base + value
        return base


def draw_bar(sheet: Sheet, bar: Bar, positions: Axis, lengths: Axis, ink: Mapping[str, str], default: str) -> None:
    """Draw one bar with its words; words that do not fit into it are left to the table."""
    ends = [positions.at(bar.place - bar.thick / 2), positions.at(bar.place + bar.thick / 2)]
    reach = [lengths.at(bar.base), lengths.at(bar.top)]
    (x0, x1), (y0, y1) = (ends, reach) if positions.across else (reach, ends)
    fill = colour(bar.marker.get("color"), default)
    pattern = bar.marker.get("pattern") or {}
    narrow = min(abs(x1 - x0), abs(y1 - y0)) < _NARROW  # an edge would hide what it surrounds
    edge = "none" if narrow else ink["muted"]
    if pattern.get("shape"):
        solidity = 0.3 if pattern.get("solidity") is None else float(pattern["solidity"])
        sheet.rect(x0, y0, x1, y1, fill="#ffffff", edge=edge, thick=0.4)
        line = ink["muted"] if fill.startswith("rgba") else fill
        sheet.rect(
            x0, y0, x1, y1, fill=sheet.hatch(str(pattern["shape"]), line, min(solidity, 0.35)), edge=edge, thick=0.4
        )
    else:
        sheet.rect(x0, y0, x1, y1, fill=fill, edge=edge, thick=0.4)
    if not bar.words.strip():
        return
    long, high = abs(x1 - x0), abs(y1 - y0)
    if bar.inside:
        if width(bar.words, _SIZE) <= long - 2 and high >= _SIZE:
            front = "#ffffff" if is_dark(fill) and not pattern.get("shape") else ink["text"]
            if pattern.get("shape"):
                half = width(bar.words, _SIZE) / 2
                middle, level = (x0 + x1) / 2, (y0 + y1) / 2
                sheet.rect(middle - half, level - 7, middle + half, level + 7, fill="#ffffff")
            sheet.text((x0 + x1) / 2, (y0 + y1) / 2, bar.words, fill=front, size=_SIZE, anchor="middle")
    elif positions.across:
        sheet.text(
            (x0 + x1) / 2, min(y0, y1) - 3, bar.words, fill=ink["text"], size=_SIZE, anchor="middle", stands="bottom"
        )
    else:
        sheet.text(max(x0, x1) + 5, (y0 + y1) / 2, bar.words, fill=ink["text"], size=_SIZE)


def outside_room(bar: Bar) -> int:
    """Return how many pixels the words beside a bar take."""
    return 0 if bar.inside else ceil(width(bar.words, _SIZE)) + 8
