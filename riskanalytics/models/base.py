"""The base class of wire records, and the declarations of their fields for readers of unvalidated answers."""

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
    """Base class of all records that our service returns. They are frozen, keep unknown fields, and accept unknown words.

    Answers of other servers are not validated by records, but read by their declarations (`fields_of`).
    """

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_serialization_defaults_required=True)

    @classmethod
    def part_of(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the given values that are fields of this record, by the names of the fields in Python."""
        return {name: values[name] for name in cls.model_fields if name in values}


T = TypeVar("T")

Maybe = Annotated[T | None, Field(default=None)]
"""A field that may be null."""
Sometimes = Annotated[T | SkipJsonSchema[None], Field(default=None, exclude_if=lambda value: value is None)]
"""A field that is present only on request, or for some keys."""


def means(text: str, *names: str, **schema: Any) -> Any:
    """Declare the meaning of a field, its alternative names and its schema.

    Parameters
    ----------
    text : str
        Meaning of the field.
    *names : str
        Alternative names of the field, that of our service first; a dot leads into a nested record.
    **schema : object
        Arguments of `pydantic.Field`.
    """
    if names:
        paths = (AliasPath(*name.split(".")) if "." in name else name for name in names)
        schema["validation_alias"] = AliasChoices(*paths)
    return Field(description=text, **schema)


class Known(NamedTuple):
    """Marks a text as a word of an open set, and lists the known words."""

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
"""Steps to a value inside a record: names of fields, and positions in lists."""


class WireField(NamedTuple):
    """The declaration of one field.

    Parameters
    ----------
    name : str
        Name on the wire.
    paths : tuple of tuple
        Paths under which the value may be found in a record: its name first, then its alternative names.
    kinds : tuple
        Types of a value, without null: `str`, `int`, `list`, ..., or a record.
    record : type of Record or None
        The record that the field contains, directly or in a list or mapping.
    words : tuple of str
        Known words (for a list, of its items; for a mapping, of its keys).
    timed : bool
        Whether the value is a day or a time.
    info : FieldInfo
        pydantic's declaration: type (`annotation`) and meaning (`description`).
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
    """Return the declarations of the fields of a record, by their names in Python."""
    return {name: _declared(name, field) for name, field in record.model_fields.items()}


def _declared(name: str, field: FieldInfo) -> WireField:
    """Return the declaration of one field."""
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
    """Return the types of a union; a single type as a tuple."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _alternatives(parts[0])
    return sum(map(_alternatives, parts), ()) if origin in (Union, types.UnionType) else (annotation,)


def _marks(annotation: object) -> Iterator[object]:
    """Yield the marks of types, at any depth."""
    yield from getattr(annotation, "__metadata__", ())
    for part in get_args(annotation):
        yield from _marks(part)
