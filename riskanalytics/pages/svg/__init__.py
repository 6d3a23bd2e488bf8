"""Figures as SVG with real text, drawn without a browser, for PDF reports and for notebooks without scripts.

The input is plotly's JSON. The same figure gives the same bytes, labels stay text, and hatches and letters supplement colours.
Supported are the elements of this package's charts: bars, histograms, heatmaps of levels, lines, points and labels with error
bars, straight lines, and notes. A figure with other elements raises an error, and the PDF shows only its table of numbers.
"""

from collections.abc import Mapping
from itertools import cycle
from math import cos, radians, sin
from typing import Final

from .figure import Axis, Node, NotDrawnError, check_drawable
from .marks import INK, SIZE, Points, Sheet, Trace, height, width

__all__ = ["NotDrawnError", "drawn"]

_LOOKS: Final = {
    (False, False, False): ("end", "middle", -7),
    (True, False, False): ("middle", "top", 6),
    (True, True, False): ("middle", "bottom", -5),
    (True, False, True): ("end", "middle", 8),
    (True, True, True): ("start", "middle", -6),
}
"""Anchor, edge and distance of tick labels, by whether their axis is horizontal, above, and its labels rotated."""
_EDGE: Final = 8.0
_WIDE: Final = 640.0


def drawn(figure: Mapping[str, object], *, alone: bool = False) -> tuple[str, float]:
    """Draw a figure in the light colours, 640 pixels wide.

    Parameters
    ----------
    figure : mapping
        `data` and `layout` as in plotly's JSON.
    alone : bool
        Whether to add the figure's title and a background; if False, the SVG has no title, because the page shows it.

    Returns
    -------
    tuple of str and float
        The SVG, and its height in pixels: at most 860 without the title.

    Raises
    ------
    NotDrawnError
        If the figure contains unsupported elements, or a vertical axis with more than 60 categories.
    """
    try:
        node = Node(figure)
        check_drawable(node)
        return _Drawing(node).svg(alone=alone)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise NotDrawnError(f"the chart could not be laid out ({str(error)[:80]})") from error


class _Drawing:
    """One figure."""

    def __init__(self, figure: Node) -> None:
        self.layout = figure.part("layout")
        self.high = float(min(self.layout.number("height", 420), 860.0))
        self.sheet = Sheet()
        self.axes: dict[str, Axis] = {}
        self.traces = [
            Trace(node, self._axis(node, "x"), self._axis(node, "y"), INK[shade], self.sheet)
            for node, shade in zip(figure.parts("data"), cycle(("accent", "second", "muted")), strict=False)
        ]
        self.notes = self.layout.parts("annotations")

    def svg(self, *, alone: bool) -> tuple[str, float]:
        """Return the SVG and its height."""
        self._learn()
        self._set_out()
        for axis in self.axes.values():
            if axis.visible:
                self._draw_axis(axis)
        below: dict[tuple[Axis, Axis], list[Points]] = {}
        for trace in self.traces:
            below[trace.axes] = trace.draw(below.get(trace.axes, []))
        for shape in self.layout.parts("shapes"):
            if (kind := shape.text("type")) != "line":
                raise NotDrawnError(
                    f"the chart has a shape of the type {kind[:40]}, but only shapes of the type line can be drawn"
                )
            ends = [(self._place(shape, "x", f"x{end}"), self._place(shape, "y", f"y{end}")) for end in "01"]
            stroke, thick = shape.colour("line.color", INK["muted"]), shape.number("line.width", 1)
            self.sheet.line(ends, stroke, thick, shape.text("line.dash"))
        for note in self.notes:
            self._note(note)
        title = self.layout.text("title.text")
        over = 12 + height(title) if alone else 0.0
        if alone:
            self.sheet.text((_EDGE, 6 - over), title, edge="top", weight=600)
        return self.sheet.written(_WIDE, self.high, over), self.high + over

    def _axis(self, trace: Node, way: str) -> Axis:
        """Return an axis of a trace: `x2` has the settings of `xaxis2`."""
        name = trace.text(f"{way}axis", way)
        return self.axes.setdefault(name, Axis(name, self.layout.part(f"{name[0]}axis{name[1:]}")))

    def _learn(self) -> None:
        """Read the values of all traces: kinds, categories, bars and ranges."""
        for trace in self.traces:
            for axis in trace.axes:
                axis.learn(trace.values(axis))
        for way in "xy" if not self.traces else "":
            self._axis(Node({}), way).learn([])
        rows = max(len(axis.categories) for axis in self.axes.values() if not axis.across)
        if rows > 60:
            raise NotDrawnError(f"the chart has {rows:,} rows, but at most 60 can be drawn")
        bars = [trace for trace in self.traces if trace.is_bar]
        if self.layout.text("barmode", "group") == "group" and len({trace.axes for trace in bars}) < len(bars):
            raise NotDrawnError("the chart has grouped bars, which cannot be drawn")
        tops: dict[tuple[object, ...], float] = {}
        for trace in bars:
            trace.stack(self.layout, tops)
        group = {axis: axis.settings.text("matches", axis.name) for axis in self.axes.values()}
        extents = [extent for trace in self.traces for extent in trace.extents()]
        for axis in self.axes.values():
            values = [value for other, ends in extents if group[other] == group[axis] for value in ends]
            axis.span(values, from_zero=any(trace.bars and trace.ways[1] is axis for trace in bars))

    def _set_out(self) -> None:
        """Assign the pixels of each axis, so that all labels fit."""
        left = right = bottom = _EDGE
        top = 6.0
        for axis in self.axes.values():
            room, beyond = _room(axis)
            room += height(axis.title) + 8 if axis.title else 0
            right = max(right, beyond)
            if not axis.across:
                left = max(left, room)
            elif axis.above:
                top = max(top, room)
            else:
                bottom = max(bottom, room)
        for note in self.notes:
            right = max(right, self.layout.number("margin.r", 12))
            if note.text("yanchor") == "bottom" and note.get("y") == 1:
                top = max(top, note.number("yshift") + height(note.text("text")) + 8)
        self.frame = {"x": (left, _WIDE - right), "y": (self.high - bottom, top)}
        for axis in self.axes.values():
            near, far = self.frame[axis.name[0]]
            low, high = axis.settings.values("domain") or (0, 1)
            axis.first, axis.last = near + (far - near) * low, near + (far - near) * high

    def _draw_axis(self, axis: Axis) -> None:
        """Draw the grid, the tick labels and the title of an axis."""
        other = self.axes[axis.settings.text("anchor", "y" if axis.across else "x")]
        end, middle = other.last if axis.above else other.first, (axis.first + axis.last) / 2
        ruled = axis.settings.get("showgrid") is not False and axis.kind != "category"
        anchor, edge, away = _LOOKS[axis.across, axis.above, bool(axis.turned)]
        for value, word in axis.ticks():
            at = axis.at(value)
            *ends, place = [(at, up) if axis.across else (up, at) for up in (other.first, other.last, end + away)]
            if ruled:
                self.sheet.line(ends, INK["hairline"], 0.8)
            self.sheet.text(place, word, anchor=anchor, edge=edge, turned=-axis.turned)
        if axis.across:
            room, _ = _room(axis)
            place, edge = ((middle, end - room - 4), "bottom") if axis.above else ((middle, end + room + 4), "top")
            self.sheet.text(place, axis.title, INK["muted"], anchor="middle", edge=edge)
        else:
            self.sheet.text((SIZE * 0.4, middle), axis.title, INK["muted"], anchor="middle", edge="top", turned=-90)

    def _place(self, node: Node, way: str, name: str) -> float:
        """Return the pixel of a coordinate of a shape or note, such as `x0` in direction `x`."""
        reference, value = node.text(f"{way}ref", way), node.get(name)
        if reference in self.axes:
            return self.axes[reference].at(value)
        axis = self.axes.get(reference.removesuffix(" domain"))
        first, last = (axis.first, axis.last) if axis else self.frame[way]
        return first + float(value) * (last - first)

    def _note(self, note: Node) -> None:
        """Write a note of the layout, in its box if it has one."""
        x, y = self._place(note, "x", "x"), self._place(note, "y", "y") - note.number("yshift")
        words, edge = note.text("text"), note.text("yanchor")
        ground, outline = note.colour("bgcolor", "none"), note.colour("bordercolor", "none")
        if (ground, outline) != ("none", "none"):
            pad = note.number("borderpad", 1)
            wide, high = max(width(words), SIZE) / 2 + pad, height(words) / 2 + pad
            self.sheet.rect((x - wide, x + wide), (y - high, y + high), ground, outline, 1)
        ink = note.colour("font.color", INK["text"])
        anchor = {"left": "start", "right": "end"}.get(note.text("xanchor"), "middle")
        edge, weight = edge if edge in ("top", "bottom") else "middle", note.get("font.weight")
        self.sheet.text((x, y), words, ink, anchor=anchor, edge=edge, weight=weight)


def _room(axis: Axis) -> tuple[float, float]:
    """Return the space that tick labels need next to their axis and beyond its end."""
    words = [word for _, word in axis.ticks() if word]
    if not words:
        return 0.0, 0.0
    longest, turn = max(map(width, words)), radians(axis.turned)
    if not axis.across:
        return 8 + longest, 0.0
    if turn:
        return 12 + longest * sin(turn), longest * cos(turn)
    return 6 + max(map(height, words)), max(_EDGE, width(words[-1]) / 2)
