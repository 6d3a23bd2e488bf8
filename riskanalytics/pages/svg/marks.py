"""Draw the elements of a figure as SVG: labels with estimated width, hatches, lines, points, cells, bars and histograms."""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape, unescape
from math import floor
from typing import Any, Final

from riskanalytics.theme import LEVEL_CODES, LEVEL_COLOURS, LEVEL_TEXT, PAGE

from .figure import Axis, Node, Value

INK: Final = PAGE["light"]
"""Colours of words, lines and backgrounds on paper."""
SIZE: Final = 12.0
LINE: Final = 1.2
_SMALL: Final = 11.0
_DASHES: Final = {"dot": "1.5 2.5", "dash": "6 4"}
_BREAK: Final = re.compile(r"<br ?/?>", re.IGNORECASE)
_EMS: Final = dict.fromkeys("iIjltf.,;:'|!()[] ", 0.33) | dict.fromkeys("mwMW@%—…", 0.9)
_OFFSETS: Final = {"": (0.0, "middle"), "middle center": (0.0, "middle"), "middle right": (6.0, "start")}
"""plotly's position of the words of a point -> pixels to the right of the point, and anchor."""
_SHAPES: Final = {"square": ((-1, -1), (1, -1), (1, 1), (-1, 1)), "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0))}
_FILLS, _TEXTS = LEVEL_COLOURS["light"], LEVEL_TEXT["light"]
_FRONT: Final = {INK["accent"]: INK["background"], **{_FILLS[level]: text for level, text in _TEXTS.items()}}
"""Colour of words on a fill; dark on other fills."""

Point = tuple[float, float]
Points = list[Point]


def number(value: float) -> str:
    """Return a number as text for SVG, with at most two decimals, the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def lines(words: str) -> list[str]:
    """Return the lines of a label (split at `<br>`) as plain text, without tags and with HTML entities resolved."""
    return [_plain(part) for part in _BREAK.split(words)]


def _plain(words: str) -> str:
    tags = r"</?(?:b|i|em|strong|sup|sub|span|a)(?:\s[^<>]*)?>"
    return unescape(re.sub(tags, "", words, flags=re.IGNORECASE)).strip("\n")


def width(words: str, size: float = SIZE) -> float:
    """Return the estimated width of a label in pixels at a font size; the estimate is rather too large than too small."""
    return max(sum(map(_em, line)) for line in lines(words)) * size


def height(words: str) -> float:
    """Return the height of a label in pixels, with all its lines."""
    return SIZE * LINE * len(lines(words))


def _em(letter: str) -> float:
    if letter.isupper():
        return _EMS.get(letter, 0.66)
    return _EMS.get(letter, 0.52 if ord(letter) < 0x250 else 1.0)


class Sheet:
    """An SVG drawing to which elements are added. The same elements always give the same SVG text."""

    def __init__(self) -> None:
        self._marks: list[str] = []
        self._hatches: dict[str, str] = {}

    def mark(self, tag: str, content: str = "", **attributes: str | float | None) -> None:
        """Add an SVG element with its content (SVG, not escaped) and attributes; those with the value None are left out."""
        shown = "".join(
            f' {name.replace("_", "-")}="{escape(value) if isinstance(value, str) else number(value)}"'
            for name, value in attributes.items()
            if value is not None
        )
        self._marks.append(f"<{tag}{shown}>{content}</{tag}>")

    def rect(self, across: Point, up: Point, fill: str, edge: str = "none", thick: float = 0.0) -> None:
        """Draw a rectangle between two horizontal (`across`) and two vertical (`up`) positions.

        `edge` is the colour of its outline, and `thick` the width of the outline.
        """
        (x, right), (y, bottom) = sorted(across), sorted(up)
        self.mark("rect", x=x, y=y, width=right - x, height=bottom - y, fill=fill, stroke=edge, stroke_width=thick)

    def area(self, corners: Points, fill: str) -> None:
        """Fill the polygon that has the given corners."""
        self.mark("path", d=f"{_path(corners)}Z", fill=fill)

    def line(self, points: Points, stroke: str, thick: float = 1.0, dash: str = "", shape: str = "") -> None:
        """Draw a line through points: dashed if `dash` is `dot` or `dash`, and in steps if `shape` is `hv`."""
        d, dashes = _path(points, shape), _DASHES.get(dash)
        self.mark("path", d=d, fill="none", stroke=stroke, stroke_width=thick, stroke_dasharray=dashes)

    def text(
        self, at: Point, words: str, fill: str = INK["text"], size: float = SIZE, anchor: str = "start", edge: str = "middle",
        turned: float = 0.0, weight: float | None = None,
    ) -> None:  # fmt: skip
        """Write a label at a point.

        `anchor` (SVG's `text-anchor`) says which end is at the x of the point, and `edge` whether the top, middle or bottom is at
        its y. `turned` is the rotation in degrees, clockwise.
        """
        (x, y), rows = at, _BREAK.split(words)
        above = LINE * (len(rows) - 1)
        first = {"top": 0.8, "middle": 0.34 - above / 2}.get(edge, -0.25 - above)
        turn = f"rotate({number(turned)} {number(x)} {number(y)})" if turned else None
        look: dict[str, Any] = {"fill": fill, "font_size": size, "text_anchor": anchor, "transform": turn}
        for place, row in enumerate(rows):
            parts = list(map(escape, map(_plain, re.split("(?i)<(?:b|strong)>(.*?)</(?:b|strong)>", row))))
            parts[1::2] = [f'<tspan font-weight="600">{part}</tspan>' for part in parts[1::2]]
            if _plain(row).strip():
                self.mark("text", "".join(parts), x=x, y=y + size * (first + LINE * place), **look, font_weight=weight)

    def hatch(self, shape: str, stroke: str) -> str:
        """Return the `fill` attribute of a hatch: slanted lines in the colour `stroke`, crossed for any shape except `/`."""
        ink = INK["muted"] if stroke.startswith("rgba") else stroke
        lines = f'<path d="M3 0V6{"" if shape == "/" else "M0 3H6"}" stroke="{ink}" stroke-width="1.8"/>'
        return f"url(#{self._hatches.setdefault(lines, f'hatch-{len(self._hatches) + 1}')})"

    def written(self, wide: float, high: float, over: float = 0.0) -> str:
        """Return the drawing as the text of an SVG, `wide` pixels wide and `high` pixels high.

        If `over` is not 0, the SVG is higher by `over` pixels at the top (where y is negative), for a title, and gets a
        background. The font is the one embedded in typst; other viewers use their default serif.
        """
        top, width, height = map(number, (-over, wide, high + over))
        whole = f'width="{width}" height="{height}"'
        ground = f'<rect y="{top}" {whole} fill="{INK["background"]}"/>' if over else ""
        form = 'width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"'
        hatches = "".join(f'<pattern id="{name}" {form}>{mark}</pattern>' for mark, name in self._hatches.items())
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {whole} viewBox="0 {top} {width} {height}" font-family="Libertinus Serif">'
        return f"{head}<defs>{hatches}</defs>{ground}{''.join(self._marks)}</svg>"


def _path(points: Points, shape: str = "") -> str:
    form = "H{}V{}" if shape == "hv" else "L{} {}"
    (x, y), *others = [(number(x), number(y)) for x, y in points]
    return f"M{x} {y}" + "".join(form.format(*other) for other in others)


Bar = tuple[tuple[Point, Point], Node]
"""The edges of a bar in units of the position axis, its ends in units of the length axis, and its settings."""


class Trace:
    """One trace of a figure (a series of bars, points or cells) on its axes.

    Parameters
    ----------
    node : Node
        The trace in plotly's JSON.
    x, y : Axis
    shade : str
        Colour of the elements for which the trace sets no colour.
    sheet : Sheet
        The SVG on which the trace is drawn.
    """

    def __init__(self, node: Node, x: Axis, y: Axis, shade: str, sheet: Sheet) -> None:
        self.kind = node.text("type", "scatter")
        self.node = _binned(node) if self.kind == "histogram" else node
        self.axes, self.shade, self.sheet = (x, y), shade, sheet
        self.is_bar = self.kind in ("bar", "histogram")
        self.ways = (y, x) if node.text("orientation") == "h" else (x, y)
        self.bars: list[Bar] = []

    def values(self, axis: Axis) -> list[Value]:
        """Return the values of the trace on an axis."""
        return self.node.values(axis.name[0])

    def extents(self) -> Iterator[tuple[Axis, list[float]]]:
        """Yield each axis with the positions that its range must include: the edges of bars; for other traces, the values."""
        for part, axis in enumerate(self.ways):
            ends = [end for bar, _ in self.bars for end in bar[part]]
            values = [] if self.is_bar else map(axis.value, self.values(axis))
            yield axis, [*ends, *(value for value in values if value is not None)]

    def stack(self, layout: Node, tops: dict[tuple[object, ...], float]) -> None:
        """Set the edges of the trace's bars, in the units of the axes.

        Parameters
        ----------
        layout : Node
            Layout of the figure; its `barmode` says whether bars are stacked.
        tops : dict
            Ends of the bars of earlier traces, on which bars are stacked. This method writes the ends of this trace's bars to it.
        """
        usual = (1 - layout.number("bargap", 0.2)) * self.node.number("spacing", 1)
        stacked = layout.text("barmode") in ("stack", "relative") and self.node.get("base") is None
        positions, lengths = self.ways
        for at, (raw, length) in enumerate(zip(self.values(positions), self.values(lengths), strict=False)):
            place, value, node = positions.value(raw), lengths.value(length), self.node.at(at)
            if place is None or value is None:
                continue
            thick, at_top = node.number("width", usual), (self.axes, place, value < 0)
            near = place + node.number("offset", -thick / 2)
            base = tops.get(at_top, 0.0) if stacked else node.number("base")
            tops[at_top] = base + value
            self.bars.append((((near, near + thick), (base, base + value)), node))

    def draw(self, below: list[Points]) -> list[Points]:
        """Draw the trace.

        Parameters
        ----------
        below : list of list of Point
            What this method returned for the previous trace on the same axes. If the trace fills the area down to that trace
            (plotly's `tonexty`), the area ends at these points.

        Returns
        -------
        list of list of Point
            The points of the line in pixels, a list for each stretch without a missing value; empty if the trace has no line.
        """
        if self.kind == "scatter":
            return self._line(below)
        if self.kind == "heatmap":
            self._heatmap()
        for bar in self.bars:
            self._bar(*bar)
        return []

    def _line(self, below: list[Points]) -> list[Points]:
        """Draw lines, points and words with their intervals."""
        node, (across, up) = self.node, self.axes
        pairs = enumerate(zip(node.values("x"), node.values("y"), strict=False))
        points = {n: (across.at(x), up.at(y)) for n, (x, y) in pairs if x is not None and y is not None}
        runs: list[Points] = []
        for place, point in points.items():
            if place - 1 not in points:
                runs.append([])
            runs[-1].append(point)
        mode, thick = node.text("mode", "lines+markers"), node.number("line.width", 2)
        own = node.colour("line.color", node.colour("marker.color", self.shade))
        if (fill := node.text("fill", "none")) not in ("none", "tonexty"):
            raise ValueError(f"a shape is filled {fill}, which is not supported")
        for run, under in zip(runs, below, strict=True) if fill == "tonexty" else ():
            self.sheet.area([*run, *reversed(under)], node.colour("fillcolor", self.shade))
        for run in runs if "lines" in mode and thick else ():
            self.sheet.line(run, own, thick, node.text("line.dash"), node.text("line.shape"))
        for axis in self.axes:
            self._intervals(axis, points, own)
        for place, point in points.items():
            self._point(point, node.at(place), mode)
        return runs

    def _intervals(self, axis: Axis, points: dict[int, Point], stroke: str) -> None:
        """Draw the intervals of points along an axis."""
        node, values = self.node.part(f"error_{axis.name[0]}"), self.values(axis)
        above = node.values("array")
        under = node.values("arrayminus") or above
        thick, cap = node.number("thickness", 1.2), node.number("width", 3)
        for place, (x, y) in points.items() if above else ():
            middle = axis.value(values[place]) or 0.0
            ends = [axis.at(middle - (under[place] or 0)), axis.at(middle + (above[place] or 0))]
            row = y if axis.across else x
            for line in ([(end, row) for end in ends], *([(end, row - cap), (end, row + cap)] for end in ends)):
                self.sheet.line(line if axis.across else [point[::-1] for point in line], stroke, thick)

    def _point(self, point: Point, node: Node, mode: str) -> None:
        """Draw the mark of a point, and its words."""
        x, y = point
        if "markers" in mode and node.number("marker.opacity", 1):
            r, fill = node.number("marker.size", 6) / 2, node.colour("marker.color", self.shade)
            if (symbol := node.text("marker.symbol", "circle")) == "circle":
                self.sheet.mark("circle", cx=x, cy=y, r=r, fill=fill)
            else:
                self.sheet.area([(x + right * r, y + down * r) for right, down in _SHAPES[symbol]], fill)
        if "text" in mode:
            right, anchor = _OFFSETS[node.text("textposition")]
            ink, size = node.colour("textfont.color", INK["text"]), node.number("textfont.size", _SMALL)
            words, weight = node.text("text").strip(), node.get("textfont.weight")
            self.sheet.text((x + right, y), words, ink, size, anchor, weight=weight)

    def _heatmap(self) -> None:
        """Draw cells of levels, each with its colour and letter."""
        node, (across, up) = self.node, self.axes
        wide, high = (
            abs(axis.last - axis.first) / max(abs(axis.high - axis.low), 1e-9) / 2 - node.number(gap) / 2
            for axis, gap in ((across, "xgap"), (up, "ygap"))
        )
        size = min(node.number("textfont.size", _SMALL), 1.5 * high)
        levels = {code: _FILLS[level] for level, code in LEVEL_CODES.items()}
        for row, codes, letters in zip(*map(node.values, ("y", "z", "text")), strict=True):
            for column, code, letter in zip(node.values("x"), codes, letters, strict=True):
                x, y, fill = across.at(column), up.at(row), levels.get(code, "none")
                if code is not None:
                    self.sheet.rect((x - wide, x + wide), (y - high, y + high), fill)
                self.sheet.text((x, y), str(letter or ""), _FRONT.get(fill, INK["text"]), size, "middle")

    def _bar(self, ends: tuple[Point, Point], node: Node) -> None:
        """Draw one bar with its words, unless they do not fit into it."""
        places = [[axis.at(end) for end in pair] for axis, pair in zip(self.ways, ends, strict=True)]
        (left, right), (top, bottom) = map(sorted, places if self.ways[0].across else reversed(places))
        fill, hatched = node.colour("marker.color", self.shade), node.text("marker.pattern.shape")
        wide, high = right - left, bottom - top
        edge = "none" if min(wide, high) < 5 else INK["muted"]  # it would hide a narrow bar
        for ground in ("#ffffff", self.sheet.hatch(hatched, fill)) if hatched else (fill,):
            self.sheet.rect((left, right), (top, bottom), ground, edge, 0.4)
        words, middle, level = node.text("text"), (left + right) / 2, (top + bottom) / 2
        if node.text("textposition") == "outside":
            above, beside = ((middle, top - 3), "middle", "bottom"), ((right + 5, level), "start", "middle")
            at, anchor, edge = above if self.ways[0].across else beside
            self.sheet.text(at, words, size=_SMALL, anchor=anchor, edge=edge)
        elif words.strip() and (long := width(words, _SMALL)) <= wide - 2 and high >= _SMALL:
            if hatched:
                self.sheet.rect((middle - long / 2, middle + long / 2), (level - 7, level + 7), "#ffffff")
            ink = INK["text"] if hatched else _FRONT.get(fill, INK["text"])
            self.sheet.text((middle, level), words, ink, _SMALL, "middle")


def _binned(node: Node) -> Node:
    """Return a histogram as bars: the count of each bin, from edge to edge."""
    size, start = node.number("xbins.size"), node.number("xbins.start")
    counts = Counter(floor((value - start) / size) for value in node.values("x") if value is not None)
    bins = range(min(counts), max(counts) + 1)
    bars = {"x": [start + (place + 0.5) * size for place in bins], "y": [counts[place] for place in bins]}
    return Node({**node.whole, **bars, "spacing": size})
