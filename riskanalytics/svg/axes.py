"""Axes of a figure: what kind they are, what they span, where a value stands, and what their ticks say."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil, floor, isfinite, log10
from typing import Any, Final

import numpy as np

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?")
_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120)
_TICKS: Final = 7


def plain(values: Any) -> list[Any]:
    """Return an array of a figure's JSON as a list; plotly packs numbers as `{"dtype", "bdata", "shape"}`."""
    if isinstance(values, Mapping) and "bdata" in values:
        array = np.frombuffer(base64.b64decode(values["bdata"]), dtype=np.dtype(str(values["dtype"])).newbyteorder("<"))
        shape = [int(part) for part in str(values.get("shape") or array.size).split(",")]
        values = array.reshape(shape).tolist()
    if values is None:
        return []
    return [None if isinstance(value, float) and not isfinite(value) else value for value in list(values)]


def merged(*layers: Any) -> dict[str, Any]:
    """Return nested settings, the later over the earlier."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, value in (layer if isinstance(layer, Mapping) else {}).items():
            below = result.get(key)
            result[key] = merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return result


def day_number(text: str) -> float:
    """Return a day or time, ISO 8601, as days since 1970 (UTC)."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 86_400


@dataclass
class Axis:
    """One axis.

    Parameters
    ----------
    settings : mapping
        Of the layout.
    across : bool
        Whether it runs from left to right.
    """

    settings: Mapping[str, Any]
    across: bool
    kind: str = ""
    categories: dict[str, int] = field(default_factory=dict)
    low: float = 0.0
    high: float = 1.0
    first: float = 0.0
    last: float = 1.0

    def learn(self, values: Iterable[Any]) -> None:
        """Take note of a trace's values: they decide the kind, and the order of categories."""
        known = [value for value in values if value is not None]
        if not self.kind:
            self.kind = str(self.settings.get("type") or "")
            if self.kind in ("", "-"):
                texts = [value for value in known if isinstance(value, str)]
                self.kind = "linear" if not texts else "category"
                if texts and all(_DAY.fullmatch(text) for text in texts):
                    self.kind = "date"
        if self.kind not in ("linear", "category", "date"):
            raise ValueError(f"an axis of the kind {self.kind}")
        if self.kind == "category":
            for value in known:
                self.categories.setdefault(str(value), len(self.categories))

    def value(self, raw: Any) -> float | None:
        """Return where a value stands on the axis, in its own units."""
        if raw is None:
            return None
        if self.kind == "category" and str(raw) in self.categories:
            return float(self.categories[str(raw)])
        if self.kind == "date" and isinstance(raw, str):
            return day_number(raw)
        number = float(raw)
        return number if isfinite(number) else None

    def span(self, values: list[float], *, from_zero: bool) -> None:
        """Set the range: the one that is asked for, else what holds the values."""
        given = self.settings.get("range")
        if given and None not in given:
            self.low, self.high = (self.value(end) or 0.0 for end in given)
        elif self.kind == "category":
            self.low, self.high = -0.5, max(len(self.categories), 1) - 0.5
        else:
            low, high = (min(values), max(values)) if values else (0.0, 1.0)
            if from_zero or self.settings.get("rangemode") == "tozero":
                low, high = min(low, 0.0), max(high, 0.0)
            room = (high - low) * 0.05 or 0.5
            self.low = low - (room if low and self.kind == "linear" else 0)
            self.high = high + (room if high and self.kind == "linear" else 0)
        if str(self.settings.get("autorange")) == "reversed":
            self.low, self.high = self.high, self.low

    def at(self, raw: Any) -> float:
        """Return the pixel of a value."""
        value = self.value(raw)
        if value is None:
            raise ValueError("a value that is missing has no place")
        return self.first + (value - self.low) / ((self.high - self.low) or 1.0) * (self.last - self.first)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the ticks: value and words, those in range only."""
        shown = [(value, words) for value, words in self._all_ticks() if self._inside(value)]
        return [(value, "") for value, _ in shown] if self.settings.get("showticklabels") is False else shown

    def _inside(self, value: float) -> bool:
        low, high = sorted((self.low, self.high))
        slack = (high - low) * 1e-6
        return low - slack <= value <= high + slack

    def _all_ticks(self) -> list[tuple[float, str]]:
        if self.settings.get("visible") is False:
            return []
        places = plain(self.settings.get("tickvals"))
        if places:
            words = plain(self.settings.get("ticktext")) or [str(place) for place in places]
            values = [self.value(place) for place in places]
            return [(value, str(word)) for value, word in zip(values, words, strict=False) if value is not None]
        if self.kind == "category":
            return [(float(place), word) for word, place in self.categories.items()]
        return self._days() if self.kind == "date" else self._round_numbers()

    def _most_ticks(self) -> int:
        return max(2, min(_TICKS, int(self.settings.get("nticks") or _TICKS)))

    def _round_numbers(self) -> list[tuple[float, str]]:
        low, high = sorted((self.low, self.high))
        rough = (high - low) / self._most_ticks() or 1.0
        power = 10.0 ** floor(log10(rough))
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
        style = str(self.settings.get("tickformat") or "")
        step = max(step, 1.0) if style == ",d" else step
        places = max(0, -floor(log10(step) + 1e-9))
        suffix = str(self.settings.get("ticksuffix") or "")
        counts = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
        if style.endswith("%"):
            return [(n * step, f"{100 * n * step:.{max(0, places - 2)}f}%") for n in counts]
        return [(n * step, f"{n * step:,.{places}f}{suffix}") for n in counts]

    def _days(self) -> list[tuple[float, str]]:
        low, high = (datetime.fromtimestamp(end * 86_400, UTC) for end in sorted((self.low, self.high)))
        style = str(self.settings.get("tickformat") or "%b<br>%Y")
        months = (high.year - low.year) * 12 + high.month - low.month
        step = next((step for step in _MONTHS if months / step <= self._most_ticks() - 1), _MONTHS[-1])
        first = low.year * 12 + low.month - 1
        starts = (
            datetime(n // 12, n % 12 + 1, 1, tzinfo=UTC) for n in range(first, first + months + 1) if n % step == 0
        )
        return [(start.timestamp() / 86_400, start.strftime(style)) for start in starts]
