"""Values of a page as JSON, in which they travel in the outputs of a notebook."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from riskanalytics.errors import ReportError
from riskanalytics.pages.matrix import Matrix
from riskanalytics.pages.values import (
    PAGE_TYPE,
    Command,
    Figure,
    Fold,
    Foreign,
    Group,
    Heading,
    Level,
    Link,
    Listing,
    Pair,
    Paragraph,
    Parts,
    Quote,
    Table,
    Text,
)

_KINDS: Final = frozenset({
    Text, Level, Link, Heading, Paragraph, Quote, Table, Fold, Group, Pair, Listing, Command, Figure, Matrix, Foreign
})  # fmt: skip


def encode(value: Any) -> Any:
    """Return a value as JSON: objects that tell their `kind` and what is not usual about them.

    Parameters
    ----------
    value : Part, Words or a tuple of them

    Returns
    -------
    JSON value
        `decode` reads it.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    if not is_dataclass(value):
        return value
    kind: type[Any] = type(value)
    told: dict[str, Any] = {"kind": kind.__name__.lower()} if kind in _KINDS else {}
    for name, usual in _usual(kind):
        own = getattr(value, name)
        if own != usual:
            told[name] = encode(own)
    return told


def _usual(kind: type[Any]) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a kind of value, each with its default."""
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple((one.name, one.default) for one in fields(kind))
    return _FIELDS[kind]


_FIELDS: Final[dict[type[Any], tuple[tuple[str, Any], ...]]] = {}


@cache
def _adapter() -> TypeAdapter[Parts]:
    """Return what reads parts from JSON."""
    return TypeAdapter(Parts)


def decode(told: Any) -> Parts:
    """Return the parts that `encode` made JSON of.

    Parameters
    ----------
    told : JSON value
        From a notebook: checked, for anybody may have written it.

    Returns
    -------
    tuple of Part

    Raises
    ------
    ReportError
        If it is anything else.
    """
    try:
        return _adapter().validate_python(told)
    except (ValidationError, RecursionError) as error:
        raise ReportError(f"an output of media type {PAGE_TYPE} is not readable: run the notebook again") from error
