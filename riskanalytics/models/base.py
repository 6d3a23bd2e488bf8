"""The base class of a service's JSON records, and the declarations of their fields.

The answers of other servers are read by the same declarations.
"""

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
    """Base class of all records that our service returns: frozen objects that keep unknown fields and accept unknown identifiers.

    Answers of other servers are not validated with these classes. Their values are looked up under the names that `fields_of`
    returns for each field.
    """

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_serialization_defaults_required=True)

    @classmethod
    def part_of(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return those entries of a mapping whose keys are the Python names of fields of this record."""
        return {name: values[name] for name in cls.model_fields if name in values}


T = TypeVar("T")

Maybe = Annotated[T | None, Field(default=None)]
"""A field that may be null."""
Sometimes = Annotated[T | SkipJsonSchema[None], Field(default=None, exclude_if=lambda value: value is None)]
"""A field that is present only on request, or for some keys."""


def means(text: str, *names: str, **schema: Any) -> Any:
    """Return a pydantic field with its meaning as description, and the names under which servers may send it.

    Parameters
    ----------
    text : str
        Meaning of the field.
    *names : str
        All names of the field in JSON, that of our service first; a dot leads into a nested record (`source.start`). If no
        name is given, the field has its Python name in JSON.
    **schema : object
        Other arguments of `pydantic.Field`.
    """
    if names:
        paths = (AliasPath(*name.split(".")) if "." in name else name for name in names)
        schema["validation_alias"] = AliasChoices(*paths)
    return Field(description=text, **schema)


class Known(NamedTuple):
    """Type annotation of a string field that holds an identifier: `words` are the known identifiers; servers may send others."""

    words: tuple[str, ...]


class Timed:
    """Type annotation of a string field that contains a day or a time in ISO 8601, UTC."""


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
DateKind = Annotated[str, Known(tuple(models.DATE_KINDS))]
Path = tuple[str | int, ...]
"""Steps to a value inside a record: names of fields, and positions in lists."""


class WireField(NamedTuple):
    """The declaration of one field of a record.

    Parameters
    ----------
    name : str
        Name of the field in JSON.
    paths : tuple of tuple
        Paths under which the value may be found in a record: its name first, then its alternative names.
    kinds : tuple
        Types that the value may have, apart from null: `str`, `int`, `list`, ..., or a class of records.
    record : type of Record or None
        The class of the record that the field contains, directly or in a list or mapping; None for other fields.
    words : tuple of str
        Known identifiers that the value may be (for a list, its items; for a mapping, its keys); empty if any text is possible.
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
    """Return the fields of a class of records: Python name of each field -> its declaration."""
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
