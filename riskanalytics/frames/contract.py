"""Raw answers of a service compared with what they are read as -> a frame of what differs.

The client is tolerant on purpose: what a server renames, retypes or leaves out is simply missing in the frames. Here it
is seen. Nothing is refused, and what is reported is bounded, whatever a server answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from riskanalytics.frames.building import frame_of
from riskanalytics.frames.columns import CONTRACT_COLUMNS
from riskanalytics.frames.shapes import ANSWERS, MAY_BE_NULL, SPECIFIED
from riskanalytics.models import Record
from riskanalytics.models.fields import WireField, fields_of

MOST_ROWS: Final = 300
"""Differences of one endpoint that are told one by one; the others are counted."""
_SHOWN: Final = 80
_FEW: Final = 6
_KINDS: Final[dict[object, str]] = {
    str: "text", bool: "true or false", int: "whole number", float: "number", dict: "object", list: "list",
    type(None): "null",
}  # fmt: skip


class Answered(NamedTuple):
    """One answer of a service.

    Parameters
    ----------
    endpoint : str
        As `shapes.ANSWERS` names it.
    where : str
        What tells the answer from others of the endpoint, such as a slug.
    record : object
        As it came.
    """

    endpoint: str
    where: str
    record: object


_Key = tuple[str, str, str, str]


class _Seen:
    """Differences by kind, field and what was told, counted."""

    def __init__(self) -> None:
        self.rows: dict[_Key, tuple[int, str, str]] = {}
        self.left: dict[str, int] = {}
        self.reached: dict[tuple[str, str], int] = {}
        self._distinct: dict[str, int] = {}

    def add(self, answer: Answered, kind: str, path: str, told: object, expected: str) -> None:
        """Count one difference."""
        endpoint = answer.endpoint
        key = (endpoint, kind, _cut(path, 2 * _SHOWN), _cut(told))
        if key in self.rows:
            count, before, first = self.rows[key]
            self.rows[key] = (count + 1, before, first)
        elif self._distinct.get(endpoint, 0) < MOST_ROWS:
            self._distinct[endpoint] = self._distinct.get(endpoint, 0) + 1
            self.rows[key] = (1, expected, _cut(answer.where))
        else:
            self.left[endpoint] = self.left.get(endpoint, 0) + 1


def contract_frame(answers: Iterable[Answered]) -> pd.DataFrame:
    """Compare answers with what they are read as.

    Parameters
    ----------
    answers : iterable of Answered

    Returns
    -------
    pandas.DataFrame
        `CONTRACT_COLUMNS`: a row per endpoint, kind, field and value, in the order in which they were first seen.
    """
    seen = _Seen()
    for answer in answers:
        shape = ANSWERS[answer.endpoint]
        if isinstance(answer.record, Mapping):
            _compare(seen, answer, shape, answer.record, "")
        else:
            seen.add(answer, "retyped", "(the answer)", _kind(answer.record), "object")
    rows = [
        (endpoint, kind, path, told, expected, count, max(count, seen.reached.get((endpoint, _parent(path)), 0)), where)
        for (endpoint, kind, path, told), (count, expected, where) in seen.rows.items()
    ]
    rows += [
        (endpoint, "more", "", f"{count:,} more differences are not told apart", "", count, count, "")
        for endpoint, count in seen.left.items()
    ]
    return frame_of(CONTRACT_COLUMNS, rows)


def _parent(path: str) -> str:
    """Return the path of the record that a field stands in."""
    return path.rpartition(".")[0]


def _compare(seen: _Seen, answer: Answered, shape: type[Record], record: Mapping[str, object], path: str) -> None:
    """Compare one record, and those inside it."""
    place = (answer.endpoint, path)
    seen.reached[place] = seen.reached.get(place, 0) + 1
    fields = {field.name: field for field in fields_of(shape).values()}
    specified = next((SPECIFIED[base] for base in shape.__mro__ if base in SPECIFIED), ())
    for name, value in record.items():
        if name not in fields:
            seen.add(answer, "unknown", _join(path, name), _kind(value), "nothing")
    for name, field in fields.items():
        here = _join(path, name)
        absent = name not in record
        if absent or (record[name] is None and name in specified and name not in MAY_BE_NULL):
            if not field.optional:
                kind, told = "missing" if name in specified else "lacking", "absent" if absent else "null"
                seen.add(answer, kind, here, told, _expected(field))
            continue
        if name not in specified:
            seen.add(answer, "addition", here, "there", "nothing")
        _value(seen, answer, field, record[name], here)


def _value(seen: _Seen, answer: Answered, field: WireField, value: object, path: str) -> None:
    """Compare one value: its type, whether it was seen before, and the records inside it."""
    if value is None:  # null is judged where the field is
        return
    if not _fits(field, value):
        seen.add(answer, "retyped", path, _kind(value), _expected(field))
        return
    for word in _words(value) if field.words else ():
        if word not in field.words:
            seen.add(answer, "unseen", path, word, _known(field.words))
    if field.record is None:
        return
    parts: Iterable[object] = [value]
    here = path
    if isinstance(value, list):
        parts, here = value, f"{path}[]"
    elif dict in field.kinds and isinstance(value, Mapping):
        parts, here = value.values(), f"{path}{{}}"
    for part in parts:
        if isinstance(part, Mapping):
            _compare(seen, answer, field.record, part, here)
        else:
            seen.add(answer, "retyped", here, _kind(part), "object")


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def _fits(field: WireField, value: object) -> bool:
    """Say whether a value is of a field's type, without any conversion; records are compared by themselves."""
    if field.record is not None:
        return isinstance(value, list if list in field.kinds else Mapping)
    try:
        _adapter(field.annotation).validate_python(value, strict=True)
    except (ValidationError, RecursionError):
        return False
    return True


def _words(value: object) -> list[str]:
    """Return the words of a value that is one, holds some, or has some as its keys."""
    if isinstance(value, str):
        return [value]
    return [word for word in value if isinstance(word, str)] if isinstance(value, list | Mapping) else []


def _expected(field: WireField) -> str:
    """Return what a field is read as, in words."""
    words = ("object" if kind is field.record else _KINDS.get(kind, "anything") for kind in field.kinds)
    return " or ".join(dict.fromkeys(words))


def _known(values: tuple[str, ...]) -> str:
    """Return the values known so far; how many, where they are many."""
    return ", ".join(values) if len(values) <= _FEW else f"one of {len(values)} known values"


def _kind(value: object) -> str:
    """Return the kind of a value in words."""
    return _KINDS.get(type(value), type(value).__name__)


def _join(path: str, name: object) -> str:
    """Return the path of a field."""
    word = _cut(name).replace(".", "·")
    return f"{path}.{word}" if path else word


def _cut(value: object, most: int = _SHOWN) -> str:
    """Return a value as a short text."""
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"
