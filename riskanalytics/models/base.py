"""What records of the wire are made of, and what they declare of their fields to those who read answers without a record."""

import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple, TypeVar, Union, get_args, get_origin

from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema

from riskanalytics import models
from riskanalytics.surfaces import SURFACES


class Record(BaseModel):
    """Base of all records that our service gives: frozen, unknown fields kept, no closed sets.

    Answers of others are read without a record, by what is declared here (`fields_of`).
    """

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_serialization_defaults_required=True)

    @classmethod
    def part_of(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return those of some values that this record declares by their names in Python."""
        return {name: values[name] for name in cls.model_fields if name in values}


T = TypeVar("T")

Maybe = Annotated[T | None, Field(default=None)]
"""A field that may be null."""
Sometimes = Annotated[T | SkipJsonSchema[None], Field(default=None, exclude_if=lambda value: value is None)]
"""A field that is there only where it was asked for, or for some keys."""


def means(text: str, *names: str, **schema: Any) -> Any:
    """Return what is declared of a field besides its type.

    Parameters
    ----------
    text : str
        Its meaning.
    *names : str
        Names that servers may use, ours first, where there are several; a dot leads into a record.
    **schema : object
        As `pydantic.Field` takes it.
    """
    if names:
        paths = (AliasPath(*name.split(".")) if "." in name else name for name in names)
        schema["validation_alias"] = AliasChoices(*paths)
    return Field(description=text, **schema)


class Known(NamedTuple):
    """The words that are known so far of an open set."""

    words: tuple[str, ...]


class Timed:
    """Marks a text as a day or a time: ISO 8601, UTC."""


Time = Annotated[str, Timed()]
Level = Annotated[str, Known(models.RATINGS)]
Rating = Annotated[str, Known((*models.RATINGS, models.UNRATED))]
Surface = Annotated[str, Known(SURFACES)]
Stance = Annotated[str, Known(models.STANCES)]
Verification = Annotated[str, Known(models.VERIFICATIONS)]
VerificationStatus = Annotated[str, Known(models.VERIFICATION_STATUSES)]
Polarity = Annotated[str, Known(("raises_risk", "mitigates_risk", "neutral"))]
Actor = Annotated[str, Known(("vendor", "user", "third_party"))]
SurfaceState = Annotated[str, Known(models.SURFACE_STATES)]
DocumentState = Annotated[str, Known(tuple(models.DOCUMENT_STATE_NAMES))]
KindOfChange = Annotated[str, Known(models.CHANGE_CLASSES)]
Direction = Annotated[str, Known(("up", "down", "mixed", "unclear", "none"))]
Path = tuple[str | int, ...]
"""Steps to a value inside a record: names of fields, and places in lists."""


class WireField(NamedTuple):
    """What is declared of one field.

    Parameters
    ----------
    name : str
        On the wire.
    paths : tuple of tuple
        Where the value may be in a record: its name, then other names that servers may use.
    kinds : tuple
        The types that a value may have, without null: `str`, `int`, `list`, ..., or a record.
    record : type of Record or None
        The record that the field is, or that its list or mapping holds.
    words : tuple of str
        Words that are known so far (of a list: of its items; of a mapping: of its keys).
    timed : bool
        Whether it is a day or a time.
    info : FieldInfo
        What pydantic knows of it: its type (`annotation`) and its meaning (`description`).
    """

    name: str
    paths: tuple[Path, ...]
    kinds: tuple[Any, ...]
    record: type[Record] | None
    words: tuple[str, ...]
    timed: bool
    info: Any


@cache
def fields_of(record: type[Record]) -> dict[str, WireField]:
    """Return the fields of a record, by their names in Python."""
    return {name: _declared(name, field) for name, field in record.model_fields.items()}


def _declared(name: str, field: FieldInfo) -> WireField:
    """Return what is declared of one field."""
    alias = field.validation_alias or name
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    parts = [part for part in _alternatives(field.annotation) if part is not types.NoneType]
    held = [get_args(part)[-1] if get_origin(part) in (list, dict) else part for part in parts]
    marks = [*field.metadata, *_marks(field.annotation)]
    return WireField(
        name=field.alias or name,
        paths=tuple((choice,) if isinstance(choice, str) else tuple(choice.path) for choice in choices),
        kinds=tuple(get_origin(part) or part for part in parts),
        record=next((part for part in held if isinstance(part, type) and issubclass(part, Record)), None),
        words=next((mark.words for mark in marks if isinstance(mark, Known)), ()),
        timed=any(isinstance(mark, Timed) for mark in marks),
        info=field,
    )


def _alternatives(annotation: object) -> tuple[object, ...]:
    """Return the types of a union, one type as itself."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _alternatives(parts[0])
    return sum(map(_alternatives, parts), ()) if origin in (Union, types.UnionType) else (annotation,)


def _marks(annotation: object) -> Iterator[object]:
    """Give what types are marked with, at any depth."""
    yield from getattr(annotation, "__metadata__", ())
    for part in get_args(annotation):
        yield from _marks(part)
