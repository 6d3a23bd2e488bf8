"""Where answers hold their records: the list envelope (specification section 2.1) and what stands in for it."""

from __future__ import annotations

from typing import Final

from riskanalytics.errors import InvalidAnswer
from riskanalytics.untrusted import visible_line

Json = dict[str, object]

_LISTS: Final = (
    "data",
    "items",
    "results",
    "records",
    "platforms",
    "changes",
    "clauses",
    "findings",
    "hits",
    "matches",
)
"""Names under which servers give the rows of a list, the specification's first."""
_TOTALS: Final = ("total", "total_count", "count", "totalCount")
_AROUND: Final = ("data", "result", "response", "payload", "meta", "pagination", "paging", "page")
"""Names of what servers put around a list, or beside it around its counts."""
MOST_COUNTED: Final = 1_000_000
"""A count above is no count of platforms."""


def rows_of(answer: object) -> list[object] | None:
    """Return the rows of a list, whatever holds them; None where the answer holds no list.

    Parameters
    ----------
    answer : object
        JSON: the envelope, one with the list under another name or one level deeper, or the rows alone.
    """
    if isinstance(answer, list):
        return answer
    if not isinstance(answer, dict):
        return None
    for inside in (answer, *(answer[name] for name in _AROUND if isinstance(answer.get(name), dict))):
        for name in _LISTS:
            if isinstance(inside.get(name), list):
                return inside[name]  # type: ignore[no-any-return]
    lists = [
        value for value in answer.values() if isinstance(value, list) and any(isinstance(row, dict) for row in value)
    ]
    return lists[0] if len(lists) == 1 else None


def of_platform(answer: Json, slug: str, path: str) -> Json:
    """Return the record of a platform with its `slug`; refuse the record of another.

    Slugs decide, at any level, and ids only where no slug is told: an `id` may be that of the request.

    Parameters
    ----------
    answer : dict
        As it came.
    slug, path : str
        What was asked for, and where.

    Raises
    ------
    InvalidAnswer
        If the record names another platform: its words must not stand under this one's name.
    """
    inside = [answer]
    for level in inside:  # grows as it goes, the outermost first
        inside += [part for name in (*_AROUND, "platform") if isinstance(part := level.get(name), dict)]
    slugs, ids = ([told for part in inside if isinstance(told := part.get(name), str)] for name in ("slug", "id"))
    told = slugs or ids
    own = [name.rstrip("/").rpartition("/")[2].casefold() == slug.casefold() for name in told]  # or an address
    if told and (not any(own) or (isinstance(answer.get("slug"), str) and not own[0])):
        raise InvalidAnswer(
            f"{path} answered the record of another platform: {visible_line(told[0][:80])!r}", status=200, path=path
        )
    return {**answer, "slug": slug}


def told_total(answer: object) -> int | None:
    """Return how many rows a list says that there are; None where it says no sane count.

    Parameters
    ----------
    answer : object
        As `rows_of` takes it. A count in digits is read as one.
    """
    if not isinstance(answer, dict):
        return None
    for inside in (answer, *(answer[name] for name in _AROUND if isinstance(answer.get(name), dict))):
        for name in _TOTALS:
            if name in inside:
                return _count(inside[name])
    return None


def told_limit(answer: object) -> int | None:
    """Return the page size that a list says it applied; None where it says none."""
    return _count(answer.get("limit")) if isinstance(answer, dict) else None


def _count(value: object) -> int | None:
    """Return a count where the value is a sane one."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    sane = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_COUNTED
    return value if sane else None  # type: ignore[return-value]
