"""What a figure's JSON tells, read as numbers, words, colours and lists; what is not set has a default."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from math import isfinite
from typing import Any, Self

import numpy as np

from riskanalytics.svg.sheet import colour

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
