"""Several addresses asked at once, what one answer must be, and what stands in an address."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

from riskanalytics._http import Answer, Connection
from riskanalytics.asked import DayLike, as_day
from riskanalytics.client.layouts import Json, of_platform
from riskanalytics.client.walk import Query
from riskanalytics.errors import InvalidAnswer, ServiceError

MOST_OF_RECORD: Final = 4 * 1024 * 1024
"""Bytes of one platform's record."""
MOST_OF_TEXT: Final = 8 * 1024 * 1024
"""Bytes of one snapshot, where several are asked for at once."""


def each_answer(
    connection: Connection, base: str, names: Sequence[str], asked: Query, **how: Any
) -> Iterator[tuple[str, Answer | ServiceError]]:
    """Give the answer to each name below an address, or why there is none; `how` as `Connection.get_each` takes it."""
    paths: dict[str, str] = {}
    for name in dict.fromkeys(names):
        try:
            paths[f"{base}{segment(name)}"] = name
        except ServiceError as error:
            yield name, error
    for path, answer in connection.get_each(list(paths), asked, **how):
        yield paths[path], answer


def each_record(
    connection: Connection, base: str, slugs: Sequence[str], as_of: DayLike | None, ends: float, *, keyed: bool = False
) -> Iterator[tuple[str, Json | ServiceError]]:
    """Give the record of each platform below an address, or why there is none, until a moment of the monotonic clock."""
    how = {"within": max(0.0, ends - time.monotonic()), "keyed": keyed, "most": MOST_OF_RECORD}
    for slug, answer in each_answer(connection, base, slugs, day_asked(as_of), **how):
        try:
            if isinstance(answer, ServiceError):
                raise answer
            yield slug, record_of(answer, as_of, slug)
        except ServiceError as error:
            yield slug, error


def record_of(answer: Answer, as_of: DayLike | None = None, slug: str | None = None) -> Json:
    """Return the one JSON object of a day, and of a platform, that was asked for; the answer is kept then.

    Raises
    ------
    ServiceError
        If it is another.
    """
    record = object_of(answer)
    check_day(record, as_of, answer.path)
    if slug is not None:
        record = of_platform(record, slug, answer.path)
    answer.keep()
    return record


def day_asked(as_of: DayLike | None) -> Query:
    """Return the query of a past day."""
    day = as_day(as_of)
    return {} if day is None else {"as_of": day.isoformat()}


def check_day(answer: object, as_of: DayLike | None, path: str) -> None:
    """Refuse an answer that does not echo the day asked for: it would be today's under another name."""
    day = as_day(as_of)
    told = answer.get("as_of") if isinstance(answer, dict) else None
    if day is not None and told != day.isoformat():
        raise ServiceError(f"{path}: the server does not tell the state of {day}: not known", status=200, path=path)


def object_of(answer: Answer) -> Json:
    """Return an answer that is one JSON object."""
    record = answer.json()
    if not isinstance(record, dict):
        raise InvalidAnswer(f"{answer.path} answered no JSON object", path=answer.path)
    return record


def segment(text: str) -> str:
    """Return a text as one segment of a path; refuse what cannot be one."""
    if not text or text in (".", "..") or len(text) > 200 or not text.isprintable():
        raise ServiceError("a slug is a short name such as 'claude-ai'", status=0)
    return quote(text, safe="")
