"""Lines, points and cells of a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from riskanalytics.svg.axes import Axis, plain
from riskanalytics.svg.bars import nth
from riskanalytics.svg.sheet import Sheet, colour, is_dark, number

_SIZE: Final = 11.0
_ANCHORS: Final = {"left": "end", "center": "middle", "right": "start"}
_STANDS: Final = {"top": "bottom", "middle": "middle", "bottom": "top"}

Point = tuple[float, float]


def draw_scatter(
    sheet: Sheet,
    trace: Mapping[str, Any],
    axes: tuple[Axis, Axis],
    below: Mapping[str, Any] | None,
    ink: Mapping[str, str],
    default: str,
) -> None:
    """Draw a trace of lines, points and words; `below` is the trace that it fills down to."""
    mode = str(trace.get("mode") or "lines+markers")
    runs = _runs(trace, axes)
    if trace.get("fill") in ("tonexty", "tozeroy"):
        _fill(sheet, trace, axes, below, default)
    line = trace.get("line") or {}
    thick = 2.0 if line.get("width") is None else float(line["width"])
    marker = trace.get("marker") or {}
    shade = colour(
        line.get("color") or (marker.get("color") if isinstance(marker.get("color"), str) else None), default
    )
    if "lines" in mode and thick:
        for run in runs:
            sheet.path(
                _path(run, str(line.get("shape") or "")), stroke=shade, thick=thick, dash=str(line.get("dash") or "")
            )
    for way in ("x", "y"):
        _errors(sheet, trace, axes, way, shade)
    for place, point in _points(trace, axes):
        if "markers" in mode and marker.get("opacity") != 0:
            _symbol(sheet, point, nth(marker, place), default)
        if "text" in mode:
            _words(sheet, point, trace, place, ink)


def _points(trace: Mapping[str, Any], axes: tuple[Axis, Axis]) -> list[tuple[int, Point]]:
    """Return the points that are there, each with its number."""
    pairs = enumerate(zip(plain(trace.get("x")), plain(trace.get("y")), strict=False))
    return [(place, (axes[0].at(x), axes[1].at(y))) for place, (x, y) in pairs if x is not None and y is not None]


def _runs(trace: Mapping[str, Any], axes: tuple[Axis, Axis]) -> list[list[Point]]:
    """Return the points in runs without a gap."""
    runs: list[list[Point]] = []
    expected = -1
    for place, point in _points(trace, axes):
        if place != expected:
            runs.append([])
        runs[-1].append(point)
        expected = place + 1
    return runs


def _path(points: Sequence[Point], shape: str) -> str:
    """Return a line through points, in steps where it is asked for."""
    steps = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for x, y in points[1:]:
        steps.append(f"H{number(x)}V{number(y)}" if shape == "hv" else f"L{number(x)} {number(y)}")
    return "".join(steps)


def _fill(
    sheet: Sheet, trace: Mapping[str, Any], axes: tuple[Axis, Axis], below: Mapping[str, Any] | None, default: str
) -> None:
    """Fill the room between a line and the one before it, or zero."""
    fill = colour(trace.get("fillcolor"), default)
    zero = axes[1].at(0.0) if trace["fill"] == "tozeroy" else 0.0
    under = _runs(below, axes) if below is not None and trace["fill"] == "tonexty" else []
    for place, run in enumerate(_runs(trace, axes)):
        floor = under[place] if place < len(under) else [(run[0][0], zero), (run[-1][0], zero)]
        ring = [*run, *reversed(floor)]
        sheet.path(f"{_path(ring, '')}Z", fill=fill)


def _errors(sheet: Sheet, trace: Mapping[str, Any], axes: tuple[Axis, Axis], way: str, shade: str) -> None:
    """Draw the intervals of points along an axis."""
    told = trace.get(f"error_{way}") or {}
    above = plain(told.get("array"))
    if not above or told.get("visible") is False:
        return
    under = plain(told.get("arrayminus")) or above
    thick, cap = float(told.get("thickness") or 1.2), float(told.get("width") or 3)
    values, axis = plain(trace.get(way)), axes["xy".index(way)]
    for place, (x, y) in _points(trace, axes):
        middle = axis.value(values[place])
        if middle is None or place >= len(above):
            continue
        ends = [axis.at(middle - float(under[place] or 0)), axis.at(middle + float(above[place] or 0))]
        across = way == "x"
        sheet.line(*((ends[0], y, ends[1], y) if across else (x, ends[0], x, ends[1])), stroke=shade, thick=thick)
        for end in ends:
            sheet.line(
                *((end, y - cap, end, y + cap) if across else (x - cap, end, x + cap, end)), stroke=shade, thick=thick
            )


def _symbol(sheet: Sheet, point: Point, marker: Mapping[str, Any], default: str) -> None:
    """Draw the mark of a point."""
    x, y = point
    half = float(marker.get("size") or 6) / 2
    edge = marker.get("line") or {}
    symbol = str(marker.get("symbol") or "circle")
    fill = colour(marker.get("color"), default)
    outline = colour(edge.get("color"), "none") if edge.get("width") else "none"
    if symbol.endswith("-open"):
        fill, outline = "#ffffff", fill
    sheet.path(_outline(symbol, x, y, half), fill=fill, stroke=outline, thick=float(edge.get("width") or 1.2))


def _outline(symbol: str, x: float, y: float, half: float) -> str:
    """Return the path of a mark; a circle for one that is not known."""
    r, wide, diagonal = number(half), number(2 * half), number(1.3 * half)
    kind = symbol.partition("-")[0]
    if kind == "diamond":
        return f"M{number(x)} {number(y - 1.3 * half)}l{diagonal} {diagonal}l-{diagonal} {diagonal}l-{diagonal} -{diagonal}Z"
    if kind == "square":
        return f"M{number(x - half)} {number(y - half)}h{wide}v{wide}h-{wide}Z"
    if kind == "triangle":
        return f"M{number(x)} {number(y - half)}l{r} {wide}h-{wide}Z"
    return f"M{number(x - half)} {number(y)}a{r} {r} 0 1 0 {wide} 0a{r} {r} 0 1 0 -{wide} 0Z"


def _words(sheet: Sheet, point: Point, trace: Mapping[str, Any], place: int, ink: Mapping[str, str]) -> None:
    """Write the words of a point."""
    font = trace.get("textfont") or {}
    above, _, side = str(nth(trace.get("textposition"), place) or "middle center").partition(" ")
    shift = {"left": -6.0, "right": 6.0}.get(side, 0.0)
    y = point[1] + {"top": -6.0, "bottom": 6.0}.get(above, 0.0)
    words = str(nth(trace.get("text"), place) or "").strip()
    heavy = float(nth(font.get("weight"), place) or 400) >= 600
    sheet.text(
        point[0] + shift, y, f"<b>{words}</b>" if heavy else words,
        fill=colour(nth(font.get("color"), place), ink["text"]), size=float(nth(font.get("size"), place) or _SIZE),
        anchor=_ANCHORS.get(side or "center", "middle"), stands=_STANDS.get(above, "middle"),
    )  # fmt: skip


def draw_heatmap(
    sheet: Sheet, trace: Mapping[str, Any], axes: tuple[Axis, Axis], scale: Scale, ink: Mapping[str, str]
) -> None:
    """Draw the cells of a heatmap, each in its colour and with its letter."""
    columns, rows = plain(trace.get("x")), plain(trace.get("y"))
    letters = [plain(row) for row in plain(trace.get("text"))]
    gaps = [float(trace.get(key) or 0) / 2 for key in ("xgap", "ygap")]
    half = [abs(axis.last - axis.first) / max(abs(axis.high - axis.low), 1e-9) / 2 for axis in axes]
    shows = "%{text}" in str(trace.get("texttemplate") or "")
    for line, (row, values) in enumerate(zip(rows, plain(trace.get("z")), strict=False)):
        y = axes[1].at(row)
        for place, (column, value) in enumerate(zip(columns, plain(values), strict=False)):
            x, (wide, high) = axes[0].at(column), (size - gap for size, gap in zip(half, gaps, strict=True))
            fill = "none" if value is None else scale.colour(float(value))
            if value is not None:
                sheet.rect(x - wide, y - high, x + wide, y + high, fill=fill)
            words = str(letters[line][place] or "") if shows and letters else ""
            front = "#ffffff" if is_dark(fill) else ink["text"]
            size = min(float((trace.get("textfont") or {}).get("size") or _SIZE), 1.5 * high)
            sheet.text(x, y, words, fill=front, size=size, anchor="middle")


class Scale:
    """Colours of values: a colour scale between two ends.

    Parameters
    ----------
    steps : sequence of [float, str]
        Position 0..1 and colour.
    low, high : float
        Values at 0 and at 1.
    """

    def __init__(self, steps: Sequence[Sequence[Any]], low: float, high: float) -> None:
        self._steps = [(float(place), str(shade)) for place, shade in steps]
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
