"""Marks of a figure: lines, points, cells, bars and histograms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Final

from riskanalytics.pages.svg.axes import Axis, round_step
from riskanalytics.pages.svg.sheet import INK, Sheet, Told, Value, is_dark, number, weighted, width

_SIZE: Final = 11.0
_ANCHORS: Final = {"left": "end", "right": "start"}
_STANDS: Final = {"top": "bottom", "bottom": "top"}
_BESIDE: Final = {"left": -6.0, "right": 6.0, "top": -6.0, "bottom": 6.0}

Point = tuple[float, float]


class Line:
    """A trace of lines, points and words, with its intervals and what it fills.

    Parameters
    ----------
    trace : Told
    across, up : Axis
        On which its `x` and its `y` stand.
    shade : str
        Colour of marks that have none of their own.
    """

    def __init__(self, trace: Told, across: Axis, up: Axis, shade: str) -> None:
        self._trace, self._across, self._up, self._default = trace, across, up, shade
        pairs = enumerate(zip(trace.values("x"), trace.values("y"), strict=False))
        self._points = {n: (across.at(x), up.at(y)) for n, (x, y) in pairs if x is not None and y is not None}
        marker = trace.part("marker")
        self._shade = trace.part("line").colour("color", marker.colour("color", shade))

    def draw(self, sheet: Sheet, below: Line | None) -> None:
        """Draw it; `below` is the line that it fills down to."""
        mode, line = self._trace.text("mode", "lines+markers"), self._trace.part("line")
        thick = line.number("width", 2)
        if self._trace.text("fill") in ("tonexty", "tozeroy"):
            self._fill(sheet, below)
        if "lines" in mode and thick:
            for run in self.runs():
                sheet.path(_path(run, line.text("shape")), stroke=self._shade, thick=thick, dash=line.text("dash"))
        self._intervals(sheet, self._across)
        self._intervals(sheet, self._up)
        for place, point in self._points.items():
            told = self._trace.at(place)
            if "markers" in mode and told.part("marker").number("opacity", 1):
                _symbol(sheet, point, told.part("marker"), self._default)
            if "text" in mode:
                _words(sheet, point, told)

    def runs(self) -> list[list[Point]]:
        """Return the points in runs without a gap."""
        runs: list[list[Point]] = []
        for place, point in self._points.items():
            if place - 1 not in self._points:
                runs.append([])
            runs[-1].append(point)
        return runs

    def _fill(self, sheet: Sheet, below: Line | None) -> None:
        """Fill the room between the line and the one before it, or zero."""
        to_line = self._trace.text("fill") == "tonexty"
        zero = 0.0 if to_line else self._up.at(0.0)
        under = below.runs() if below and to_line else []
        for place, run in enumerate(self.runs()):
            floor = under[place] if place < len(under) else [(run[0][0], zero), (run[-1][0], zero)]
            sheet.path(f"{_path([*run, *reversed(floor)], '')}Z", fill=self._trace.colour("fillcolor", self._default))

    def _intervals(self, sheet: Sheet, axis: Axis) -> None:
        """Draw the intervals of points along an axis."""
        told = self._trace.part(f"error_{axis.name[0]}")
        above = told.values("array")
        under = told.values("arrayminus") or above
        thick, cap = told.number("thickness", 1.2), told.number("width", 3)
        values = self._trace.values(axis.name[0])
        for place, (x, y) in self._points.items():
            middle = axis.value(values[place])
            if middle is None or place >= len(above) or told.get("visible") is False:
                continue
            low, high = axis.at(middle - float(under[place] or 0)), axis.at(middle + float(above[place] or 0))
            ends = [(low, y), (high, y)] if axis.across else [(x, low), (x, high)]
            sheet.line(*ends[0], *ends[1], stroke=self._shade, thick=thick)
            aside, beside = (0.0, cap) if axis.across else (cap, 0.0)
            for left, top in ends:
                sheet.line(left - aside, top - beside, left + aside, top + beside, stroke=self._shade, thick=thick)


def _path(points: Sequence[Point], shape: str) -> str:
    """Return a line through points, in steps where that is asked for."""
    form = "H{}V{}" if shape == "hv" else "L{} {}"
    (x, y), *others = [(number(x), number(y)) for x, y in points]
    return f"M{x} {y}" + "".join(form.format(*other) for other in others)


def _symbol(sheet: Sheet, point: Point, marker: Told, default: str) -> None:
    """Draw the mark of a point."""
    symbol, edge = marker.text("symbol", "circle"), marker.part("line")
    thick = edge.number("width")
    fill, outline = marker.colour("color", default), edge.colour("color", "none") if thick else "none"
    if symbol.endswith("-open"):
        fill, outline = "#ffffff", fill
    path = _outline(symbol.partition("-")[0], *point, marker.number("size", 6) / 2)
    sheet.path(path, fill=fill, stroke=outline, thick=thick or 1.2)


def _outline(kind: str, x: float, y: float, half: float) -> str:
    """Return the path of a mark; a circle for one that is not known."""
    r, wide, diagonal = number(half), number(2 * half), number(1.3 * half)
    left, top = number(x - half), number(y - half)
    paths = {
        "diamond": f"M{number(x)} {number(y - 1.3 * half)}l{diagonal} {diagonal}l-{diagonal} {diagonal}l-{diagonal} -{diagonal}Z",
        "square": f"M{left} {top}h{wide}v{wide}h-{wide}Z",
        "triangle": f"M{number(x)} {top}l{r} {wide}h-{wide}Z",
    }
    return paths.get(kind, f"M{left} {number(y)}a{r} {r} 0 1 0 {wide} 0a{r} {r} 0 1 0 -{wide} 0Z")


def _words(sheet: Sheet, point: Point, told: Told) -> None:
    """Write the words of a point."""
    font = told.part("textfont")
    words = weighted(told.text("text").strip(), font.number("weight", 400))
    above, _, side = told.text("textposition", "middle center").partition(" ")
    sheet.text(
        point[0] + _BESIDE.get(side, 0.0), point[1] + _BESIDE.get(above, 0.0), words,
        fill=font.colour("color", INK["text"]), size=font.number("size", _SIZE),
        anchor=_ANCHORS.get(side, "middle"), stands=_STANDS.get(above, "middle"),
    )  # fmt: skip


def draw_heatmap(sheet: Sheet, trace: Told, across: Axis, up: Axis, scale: Scale) -> None:
    """Draw the cells of a heatmap, each in its colour and with its letter."""
    letters = trace.rows("text") if "%{text}" in trace.text("texttemplate") else []
    wide, high = (
        abs(axis.last - axis.first) / max(abs(axis.high - axis.low), 1e-9) / 2 - trace.number(gap) / 2
        for axis, gap in ((across, "xgap"), (up, "ygap"))
    )
    size = min(trace.part("textfont").number("size", _SIZE), 1.5 * high)
    columns = trace.values("x")
    for line, (row, values) in enumerate(zip(trace.values("y"), trace.rows("z"), strict=False)):
        y = up.at(row)
        for place, (column, value) in enumerate(zip(columns, values, strict=False)):
            x, fill = across.at(column), "none" if value is None else scale.colour(float(value))
            if value is not None:
                sheet.rect(x - wide, y - high, x + wide, y + high, fill=fill)
            words = str(letters[line][place] or "") if letters else ""
            sheet.text(x, y, words, fill="#ffffff" if is_dark(fill) else INK["text"], size=size, anchor="middle")


class Scale:
    """Colours of values: a colour scale between two ends.

    Parameters
    ----------
    steps : sequence of [float, str]
        Position 0..1 and colour.
    low, high : float
        Values at 0 and at 1.
    """

    def __init__(self, steps: Sequence[Sequence[Value]], low: float, high: float) -> None:
        self._steps = [(float(place or 0), str(shade)) for place, shade in steps]
        self._low, self._high = low, high

    def colour(self, value: float) -> str:
        """Return the colour of a value."""
        part = min(max((value - self._low) / ((self._high - self._low) or 1), 0.0), 1.0)
        before = next((step for step in reversed(self._steps) if step[0] <= part), self._steps[0])
        after = next((step for step in self._steps if step[0] > part), self._steps[-1])
        if before[1] == after[1] or after[0] <= before[0]:
            return before[1]
        share = (part - before[0]) / (after[0] - before[0])
        ends = [[int(shade.removeprefix("#")[n : n + 2], 16) for n in (0, 2, 4)] for shade in (before[1], after[1])]
        return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends, strict=True))


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
        for at, (raw, length) in enumerate(pairs):
            place, value = positions.value(raw), lengths.value(length)
            if place is None or value is None:
                continue
            told = trace.at(at)
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
