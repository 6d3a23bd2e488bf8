"""What one response holds, and the problems met while reading it.

The list envelope (specification section 2.1), the record of a platform, the state of a day.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, NamedTuple
from urllib.parse import quote

from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from riskanalytics.client.http import Answer
from riskanalytics.errors import InvalidAnswer, ServiceError
from riskanalytics.text.arguments import DayLike, as_day
from riskanalytics.text.untrusted import visible_line

MOST: Final = 1_000
"""Problems of one address that are told one by one."""


class Problem(NamedTuple):
    """Something that a server did not give, or that could not be read.

    Parameters
    ----------
    slug : str or None
        Platform that it costs; None where it concerns all, or nobody can say which.
    what : str
        One sentence.
    where : str
        Path that was asked, with the day where one was asked for.
    """

    slug: str | None
    what: str
    where: str


class Problems:
    """What the newest reading of each address met; an address that is read again begins anew."""

    def __init__(self) -> None:
        self._met: dict[str, dict[Problem, None]] = {}

    def __iter__(self) -> Iterator[Problem]:
        return iter([problem for met in list(self._met.values()) for problem in list(met)])

    def begin(self, where: str) -> None:
        """Forget what an earlier reading of an address met."""
        self._met.pop(where, None)

    def add(self, what: str, where: str, slug: str | None = None) -> None:
        """Keep a problem, each once; of one address 1,000, and that there are more."""
        met = self._met.setdefault(where, {})
        told = len(met) < MOST
        met[
            Problem(slug if told else None, what if told else f"more than {MOST:,} problems: not all are told", where)
        ] = None


Json = dict[str, object]
Query = dict[str, str | int]

_LISTS: Final = ("data", "items", "results", "records", "platforms", "changes", "clauses", "findings")
_TOTALS: Final = ("total", "total_count", "totalCount", "count")
_SLUGS: Final = (
    "slug",
    AliasPath("data", "slug"),
    AliasPath("platform", "slug"),
    AliasPath("data", "platform", "slug"),
    AliasPath("data", "platform", "id"),
    "id",
)
"""Where a record names its platform: an `id` beside a slug may be that of the request."""


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> Any:
    """Return None for a value that cannot be read."""
    try:
        return read(value)
    except ValidationError:
        return None


_Count = Annotated[int | None, Field(ge=0, le=1_000_000), WrapValidator(_or_none)]


class Page(BaseModel):
    """A page of a list, under the specification's names or likely others.

    Parameters
    ----------
    data : list
        Its rows.
    total : int or None
        How many rows there are, as it claims.
    limit : int or None
        Page size that it says it applied.
    """

    data: list[Any] = Field(validation_alias=AliasChoices(*_LISTS))
    total: _Count = Field(
        None, validation_alias=AliasChoices(*_TOTALS, AliasPath("meta", "total"), AliasPath("pagination", "total"))
    )
    limit: _Count = None


class _Named(BaseModel):
    slug: Annotated[str | None, WrapValidator(_or_none)] = Field(None, validation_alias=AliasChoices(*_SLUGS))


def page_of(answer: object, path: str) -> Page:
    """Return an answer as a page of a list; one that is only rows is one too.

    Raises
    ------
    InvalidAnswer
        If it holds no list.
    """
    try:
        return Page.model_validate({"data": answer} if isinstance(answer, list) else answer)
    except ValidationError:
        raise InvalidAnswer(f"{path} answered no list under 'data'", path=path) from None


def record_of(answer: Answer, as_of: DayLike | None = None, slug: str | None = None) -> Json:
    """Return the one JSON object of a day, and of a platform, that was asked for, and keep the answer.

    Raises
    ------
    ServiceError
        If it is another: words of another platform must not appear under this one's name.
    """
    record = object_of(answer)
    check_day(record, as_of, answer.path)
    if slug is not None:
        named = _Named.model_validate(record).slug
        if named is not None and named.rstrip("/").rpartition("/")[2].casefold() != slug.casefold():  # or an address
            said = f"{answer.path} answered the record of another platform: {visible_line(named[:80])!r}"
            raise InvalidAnswer(said, status=200, path=answer.path)
        record["slug"] = slug
    answer.keep()
    return record


def object_of(answer: Answer) -> Json:
    """Return an answer that is one JSON object."""
    record = answer.json()
    if not isinstance(record, dict):
        raise InvalidAnswer(f"{answer.path} answered no JSON object", path=answer.path)
    return record


def day_asked(as_of: DayLike | None) -> Query:
    """Return the query of a past day."""
    day = as_day(as_of)
    return {} if day is None else {"as_of": day.isoformat()}


def check_day(answer: object, as_of: DayLike | None, path: str) -> None:
    """Refuse an answer that does not echo the day asked for: it would be today's under another name."""
    day = as_day(as_of)
    echoed = answer.get("as_of") if isinstance(answer, dict) else None
    if day is not None and echoed != day.isoformat():
        raise ServiceError(f"{path}: the server does not tell the state of {day}: not known", status=200, path=path)


def segment(text: str) -> str:
    """Return a text as one segment of a path; refuse what cannot be one."""
    if not text or text in (".", "..") or len(text) > 200 or not text.isprintable():
        raise ServiceError("a slug is a short name such as 'claude-ai'", status=0)
    return quote(text, safe="")
