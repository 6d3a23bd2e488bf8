"""What records declare of their fields, for those who read the wire without a record: name, type, words and meaning."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from riskanalytics.models.base import Known, Record, Timed

_UNIONS: Final = (Union, types.UnionType)


@dataclass(frozen=True)
class WireField:
    """What is declared of one field.

    Parameters
    ----------
    name : str
        On the wire.
    annotation : type
        Its type, as it is declared.
    kinds : tuple
        The types that a value may have, without null: `str`, `int`, `list`, ..., or a record.
    record : type of Record or None
        The record that the field is, or that its list or mapping holds.
    words : tuple of str
        Words that are known so far (of a list: of its items; of a mapping: of its keys).
    timed : bool
        Whether it is a day or a time.
    optional : bool
        Whether it is there only sometimes.
    meaning : str
    """

    name: str
    annotation: Any
    kinds: tuple[object, ...]
    record: type[Record] | None
    words: tuple[str, ...]
    timed: bool
    optional: bool
    meaning: str


@cache
def fields_of(record: type[Record]) -> dict[str, WireField]:
    """Return the fields of a record, by their names in Python."""
    return {name: _declared(name, field) for name, field in record.model_fields.items()}


def _declared(name: str, field: FieldInfo) -> WireField:
    """Return what is declared of one field."""
    kinds = tuple(get_origin(part) or part for part in _alternatives(field.annotation) if part is not types.NoneType)
    marks = [*field.metadata, *_marks(field.annotation)]
    return WireField(
        name=field.alias or name,
        annotation=field.annotation,
        kinds=kinds,
        record=next(_records(field.annotation), None),
        words=next((mark.words for mark in marks if isinstance(mark, Known)), ()),
        timed=any(isinstance(mark, Timed) for mark in marks),
        optional=field.exclude_if is not None,
        meaning=field.description or "",
    )


def _alternatives(annotation: object) -> tuple[object, ...]:
    """Return the types of a union, one type as itself."""
    if get_origin(annotation) is Annotated:
        return _alternatives(get_args(annotation)[0])
    if get_origin(annotation) in _UNIONS:
        return tuple(part for one in get_args(annotation) for part in _alternatives(one))
    return (annotation,)


def _marks(annotation: object) -> Iterator[object]:
    """Give what types are marked with, at any depth."""
    yield from getattr(annotation, "__metadata__", ())
    for part in get_args(annotation):
        yield from _marks(part)


def _records(annotation: object) -> Iterator[type[Record]]:
    """Give the records that a value is, or that its list or mapping holds."""
    for part in _alternatives(annotation):
        held = get_args(part)[-1] if get_origin(part) in (list, dict) else part
        if isinstance(held, type) and issubclass(held, Record):
            yield held
