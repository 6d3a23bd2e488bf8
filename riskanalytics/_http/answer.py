"""What came back: a body as strict JSON, and how long a server asks to wait."""

from __future__ import annotations

import contextlib
import email.utils
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NoReturn, Protocol

from riskanalytics.errors import InvalidAnswer

MOST_VALUES: Final = 1_000_000
"""Of one answer: many small ones fill the memory sooner than their bytes do."""
_DEEPEST: Final = 200
"""Levels of one answer."""
_CONTAINERS: Final = (dict, list)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPED: Final = re.compile(r"\\u[dD][89a-fA-F]")
"""How a surrogate stands in JSON: decoded UTF-8 has none."""


class Copy(Protocol):
    """Where an answer may be kept."""

    def keep(self) -> None:
        """Keep it."""


@dataclass(frozen=True)
class Answer:
    """A successful answer.

    Parameters
    ----------
    body : bytes
        Decoded, whole.
    content_type : str
        Lower case, without parameters.
    path : str
        Of the request.
    copy : Copy, optional
        Where it may be kept.
    """

    body: bytes
    content_type: str
    path: str
    copy: Copy | None = field(default=None, repr=False, compare=False)

    def keep(self) -> None:
        """Keep it where that may be, for it is what was asked for: the next time the server need only confirm it."""
        if self.copy is not None:
            self.copy.keep()

    def json(self) -> object:
        """Return the body as JSON (RFC 8259): NaN and Infinity are refused, lone surrogates replaced.

        Raises
        ------
        InvalidAnswer
            If the body is not JSON, whatever it is instead.
        """
        if self.content_type and "json" not in self.content_type:
            raise InvalidAnswer(f"{self.path} answered {self.content_type}, not JSON", status=200, path=self.path)
        marks = (b",", b"[", b"{") if len(self.body) > MOST_VALUES else ()  # a value takes a byte or more
        if sum(map(self.body.count, marks)) > MOST_VALUES:
            raise InvalidAnswer(f"{self.path} answered more than {MOST_VALUES:,} values", status=200, path=self.path)
        with contextlib.suppress(ValueError, RecursionError):
            text = self.body.decode("utf-8-sig")
            value = _DECODER.decode(text)
            _refuse_deep(value)
            return _whole(value) if "\\u" in text and _ESCAPED.search(text) else value
        raise InvalidAnswer(f"{self.path} did not answer JSON", status=200, path=self.path)


def _refuse(word: str) -> NoReturn:
    """Refuse a number that JSON does not have."""
    raise ValueError(word)


def _finite(digits: str) -> float:
    """Return a number; refuse one that is too large."""
    value = float(digits)
    if math.isinf(value):
        raise ValueError(digits)
    return value


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def _refuse_deep(value: object) -> None:
    """Refuse a value of so many levels that a reader that goes down them one by one would not come back."""
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(_DEEPEST):
        parts = (part.values() if type(part) is dict else part for part in level)
        level = [inside for part in parts for inside in part if type(inside) in _CONTAINERS]  # type: ignore[attr-defined]
        if not level:
            return
    raise ValueError("too deep")


def _whole(value: object) -> object:
    """Return a JSON value whose texts can be encoded."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return value


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that a server asks to wait (RFC 9110 section 10.2.3).

    Parameters
    ----------
    headers : mapping
        Lower-case or case-insensitive.

    Returns
    -------
    float
        Seconds, or a date against the answer's own `Date`; 1 where absent or not understood; never negative.
    """
    told = headers.get("retry-after", "")
    with contextlib.suppress(ValueError):
        seconds = float(told.split(",")[0])
        return max(0.0, seconds) if math.isfinite(seconds) else 1.0
    until, now = moment(told), moment(headers.get("date", "")) or datetime.now(UTC)
    return 1.0 if until is None else max(0.0, (until - now).total_seconds())


def moment(text: str) -> datetime | None:
    """Return a date of a header; None where it is none, or does not tell its zone."""
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):
        moment = email.utils.parsedate_to_datetime(text)
        return moment if moment.tzinfo else None
    return None
