"""Bars and histograms of a figure: where each stands, how it is filled, what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Final

from riskanalytics.svg.axes import Axis, round_step
from riskanalytics.svg.sheet import INK, Sheet, is_dark, width
from riskanalytics.svg.told import Told

_SIZE: Final = 11.0
_NARROW: Final = 5.0


@dataclass(frozen=True)
class Bar:
    """One bar, in the units of its axes.

    Parameters
    ----------
    near, far : float
        Its edges on the axis of positions.
    base, top : float
        From where to where it reaches on the other axis.
    marker : Told
        Colour, hatch and edge of this bar.
    words : str
        What it says.
    inside : bool
        Whether the words stand in it.
    """

    near: float
    far: float
    base: float
    top: float
    marker: Told
    words: str
    inside: bool


def binned(trace: Mapping[str, object]) -> dict[str, object]:
    """Return a histogram as bars: the count of each bin, from edge to edge."""
    told = Told(trace)
    values = [float(value) for value in told.values("x") if value is not None]
    if not values:
        return {**trace, "type": "bar", "x": [], "y": []}
    bins = told.part("xbins")
    size, origin = bins.number("size"), bins.number("start")
    size = size or round_step((max(values) - min(values)) / 12 or 1.0)
    start = floor((min(values) - origin) / size) * size + origin
    counts = [0] * (floor((max(values) - start) / size) + 1)
    for value in values:
        counts[floor((value - start) / size)] += 1
    middles = [start + (place + 0.5) * size for place in range(len(counts))]
    return {**trace, "type": "bar", "x": middles, "y": counts, "spacing": size}


class Bars:
    """All bars that share two axes, stacked or beside each other as the layout asks."""

    def __init__(self, layout: Told, traces: int) -> None:
        self._mode, self._gap = layout.text("barmode", "group"), layout.number("bargap", 0.2)
        self._traces, self._seen = traces, 0
        self._tops: dict[tuple[float, bool], float] = {}

    def of(self, trace: Told, positions: Axis, lengths: Axis) -> list[Bar]:
        """Return the bars of the next trace, over those before it."""
        usual = (1 - self._gap) * trace.number("spacing", 1)
        bars = []
        pairs = zip(trace.values(positions.name[0]), trace.values(lengths.name[0]), strict=False)
        for number, (raw, length) in enumerate(pairs):
            place, value = positions.value(raw), lengths.value(length)
            if place is None or value is None:
                continue
            told = trace.at(number)
            near, far = self._beside(place, told.number("width", usual), told)
            base = self._base(told, place, value)
            inside = told.text("textposition") != "outside"
            bars.append(Bar(near, far, base, base + value, told.part("marker"), told.text("text"), inside))
        self._seen += 1
        return bars

    def _beside(self, place: float, thick: float, told: Told) -> tuple[float, float]:
        """Return the edges of a bar beside those of other traces."""
        if told.get("offset") is not None:
            near = place + told.number("offset")
        elif self._mode != "group" or self._traces < 2:
            near = place - thick / 2
        else:
            thick, whole = thick / self._traces, thick
            near = place - whole / 2 + self._seen * thick
        return near, near + thick

    def _base(self, told: Told, place: float, value: float) -> float:
        """Return where a bar begins."""
        if told.get("base") is not None or self._mode not in ("stack", "relative"):
            return told.number("base")
        key = (place, value < 0)
        base = self._tops.get(key, 0.0)
        self._tops[key] = base + value
        return base


def draw_bar(sheet: Sheet, bar: Bar, positions: Axis, lengths: Axis, shade: str) -> None:
    """Draw one bar with its words; words that do not fit into it are left to the table."""
    ends = [positions.at(bar.near), positions.at(bar.far)]
    reach = [lengths.at(bar.base), lengths.at(bar.top)]
    (x0, x1), (y0, y1) = (ends, reach) if positions.across else (reach, ends)
    long, high = abs(x1 - x0), abs(y1 - y0)
    fill = bar.marker.colour("color", shade)
    pattern = bar.marker.part("pattern")
    hatched = pattern.text("shape")
    # an edge would hide a narrow bar
    edge = "none" if min(long, high) < _NARROW else INK["muted"]
    sheet.rect(x0, y0, x1, y1, fill="#ffffff" if hatched else fill, edge=edge, thick=0.4)
    if hatched:
        lines = INK["muted"] if fill.startswith("rgba") else fill
        hatch = sheet.hatch(hatched, lines, min(pattern.number("solidity", 0.3), 0.35))
        sheet.rect(x0, y0, x1, y1, fill=hatch, edge=edge, thick=0.4)
    if not bar.words.strip():
        return
    middle, level = (x0 + x1) / 2, (y0 + y1) / 2
    if not bar.inside and positions.across:
        sheet.text(middle, min(y0, y1) - 3, bar.words, size=_SIZE, anchor="middle", stands="bottom")
    elif not bar.inside:
        sheet.text(max(x0, x1) + 5, level, bar.words, size=_SIZE)
    elif (wide := width(bar.words, _SIZE)) <= long - 2 and high >= _SIZE:
        if hatched:
            sheet.rect(middle - wide / 2, level - 7, middle + wide / 2, level + 7, fill="#ffffff")
        front = "#ffffff" if is_dark(fill) and not hatched else INK["text"]
        sheet.text(middle, level, bar.words, fill=front, size=_SIZE, anchor="middle")
