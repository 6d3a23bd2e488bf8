"""What a figure's JSON says, and the sheet it is drawn on: marks in pixels, hatches, words of estimated width."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from html import escape, unescape
from math import isfinite
from typing import Any, Final, Self

import numpy as np

from riskanalytics.theme import PAGE

INK: Final = PAGE["light"]
"""Colours of words, lines and grounds: paper is light."""
FACE: Final = "Libertinus Serif"
"""The face inside typst; another reader of the SVG takes its own serif."""
SIZE: Final = 12.0
LINE: Final = 1.2
_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{3,8}|rgba?\([0-9., %]{1,40}\)|[a-zA-Z]{3,24}")
_NOTHING: Final = re.compile(r"rgba\([^)]*,\s*0(?:\.0*)?\)|transparent|none")
_BREAK: Final = re.compile(r"<br ?/?>", re.IGNORECASE)
_TAG: Final = re.compile(r"</?(?:b|i|em|strong|sup|sub|span|a)(?:\s[^<>]*)?>", re.IGNORECASE)
_BOLD: Final = re.compile(r"<(?:b|strong)>(.*?)</(?:b|strong)>", re.IGNORECASE)
_STEP: Final = 6.0
_SLANTS: Final = {
    "/": (45, False), "\\": (-45, False), "-": (90, False), "|": (0, False), "x": (45, True), "+": (0, True), ".": (45, True),
}  # fmt: skip
"""By plotly's shape: how far the lines of a hatch are turned, and whether others cross them."""
_NARROW, _WIDE = frozenset("iIjltf.,;:'|!()[] "), frozenset("mwMW@%—…")


def number(value: float) -> str:
    """Return a number as SVG writes it, the same on every machine."""
    if not isfinite(value):
        raise ValueError("no finite number")
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def lines(words: str) -> list[str]:
    """Return the lines of a label as plotly reads it, plain: marks of style and entities resolved."""
    return [_plain(part) for part in _BREAK.split(words)]


def _plain(words: str) -> str:
    return unescape(_TAG.sub("", words)).strip("\n")


def _spans(row: str) -> str:
    """Return one line of a label with what is strong in it set apart."""
    parts = [escape(_plain(part)) for part in _BOLD.split(row)]
    return "".join(
        f'<tspan font-weight="600">{part}</tspan>' if place % 2 else part for place, part in enumerate(parts)
    )


def weighted(words: str, weight: float) -> str:
    """Return a label, strong where its font is heavy."""
    return f"<b>{words}</b>" if weight >= 600 and "<" not in words else words


def width(words: str, size: float = SIZE) -> float:
    """Return about how many pixels the longest line of a label takes; rather too many than too few."""
    return max((sum(map(_em, line)) for line in lines(words)), default=0.0) * size


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.33
    if character in _WIDE:
        return 0.9
    if character.isupper():
        return 0.66
    return 0.52 if ord(character) < 0x250 else 1.0


def colour(value: object, default: str) -> str:
    """Return a colour that may stand in an attribute; `none` where it is fully transparent."""
    text = value if isinstance(value, str) else default
    if _NOTHING.fullmatch(text):
        return "none"
    return text if _COLOUR.fullmatch(text) else default


def is_dark(fill: str) -> bool:
    """Say whether words on a fill are better white (WCAG relative luminance)."""
    digits = fill.removeprefix("#")
    if not fill.startswith("#") or len(digits) != 6:
        return False
    channels = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] < 0.18


class Sheet:
    """An SVG that grows mark by mark; the same marks give the same text."""

    def __init__(self) -> None:
        self._marks: list[str] = []
        self._hatches: dict[tuple[str, str, float], str] = {}

    def rect(
        self, x0: float, y0: float, x1: float, y1: float, *, fill: str, edge: str = "none", thick: float = 0.0
    ) -> None:
        """Draw a rectangle between two corners."""
        left, top = min(x0, x1), min(y0, y1)
        outline = f' stroke="{edge}" stroke-width="{number(thick)}"' if edge != "none" and thick else ""
        self._marks.append(
            f'<rect x="{number(left)}" y="{number(top)}" width="{number(abs(x1 - x0))}" '
            f'height="{number(abs(y1 - y0))}" fill="{fill}"{outline}/>'
        )

    def path(
        self, points: str, *, stroke: str = "none", thick: float = 1.0, fill: str = "none", dash: str = ""
    ) -> None:
        """Draw a path."""
        dashed = {"dot": "1.5 2.5", "dash": "6 4"}.get(dash, "")
        style = f' stroke-dasharray="{dashed}"' if dashed else ""
        self._marks.append(
            f'<path d="{points}" fill="{fill}" stroke="{stroke}" stroke-width="{number(thick)}"{style}/>'
        )

    def line(
        self, x0: float, y0: float, x1: float, y1: float, *, stroke: str, thick: float = 1.0, dash: str = ""
    ) -> None:
        """Draw a straight line."""
        self.path(f"M{number(x0)} {number(y0)}L{number(x1)} {number(y1)}", stroke=stroke, thick=thick, dash=dash)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        fill: str = INK["text"],
        size: float = SIZE,
        anchor: str = "start",
        stands: str = "middle",
        turned: float = 0.0,
    ) -> None:
        """Write a label; `stands` says whether its top, middle or bottom is at y."""
        rows = _BREAK.split(words)
        above = LINE * (len(rows) - 1)
        first = {"top": 0.8, "middle": 0.34 - above / 2, "bottom": -0.25 - above}[stands]
        turn = f' transform="rotate({number(turned)} {number(x)} {number(y)})"' if turned else ""
        for place, row in enumerate(rows):
            if _plain(row).strip():
                self._marks.append(
                    f'<text x="{number(x)}" y="{number(y + size * (first + LINE * place))}" fill="{fill}" '
                    f'font-size="{number(size)}" text-anchor="{anchor}"{turn}>{_spans(row)}</text>'
                )

    def hatch(self, shape: str, fill: str, solidity: float) -> str:
        """Return the fill of a hatch: lines of a colour on nothing."""
        name = self._hatches.setdefault((shape, fill, solidity), f"hatch-{len(self._hatches) + 1}")
        return f"url(#{name})"

    def written(self, wide: float, high: float, over: float = 0.0) -> str:
        """Return the SVG; with so many pixels over it, which lie at negative heights, it has a ground."""
        whole = f'width="{number(wide)}" height="{number(high + over)}"'
        ground = f'<rect y="{number(-over)}" {whole} fill="{INK["background"]}"/>' if over else ""
        hatches = "".join(_pattern(name, *what) for what, name in self._hatches.items())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {whole} '
            f'viewBox="0 {number(-over)} {number(wide)} {number(high + over)}" font-family="{FACE}">'
            f"<defs>{hatches}</defs>{ground}{''.join(self._marks)}</svg>"
        )


def _pattern(name: str, shape: str, fill: str, solidity: float) -> str:
    """Return the definition of a hatch: lines, or crossed lines."""
    slant, crossed = _SLANTS.get(shape, (45, False))
    thick = number(max(0.8, _STEP * solidity))
    stroke = f'stroke="{fill}" stroke-width="{thick}"'
    across = f'<path d="M0 {number(_STEP / 2)}H{number(_STEP)}" {stroke}/>' if crossed else ""
    return (
        f'<pattern id="{name}" width="{number(_STEP)}" height="{number(_STEP)}" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate({slant})"><path d="M{number(_STEP / 2)} 0V{number(_STEP)}" {stroke}/>{across}</pattern>'
    )


Value = str | float | None
"""One value of a trace: a day is its ISO form, None is missing."""


def unpacked(value: object) -> Any:
    """Return a figure's JSON with lists where plotly packs numbers as `{"dtype", "bdata", "shape"}`, and None for no number."""
    if isinstance(value, Mapping):
        if "bdata" not in value:
            return {name: unpacked(part) for name, part in value.items()}
        array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(str(value["dtype"])).newbyteorder("<"))
        shape = [int(part) for part in str(value.get("shape") or array.size).split(",")]
        value = array.reshape(shape).tolist()
    if isinstance(value, list | tuple):
        return [unpacked(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def merged(*layers: object) -> dict[str, object]:
    """Return nested settings, the later over the earlier."""
    result: dict[str, object] = {}
    for layer in layers:
        for key, value in (layer if isinstance(layer, Mapping) else {}).items():
            below = result.get(key)
            result[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return result


class Told:
    """An object of a figure's JSON.

    Parameters
    ----------
    value : object
        The object, unpacked; anything else counts as an empty one.
    place : int, optional
        Which point is spoken of: where a setting lists a value for each point, that point's is read.
    """

    def __init__(self, value: object, place: int | None = None) -> None:
        self.whole: Mapping[str, object] = value if isinstance(value, Mapping) else {}
        self._place = place

    def at(self, place: int) -> Self:
        """Return the same object as one of its points has it."""
        return type(self)(self.whole, place)

    def get(self, name: str) -> object:
        """Return a value as it stands there, None where it is not set."""
        value = self.whole.get(name)
        if self._place is None or not isinstance(value, list):
            return value
        return value[self._place] if self._place < len(value) else None

    def part(self, name: str) -> Self:
        """Return an object inside this one."""
        return type(self)(self.get(name), self._place)

    def parts(self, name: str) -> list[Told]:
        """Return a list of objects; anything else in it is an error."""
        return [Told(dict(part)) for part in _list(self.get(name))]

    def text(self, name: str, default: str = "") -> str:
        """Return words; the default where there are none."""
        value = self.get(name)
        return default if value is None or value == "" or isinstance(value, Mapping | list) else str(value)

    def number(self, name: str, default: float = 0.0) -> float:
        """Return a number.

        Raises
        ------
        ValueError
            If it is set to something else.
        """
        value = self.get(name)
        if isinstance(value, int | float):
            return value
        return default if value is None else float(str(value))

    def value(self, name: str, default: float) -> Value:
        """Return a value of an axis: words or a number."""
        value = self.get(name)
        return value if isinstance(value, str) else self.number(name, default)

    def colour(self, name: str, default: str) -> str:
        """Return a colour as `sheet.colour` does."""
        return colour(self.get(name), default)

    def values(self, name: str) -> list[Value]:
        """Return a list of values."""
        return _list(self.get(name))

    def rows(self, name: str) -> list[list[Value]]:
        """Return a table of values."""
        return [_list(row) for row in _list(self.get(name))]


def _list(value: object) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []
