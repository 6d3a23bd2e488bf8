"""What requests ask: query parameters as models, which refuse what they do not know."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Final

from fastapi import Query, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from riskanalytics.models import ChangeClass
from riskanalytics.service.door.problems import Problem

MOST_ROWS: Final = 500
_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _whole(text: str) -> str:
    if not _NUMBER.fullmatch(text):
        raise ValueError("is a whole number")
    return text


def _dated(text: str) -> str:
    if not _DAY.fullmatch(text):
        raise ValueError("is a date like 2026-01-31")
    return text


Whole = BeforeValidator(_whole)
Day = Annotated[date, BeforeValidator(_dated)] | SkipJsonSchema[None]


class Asked(BaseModel):
    """Base of all queries, and the query of routes that take none."""

    model_config = ConfigDict(extra="forbid", frozen=True, regex_engine="python-re")


class Dated(Asked):
    """The state at the end of a day."""

    as_of: Day = None


class Page(Asked):
    """A part of a list."""

    limit: Annotated[int, Field(ge=1, le=MOST_ROWS), Whole] = 50
    offset: Annotated[int, Field(ge=0, le=999_999_999), Whole] = 0


class DatedPage(Dated, Page):
    """A part of a list at the end of a day."""


class NameQuery(Page):
    """A search by names."""

    q: Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]


class ClauseQuery(NameQuery):
    """A search by words."""

    surface: Annotated[str, Field(max_length=80)] | SkipJsonSchema[None] = None


class ChangeQuery(Page):
    """Changes of some days, of one class."""

    since: Day = None
    until: Day = None
    change_class: Annotated[ChangeClass | SkipJsonSchema[None], Field(alias="class")] = None


async def each_once(request: Request) -> None:
    """Refuse a query that gives a parameter twice: one of them would be passed over."""
    names = [name for name, _ in request.query_params.multi_items()]
    if len(set(names)) < len(names):
        raise Problem(400, "A query parameter was given more than once.")


async def no_query(_: Annotated[Asked, Query()]) -> None:
    """Refuse all query parameters."""
