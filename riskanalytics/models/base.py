"""What records of the wire are made of: told without fail, told sometimes, words of open sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from riskanalytics.models.words import (
    CHANGE_CLASSES,
    DOCUMENT_STATE_NAMES,
    RATINGS,
    STANCES,
    SURFACE_STATES,
    UNRATED,
    VERIFICATION_STATUSES,
    VERIFICATIONS,
)
from riskanalytics.surfaces import SURFACES


class Record(BaseModel):
    """Base of all records: frozen, unknown fields kept, no closed sets.

    What our service tells is declared; what another one leaves out is read as None.
    """

    model_config = ConfigDict(extra="allow", frozen=True, json_schema_serialization_defaults_required=True)


T = TypeVar("T")

if TYPE_CHECKING:
    Told = Annotated[T, ...]
else:
    Told = Annotated[T | SkipJsonSchema[None], Field(default=None)]
"""A field that our service always tells and that is never null there."""


def _is_none(value: object) -> bool:
    return value is None


Sometimes = Annotated[T | SkipJsonSchema[None], Field(default=None, exclude_if=_is_none)]
"""A field that is there only where it was asked for, or for some keys; it needs the default None."""


@dataclass(frozen=True)
class Known:
    """The words that are known so far of an open set.

    Parameters
    ----------
    words : tuple of str
    """

    words: tuple[str, ...]


@dataclass(frozen=True)
class Timed:
    """Marks a text as a day or a time: ISO 8601, UTC."""


Time = Annotated[str, Timed()]
Level = Annotated[str, Known(RATINGS)]
Rating = Annotated[str, Known((*RATINGS, UNRATED))]
Surface = Annotated[str, Known(SURFACES)]
Stance = Annotated[str, Known(STANCES)]
Verification = Annotated[str, Known(VERIFICATIONS)]
VerificationStatus = Annotated[str, Known(VERIFICATION_STATUSES)]
Polarity = Annotated[str, Known(("raises_risk", "mitigates_risk", "neutral"))]
Actor = Annotated[str, Known(("vendor", "user", "third_party"))]
SurfaceState = Annotated[str, Known(SURFACE_STATES)]
DocumentState = Annotated[str, Known(tuple(DOCUMENT_STATE_NAMES))]
KindOfChange = Annotated[str, Known(CHANGE_CLASSES)]
Direction = Annotated[str, Known(("up", "down", "mixed", "unclear", "none"))]
