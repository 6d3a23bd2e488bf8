"""A figure's JSON drawn: axes fitted to words and marks, then grid, marks, shapes and notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import cycle
from math import cos, radians, sin
from typing import Final

from riskanalytics.pages.svg.axes import Axis, NotDrawnError, Tick, check_drawable
from riskanalytics.pages.svg.marks import Bar, Bars, Line, Scale, binned, draw_bar, draw_heatmap
from riskanalytics.pages.svg.sheet import INK, LINE, SIZE, Sheet, Told, colour, lines, merged, unpacked, weighted, width
from riskanalytics.theme import level_scale

_ANCHORS: Final = {"left": "start", "right": "end"}
_EDGE: Final = 8.0
_MOST_ROWS: Final = 60


def drawn(
    figure: Mapping[str, object], *, wide: float = 640, most_high: float = 860, alone: bool = False
) -> tuple[str, float]:
    """Draw a figure in the light colours.

    Parameters
    ----------
    figure : mapping
        `data` and `layout` as plotly's JSON holds them, numpy arrays packed or not.
    wide : float
        Pixels.
    most_high : float
        Pixels; a higher figure is drawn lower. One of more than 60 rows would not be read then, and is not drawn.
    alone : bool
        With its title over it and a ground under it, higher by that; else a page shows the title.

    Returns
    -------
    tuple of str and float
        The SVG, and its height in pixels.

    Raises
    ------
    NotDrawnError
        If it holds what is not drawn here.
    """
    try:
        figure = unpacked(figure)
        check_drawable(figure)
        return _Drawing(figure, wide, most_high).svg(alone=alone)
    except NotDrawnError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise NotDrawnError(f"a chart that could not be laid out: {str(error)[:80]}") from error


@dataclass
class _Trace:
    """One trace, on its axes and in its colour."""

    told: Told
    x: Axis
    y: Axis
    shade: str
    bars: list[Bar] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """`bar`, `scatter` or `heatmap`."""
        return self.told.text("type")

    @property
    def ways(self) -> tuple[Axis, Axis]:
        """The axis of positions, and that of lengths."""
        return (self.y, self.x) if self.told.text("orientation") == "h" else (self.x, self.y)

    def extents(self) -> Iterator[tuple[Axis, list[float]]]:
        """Give what it takes of each axis."""
        if self.kind == "bar":
            positions, lengths = self.ways
            yield positions, [end for bar in self.bars for end in (bar.near, bar.far)]
            yield lengths, [end for bar in self.bars for end in (bar.base, bar.top)]
            return
        for axis in (self.x, self.y):
            values = map(axis.value, self.told.values(axis.name[0]))
            yield axis, [value for value in values if value is not None]


class _Drawing:
    """One figure."""

    def __init__(self, figure: Mapping[str, object], wide: float, most_high: float) -> None:
        layout = Told(figure).part("layout")
        template = layout.part("template")
        below = {key: part for key, part in template.part("layout").whole.items() if key != "title"}
        self.layout = Told(merged(below, layout.whole))
        self.wide, self.high = wide, float(min(self.layout.number("height", 420), most_high))
        self.sheet = Sheet()
        self.axes: dict[str, Axis] = {}
        shades = [colour(shade, INK["accent"]) for shade in self.layout.values("colorway")] or [INK["accent"]]
        told = [_with_defaults(trace, template.part("data")) for trace in Told(figure).parts("data")]
        self.traces = [
            _Trace(trace, self._axis(trace.text("xaxis", "x")), self._axis(trace.text("yaxis", "y")), shade)
            for trace, shade in zip(told, cycle(shades), strict=False)
        ]

    def svg(self, *, alone: bool) -> tuple[str, float]:
        """Return the SVG and its height."""
        self._learn()
        self._set_out()
        for axis in self.axes.values():
            self._draw_axis(axis)
        self._draw_traces()
        for shape in self.layout.parts("shapes"):
            self._shape(shape)
        for note in self.layout.parts("annotations"):
            self._note(note)
        self._legend()
        over = self._title() if alone else 0.0
        return self.sheet.written(self.wide, self.high, over), self.high + over

    def _title(self) -> float:
        """Write the title over the drawing; return the pixels that it takes there."""
        rows = lines(self.layout.part("title").text("text"))
        over = 12 + SIZE * LINE * len(rows)
        for place, row in enumerate(rows):
            self.sheet.text(_EDGE, 6 - over + SIZE * LINE * place, weighted(escape(row), 600), stands="top")
        return over

    def _axis(self, name: str) -> Axis:
        """Return an axis: `x2` has the settings of `xaxis2`."""
        return self.axes.setdefault(name, Axis(name, self.layout.part(f"{name[0]}axis{name[1:]}")))

    def _learn(self) -> None:
        """Read the values of all traces: kinds, categories, bars and ranges."""
        for trace in self.traces:
            for axis in (trace.x, trace.y):
                axis.learn(trace.told.values(axis.name[0]))
        for letter in "xy":
            if not any(name[0] == letter for name in self.axes):
                self._axis(letter).learn([])
        rows = max(len(axis.categories) for axis in self.axes.values() if not axis.across)
        if rows > _MOST_ROWS:
            raise NotDrawnError(f"a chart of {rows:,} rows")
        bars = [trace for trace in self.traces if trace.kind == "bar"]
        pairs = Counter((trace.x, trace.y) for trace in bars)
        groups = {pair: Bars(self.layout, count) for pair, count in pairs.items()}
        for trace in bars:
            trace.bars = groups[trace.x, trace.y].of(trace.told, *trace.ways)
        extents = [extent for trace in self.traces for extent in trace.extents()]
        for axis in self.axes.values():
            values = [value for other, ends in extents if other.group == axis.group for value in ends]
            axis.span(values, from_zero=any(trace.bars and trace.ways[1] is axis for trace in bars))

    def _set_out(self) -> None:
        """Give each axis its pixels, so that all words have room."""
        left = right = bottom = _EDGE
        top = 6.0
        for axis in self.axes.values():
            words = [word for _, word in axis.ticks()]
            title = SIZE * LINE * len(lines(axis.title)) + 8 if axis.title else 0
            if not axis.across:
                left = max(left, max(map(width, words), default=0.0) + (8 if words else 0) + title)
                continue
            room, beyond = _room(axis, words)
            right = max(right, beyond)
            if axis.above:
                top = max(top, room + title)
            else:
                bottom = max(bottom, room + title)
        notes = self.layout.parts("annotations")
        for note in notes:
            if note.text("yanchor") == "bottom" and note.get("y") == 1:
                top = max(top, note.number("yshift") + SIZE * LINE * len(lines(note.text("text"))) + 8)
        if notes:
            right = max(right, self.layout.part("margin").number("r"))
        if self._named():
            top = max(top, 26.0)
        frame = {"x": (left, self.wide - right), "y": (self.high - bottom, top)}
        for axis in self.axes.values():
            near, far = frame[axis.name[0]]
            low, high = (float(end or 0) for end in axis.settings.values("domain") or (0, 1))
            axis.first, axis.last = near + (far - near) * low, near + (far - near) * high

    def _along(self, axis: Axis) -> list[Axis]:
        """Return the axes that an axis is drawn along."""
        partners = [trace.y if axis is trace.x else trace.x for trace in self.traces if axis in (trace.x, trace.y)]
        return list(dict.fromkeys(partners)) or [
            next(other for other in self.axes.values() if other.across != axis.across)
        ]

    def _draw_axis(self, axis: Axis) -> None:
        """Draw the grid, the ticks' words and the title of an axis."""
        if not axis.visible:
            return
        others, ticks, middle = self._along(axis), axis.ticks(), (axis.first + axis.last) / 2
        for value, _ in ticks if axis.settings.get("showgrid") is not False and axis.kind != "category" else ():
            at = axis.at(value)
            for other in others:
                ends = (at, other.first, at, other.last) if axis.across else (other.first, at, other.last, at)
                self.sheet.line(*ends, stroke=INK["hairline"], thick=0.8)
        if axis.across:
            edge = min(other.last for other in others) if axis.above else max(other.first for other in others)
            room, _ = _room(axis, [word for _, word in ticks])
            y, stands = (edge - room - 4, "bottom") if axis.above else (edge + room + 4, "top")
            self._ticks_across(axis, ticks, edge)
            self.sheet.text(middle, y, axis.title, fill=INK["muted"], anchor="middle", stands=stands)
        else:
            edge = min(other.first for other in others)
            for value, word in ticks:
                self.sheet.text(edge - 7, axis.at(value), word, anchor="end")
            self.sheet.text(
                SIZE * 0.4, middle, axis.title, fill=INK["muted"], anchor="middle", stands="top", turned=-90
            )

    def _ticks_across(self, axis: Axis, ticks: list[Tick], edge: float) -> None:
        """Write the words of ticks below the marks, or above them where the axis is at the top."""
        for value, word in ticks:
            at = axis.at(value)
            if axis.turned:
                anchor, away = ("start", -6) if axis.above else ("end", 8)
                self.sheet.text(at, edge + away, word, anchor=anchor, turned=-axis.turned)
            else:
                stands, away = ("bottom", -5) if axis.above else ("top", 6)
                self.sheet.text(at, edge + away, word, anchor="middle", stands=stands)

    def _draw_traces(self) -> None:
        """Draw the marks, in the order in which they are told."""
        below: dict[tuple[Axis, Axis], Line] = {}
        for trace in self.traces:
            axes = (trace.x, trace.y)
            if trace.kind == "bar":
                for bar in trace.bars:
                    draw_bar(self.sheet, bar, *trace.ways, trace.shade)
            elif trace.kind == "heatmap":
                draw_heatmap(self.sheet, trace.told, *axes, self._scale(trace.told))
            else:
                line = Line(trace.told, *axes, trace.shade)
                line.draw(self.sheet, below.get(axes))
                below[axes] = line

    def _scale(self, trace: Told) -> Scale:
        """Return the colours of a heatmap."""
        shared = trace.text("coloraxis")
        told, ends = (self.layout.part(shared), "c") if shared else (trace, "z")
        values = [float(value) for row in trace.rows("z") for value in row if value is not None]
        low, high = min(values, default=0.0), max(values, default=1.0)
        return Scale(
            told.rows("colorscale") or level_scale(), told.number(f"{ends}min", low), told.number(f"{ends}max", high)
        )

    def _place(self, told: Told, way: str, name: str) -> float:
        """Return the pixel of a place that a shape or a note names: `x0` is one of its places on the way `x`."""
        reference = told.text(f"{way}ref", way)
        key = reference.removesuffix(" domain")
        if key == reference and key != "paper":
            return self.axes[key].at(told.value(name, 0.5))
        axes = [axis for axis in self.axes.values() if key in (axis.name, "paper") and axis.name[0] == way]
        ends = [end for axis in axes for end in (axis.first, axis.last)]
        first, last = (min(ends), max(ends)) if way == "x" else (max(ends), min(ends))
        return first + told.number(name, 0.5) * (last - first)

    def _shape(self, shape: Told) -> None:
        """Draw a straight line or a rectangle of the layout."""
        x0, y0, x1, y1 = (self._place(shape, way, f"{way}{n}") for n in "01" for way in "xy")
        line = shape.part("line")
        stroke, thick = line.colour("color", INK["muted"]), line.number("width", 1)
        match shape.text("type"):
            case "line":
                self.sheet.line(x0, y0, x1, y1, stroke=stroke, thick=thick, dash=line.text("dash"))
            case "rect":
                fill = shape.colour("fillcolor", "none")
                self.sheet.rect(x0, y0, x1, y1, fill=fill, edge=stroke, thick=thick)
            case other:
                raise NotDrawnError(f"a shape of the kind {other[:40]}")

    def _note(self, note: Told) -> None:
        """Write a note of the layout, in its box where it has one."""
        x = self._place(note, "x", "x") + note.number("xshift")
        y = self._place(note, "y", "y") - note.number("yshift")
        font, words, stands = note.part("font"), note.text("text"), note.text("yanchor")
        size = font.number("size", SIZE)
        ground, edge = note.colour("bgcolor", "none"), note.colour("bordercolor", "none")
        if (ground, edge) != ("none", "none"):
            pad = note.number("borderpad", 1)
            wide = max(width(words, size), size) / 2 + pad
            high = size * LINE * len(lines(words)) / 2 + pad
            self.sheet.rect(x - wide, y - high, x + wide, y + high, fill=ground, edge=edge, thick=1)
        self.sheet.text(
            x, y, weighted(words, font.number("weight", 400)), fill=font.colour("color", INK["text"]), size=size,
            anchor=_ANCHORS.get(note.text("xanchor"), "middle"), stands=stands if stands in ("top", "bottom") else "middle",
        )  # fmt: skip

    def _named(self) -> list[_Trace]:
        """Return the traces that a legend names; none where the layout wants none."""
        named = [trace for trace in self.traces if trace.told.text("name")]
        return named if len(named) > 1 and self.layout.get("showlegend") is not False else []

    def _legend(self) -> None:
        """Name the traces above the marks."""
        x = _EDGE
        for trace in self._named():
            words = trace.told.text("name")
            if x + width(words) + 24 > self.wide:
                break
            shade = trace.told.at(0).part("marker").colour("color", trace.shade)
            self.sheet.rect(x, 4, x + 10, 14, fill=shade, edge=INK["muted"], thick=0.5)
            self.sheet.text(x + 15, 9, words)
            x += width(words) + 34


def _with_defaults(trace: Told, defaults: Told) -> Told:
    """Return a trace over the template's settings for its kind; a histogram as the bars of its bins."""
    kind = trace.text("type", "scatter")
    below = defaults.parts(kind)
    told = {**merged(below[0].whole if below else {}, trace.whole), "type": kind}
    return Told(binned(told) if kind == "histogram" else told)


def _room(axis: Axis, words: list[str]) -> tuple[float, float]:
    """Return how high the words of ticks below or above are, and how far the last ones reach beyond."""
    if not any(words):
        return 0.0, 0.0
    longest = max(map(width, words))
    if not axis.turned:
        return 6 + SIZE * LINE * max(len(lines(word)) for word in words), max(_EDGE, width(words[-1]) / 2)
    return 12 + longest * sin(radians(axis.turned)), longest * cos(radians(axis.turned))
