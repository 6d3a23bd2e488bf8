"""Values of a page as JSON, in which they travel in the outputs of a notebook."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Final

from pydantic import TypeAdapter, ValidationError

from riskanalytics.errors import ReportError
from riskanalytics.pages.matrix import Cell, MatrixRow
from riskanalytics.pages.values import PAGE_TYPE, Choice, Column, Evidence, Parts, Row

_PLAIN: Final = frozenset({Cell, Choice, Column, Evidence, MatrixRow, Row})
"""Objects that stand in one place only: their kind need not be told."""


def encode(value: object) -> object:
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
    kind: type = type(value)
    told: dict[str, object] = {} if kind in _PLAIN else {"kind": kind.__name__.lower()}
    for name, usual in _usual(kind):
        own = getattr(value, name)
        if own != usual:
            told[name] = encode(own)
    return told


@cache
def _usual(kind: type) -> tuple[tuple[str, object], ...]:
    """Return the fields of a kind of value, each with its default."""
    return tuple((field.name, field.default) for field in fields(kind))


@cache
def _adapter() -> TypeAdapter[Parts]:
    """Return what reads parts from JSON."""
    return TypeAdapter(Parts)


def decode(told: object) -> Parts:
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
