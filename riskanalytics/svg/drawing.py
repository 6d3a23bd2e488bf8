"""A figure's JSON drawn: axes fitted to words and marks, then grid, marks, shapes and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import cos, radians, sin
from typing import Any, Final

from riskanalytics.svg.axes import Axis, merged, plain
from riskanalytics.svg.bars import Bar, Bars, binned, draw_bar, nth, outside_room
from riskanalytics.svg.limits import NotDrawnError, check_drawable
from riskanalytics.svg.marks import Scale, draw_heatmap, draw_scatter
from riskanalytics.svg.sheet import LINE, SIZE, Sheet, colour, lines, width
from riskanalytics.theme import PAGE, level_scale

_INK: Final = PAGE["light"]
_ANCHORS: Final = {"left": "start", "center": "middle", "right": "end"}
_EDGE: Final = 8.0
_MOST_ROWS: Final = 60


def drawn(figure: Mapping[str, Any], *, wide: float = 640, most_high: float = 860) -> tuple[str, float]:
    """Draw a figure in the light colours.

    Parameters
    ----------
    figure : mapping
        `data` and `layout` as plotly's JSON holds them, numpy arrays packed or not. Its title is not drawn.
    wide : float
        Pixels.
    most_high : float
        Pixels; a higher figure is drawn lower. One of more than 60 rows would not be read then, and is not drawn.

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
        check_drawable(figure)
        return _Drawing(figure, wide, most_high).svg()
    except NotDrawnError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise NotDrawnError(f"a chart that could not be laid out: {str(error)[:80]}") from error


class _Drawing:
    """One figure."""

    def __init__(self, figure: Mapping[str, Any], wide: float, most_high: float) -> None:
        layout = dict(figure.get("layout") or {})
        below = layout.pop("template", None) or {}
        below_layout = below.get("layout") if isinstance(below, Mapping) else {}
        self.layout = merged({key: part for key, part in (below_layout or {}).items() if key != "title"}, layout)
        defaults = (below.get("data") or {}) if isinstance(below, Mapping) else {}
        self.traces = [_with_defaults(trace, defaults) for trace in figure.get("data") or ()]
        self.traces = [binned(trace) if trace["type"] == "histogram" else trace for trace in self.traces]
        self.wide = wide
        self.high = min(float(self.layout.get("height") or 420), most_high)
        self.shades = [colour(shade, _INK["accent"]) for shade in plain(self.layout.get("colorway"))] or [
            _INK["accent"]
        ]
        self.sheet = Sheet()
        self.axes: dict[str, Axis] = {}
        self.bars: dict[int, list[Bar]] = {}

    def svg(self) -> tuple[str, float]:
        """Return the SVG and its height."""
        self._learn()
        self._set_out()
        for name, axis in self.axes.items():
            self._axis(name, axis)
        below: dict[tuple[str, str], Mapping[str, Any]] = {}
        for place, trace in enumerate(self.traces):
            pair = _pair(trace)
            axes = (self.axes[pair[0]], self.axes[pair[1]])
            shade = self.shades[place % len(self.shades)]
            if trace["type"] == "bar":
                ways = axes if trace.get("orientation") != "h" else axes[::-1]
                for bar in self.bars[place]:
                    draw_bar(self.sheet, bar, *ways, _INK, shade)
            elif trace["type"] == "heatmap":
                draw_heatmap(self.sheet, trace, axes, self._scale(trace), _INK)
            else:
                draw_scatter(self.sheet, trace, axes, below.get(pair), _INK, shade)
                below[pair] = trace
        self._shapes()
        self._notes()
        self._legend()
        return self.sheet.written(self.wide, self.high), self.high

    def _settings(self, name: str) -> Mapping[str, Any]:
        """Return the settings of an axis: `x2` -> `xaxis2`, over the theme's."""
        base = self.layout.get(f"{name[0]}axis") if name in ("x", "y") else {}
        return merged(base, self.layout.get(f"{name[0]}axis{name[1:]}"))

    def _learn(self) -> None:
        """Read the values of all traces: kinds, categories, bars and ranges."""
        for trace in self.traces:
            for name in _pair(trace):
                axis = self.axes.setdefault(name, Axis(self._settings(name), across=name[0] == "x"))
                axis.learn(plain(trace.get(name[0])))
        for letter in "xy":
            if not any(name[0] == letter for name in self.axes):
                self.axes[letter] = Axis(self._settings(letter), across=letter == "x")
                self.axes[letter].learn([])
        rows = max(len(axis.categories) for axis in self.axes.values() if not axis.across)
        if rows > _MOST_ROWS:
            raise NotDrawnError(f"a chart of {rows:,} rows")
        groups: dict[tuple[str, str], Bars] = {}
        for place, trace in enumerate(self.traces):
            if trace["type"] == "bar":
                pair = _pair(trace)
                ways = [self.axes[name] for name in pair]
                alike = sum(_pair(other) == pair and other["type"] == "bar" for other in self.traces)
                group = groups.setdefault(pair, Bars(self.layout, alike))
                self.bars[place] = group.of(trace, *(ways if trace.get("orientation") != "h" else ways[::-1]))
        for name, axis in self.axes.items():
            axis.span(list(self._values(name)), from_zero=any(True for _ in self._reaches(name)))

    def _reaches(self, name: str) -> Iterator[float]:
        """Give the ends of bars along an axis."""
        for place, bars in self.bars.items():
            pair, across = _pair(self.traces[place]), self.traces[place].get("orientation") == "h"
            if pair[0 if across else 1] == name:
                for bar in bars:
                    yield bar.base
                    yield bar.top

    def _values(self, name: str) -> Iterator[float]:
        """Give all values along an axis; an axis that follows another has the other's too."""
        axis = self.axes[name]
        follows = str(axis.settings.get("matches") or name)
        alike = {other for other in self.axes if str(self._settings(other).get("matches") or other) == follows}
        yield from self._reaches(name)
        for place, trace in enumerate(self.traces):
            pair = _pair(trace)
            lengths = pair[0 if trace.get("orientation") == "h" else 1]
            if not alike & set(pair) or (trace["type"] == "bar" and lengths == name):
                continue
            if trace["type"] == "bar":
                for bar in self.bars[place]:
                    yield bar.place - bar.thick / 2
                    yield bar.place + bar.thick / 2
            else:
                yield from (value for raw in plain(trace.get(name[0])) if (value := axis.value(raw)) is not None)

    def _set_out(self) -> None:
        """Give each axis its pixels, so that all words have room."""
        margin = self.layout.get("margin") or {}
        left = right = _EDGE
        top, bottom = 6.0, _EDGE
        for name, axis in self.axes.items():
            words = [word for _, word in axis.ticks()]
            title = _title(axis)
            if name[0] == "y":
                room = max((width(word) for word in words), default=0.0) + (8 if words else 0)
                left = max(left, room + (SIZE * LINE * len(lines(title)) + 8 if title else 0))
                continue
            turned = abs(float(axis.settings.get("tickangle") or 0))
            room, beyond = _room(words, turned)
            right = max(right, beyond)
            room += SIZE * LINE * len(lines(title)) + 8 if title else 0
            if axis.settings.get("side") == "top":
                top = max(top, room)
            else:
                bottom = max(bottom, room)
        notes = self.layout.get("annotations") or ()
        for note in notes:
            if str(note.get("yanchor")) == "bottom" and note.get("y") == 1:
                high = SIZE * LINE * len(lines(str(note.get("text") or "")))
                top = max(top, float(note.get("yshift") or 0) + high + 8)
        right = max([right, *(outside_room(bar) for bars in self.bars.values() for bar in bars if bar.inside)])
        right = max(right, float(margin["r"]) if notes and margin.get("r") else right)
        top = max(top, 26.0) if self._named() else top
        frame = {"x": (left, self.wide - right), "y": (self.high - bottom, top)}
        for name, axis in self.axes.items():
            near, far = frame[name[0]]
            low, high = plain(axis.settings.get("domain")) or (0.0, 1.0)
            axis.first, axis.last = near + (far - near) * float(low), near + (far - near) * float(high)

    def _across(self, name: str) -> tuple[Axis, ...]:
        """Return the axes that an axis is drawn along."""
        partners = {pair for trace in self.traces if name in (pair := _pair(trace))}
        names = {part for pair in partners for part in pair if part != name}
        fallback = (other for other in self.axes if other[0] != name[0])
        return tuple(self.axes[part] for part in sorted(names) or [next(fallback)])

    def _axis(self, name: str, axis: Axis) -> None:
        """Draw the grid, the ticks' words and the title of an axis."""
        if axis.settings.get("visible") is False:
            return
        others = self._across(name)
        near, far = min(other.first for other in others), max(other.first for other in others)
        start, end = min(other.last for other in others), max(other.last for other in others)
        grid = axis.settings.get("showgrid") is not False and axis.kind != "category"
        for value, word in axis.ticks():
            at = axis.at(value)
            if axis.across:
                if grid:
                    for other in others:
                        self.sheet.line(at, other.first, at, other.last, stroke=_INK["hairline"], thick=0.8)
                self._tick_across(axis, at, word, far if axis.settings.get("side") != "top" else start)
            else:
                if grid:
                    self.sheet.line(near, at, end, at, stroke=_INK["hairline"], thick=0.8)
                self.sheet.text(near - 7, at, word, fill=_INK["text"], anchor="end")
        title = _title(axis)
        if title and axis.across:
            room, _ = _room([word for _, word in axis.ticks()], abs(float(axis.settings.get("tickangle") or 0)))
            middle = (axis.first + axis.last) / 2
            above = axis.settings.get("side") == "top"
            y, stands = (start - room - 4, "bottom") if above else (far + room + 4, "top")
            self.sheet.text(middle, y, title, fill=_INK["muted"], anchor="middle", stands=stands)
        elif title:
            middle = (axis.first + axis.last) / 2
            self.sheet.text(SIZE * 0.4, middle, title, fill=_INK["muted"], anchor="middle", stands="top", turned=-90)

    def _tick_across(self, axis: Axis, at: float, word: str, edge: float) -> None:
        """Write the words of one tick below the marks, or above them where the axis is at the top."""
        turned = float(axis.settings.get("tickangle") or 0)
        if axis.settings.get("side") == "top":
            if turned:
                self.sheet.text(at, edge - 6, word, fill=_INK["text"], turned=-abs(turned))
            else:
                self.sheet.text(at, edge - 5, word, fill=_INK["text"], anchor="middle", stands="bottom")
        elif turned:
            self.sheet.text(at, edge + 8, word, fill=_INK["text"], anchor="end", turned=-abs(turned))
        else:
            self.sheet.text(at, edge + 6, word, fill=_INK["text"], anchor="middle", stands="top")

    def _scale(self, trace: Mapping[str, Any]) -> Scale:
        """Return the colours of a heatmap."""
        told = self.layout.get(str(trace.get("coloraxis"))) or {} if trace.get("coloraxis") else trace
        ends = ("cmin", "cmax") if trace.get("coloraxis") else ("zmin", "zmax")
        values = [float(value) for row in plain(trace.get("z")) for value in plain(row) if value is not None]
        low, high = (told.get(end) for end in ends)
        return Scale(
            told.get("colorscale") or level_scale(),
            float(low) if low is not None else min(values, default=0.0),
            float(high) if high is not None else max(values, default=1.0),
        )

    def _place(self, way: str, reference: str, raw: Any) -> float:
        """Return the pixel of a place that a shape or a note names."""
        name = reference.removesuffix(" domain")
        if name == "paper":
            axes = [axis for key, axis in self.axes.items() if key[0] == way]
            ends = [end for axis in axes for end in (axis.first, axis.last)]
            first, last = (min(ends), max(ends)) if way == "x" else (max(ends), min(ends))
            return first + float(raw) * (last - first)
        axis = self.axes[name]
        return axis.first + float(raw) * (axis.last - axis.first) if name != reference else axis.at(raw)

    def _shapes(self) -> None:
        """Draw the straight lines and rectangles of the layout."""
        for shape in self.layout.get("shapes") or ():
            ends = [
                self._place(way, str(shape.get(f"{way}ref") or way), shape[f"{way}{n}"]) for n in "01" for way in "xy"
            ]
            line = shape.get("line") or {}
            stroke, thick = colour(line.get("color"), _INK["muted"]), float(line.get("width") or 1)
            if shape.get("type") == "line":
                self.sheet.line(*ends, stroke=stroke, thick=thick, dash=str(line.get("dash") or ""))
            elif shape.get("type") == "rect":
                self.sheet.rect(*ends, fill=colour(shape.get("fillcolor"), "none"), edge=stroke, thick=thick)
            else:
                raise NotDrawnError(f"a shape of the kind {str(shape.get('type'))[:40]}")

    def _notes(self) -> None:
        """Write the notes of the layout."""
        for note in self.layout.get("annotations") or ():
            x = self._place("x", str(note.get("xref") or "x"), note.get("x", 0.5))
            y = self._place("y", str(note.get("yref") or "y"), note.get("y", 0.5))
            self._note(note, x + float(note.get("xshift") or 0), y - float(note.get("yshift") or 0))

    def _note(self, note: Mapping[str, Any], x: float, y: float) -> None:
        """Write one note, in its box where it has one."""
        font, words = note.get("font") or {}, str(note.get("text") or "")
        size, fill = float(font.get("size") or SIZE), colour(font.get("color"), _INK["text"])
        ground, edge = (colour(note.get(key), "none") for key in ("bgcolor", "bordercolor"))
        if ground != "none" or edge != "none":
            pad = float(note.get("borderpad") or 1)
            wide = max(width(words, size), size) / 2 + pad
            high = size * LINE * len(lines(words)) / 2 + pad
            self.sheet.rect(x - wide, y - high, x + wide, y + high, fill=ground, edge=edge, thick=1)
        heavy = float(font.get("weight") or 400) >= 600
        self.sheet.text(
            x, y, f"<b>{words}</b>" if heavy and "<" not in words else words, fill=fill, size=size,
            anchor=_ANCHORS.get(str(note.get("xanchor")), "middle"),
            stands={"top": "top", "bottom": "bottom"}.get(str(note.get("yanchor")), "middle"),
        )  # fmt: skip

    def _named(self) -> list[tuple[int, str]]:
        """Return the traces that a legend names; none where the layout wants none."""
        if self.layout.get("showlegend") is False:
            return []
        told = [(place, str(trace["name"])) for place, trace in enumerate(self.traces) if trace.get("name")]
        return told if len(told) > 1 else []

    def _legend(self) -> None:
        """Name the traces above the marks."""
        x = _EDGE
        for place, words in self._named():
            if x + width(words) + 24 > self.wide:
                break
            marker = self.traces[place].get("marker") or {}
            shade = colour(nth(marker.get("color"), 0), self.shades[place % len(self.shades)])
            self.sheet.rect(x, 4, x + 10, 14, fill=shade, edge=_INK["muted"], thick=0.5)
            self.sheet.text(x + 15, 9, words, fill=_INK["text"])
            x += width(words) + 34


def _with_defaults(trace: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return a trace over the template's settings for its kind."""
    kind = str(trace.get("type") or "scatter")
    below = defaults.get(kind) or [{}]
    return {**merged(below[0] if isinstance(below[0], Mapping) else {}, trace), "type": kind}


def _pair(trace: Mapping[str, Any]) -> tuple[str, str]:
    """Return the names of a trace's axes."""
    return str(trace.get("xaxis") or "x"), str(trace.get("yaxis") or "y")


def _title(axis: Axis) -> str:
    """Return the title of an axis."""
    told = axis.settings.get("title")
    return str((told.get("text") if isinstance(told, Mapping) else told) or "")


def _room(words: list[str], turned: float) -> tuple[float, float]:
    """Return how high the words of ticks below or above are, and how far the last ones reach beyond."""
    if not any(words):
        return 0.0, 0.0
    longest = max(map(width, words))
    if not turned:
        return 6 + SIZE * LINE * max(len(lines(word)) for word in words), max(_EDGE, width(words[-1]) / 2)
    return 12 + longest * sin(radians(turned)), longest * cos(radians(turned))
