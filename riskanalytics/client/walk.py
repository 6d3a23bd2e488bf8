"""Lists read by pages, from servers that cap, repeat, move and miscount.

What a list says of its length (`total`) is a claim. It is compared with what came, and never ends a walk: a walk goes on
to a page that brings nothing new. A list that took one page, and as many rows as it claims, is what it was at one
moment, unless a further page gave some of them again: then it may have moved, and the claim may count the page. Any
other is read again until two readings in a row hold the same identifiers, and the first of them none twice: then nothing
is lost that was there throughout. (It ended at an empty page, so there were no more rows than it had read; all of them
were still there in the second; so there was nothing else.)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from riskanalytics.client.layouts import Json, rows_of, told_limit, told_total
from riskanalytics.client.problems import Problems
from riskanalytics.errors import InvalidAnswer, ServiceError

PAGE: Final = 500
"""Rows asked for at once."""
MOST_ROWS: Final = 100_000
"""Of one walk; a server that never ends is stopped here."""
READINGS: Final = 4
"""Of a list that keeps moving."""
_IDLE: Final = 2
"""Pages without anything new, where the list claims that there is more."""
_SIZES: Final = (100, 25)
"""Page sizes that are tried where a server refuses the first."""
_REFUSED: Final = frozenset({400, 422})
_PAST_THE_END: Final = frozenset({400, 404, 416, 422})

Query = dict[str, str | int]
Ask = Callable[[Query], object]
"""Asks for one page: query -> the JSON that came."""


@dataclass
class Reading:
    """One walk through all pages of a list.

    Parameters
    ----------
    rows : dict
        Identifier -> record, as it was last read.
    pages : int
        Pages with rows.
    claims : list of int or None
        How many rows there are, as each page said.
    repeated : bool
        Whether a row came on two pages.
    ended : bool
        Whether the list itself said that it ends, with an empty page.
    passed : int
        Rows that cannot be read, or stand twice on their page.
    size : int
        Rows of the longest page.
    limit : int
        Page size that was asked for, or that the list says it applied where that is less.
    filled : bool
        Whether there are as many rows as were wanted.
    sentences : dict
        What could not be read -> its slug, or None.
    """

    rows: dict[str, Json] = field(default_factory=dict)
    pages: int = 0
    claims: list[int | None] = field(default_factory=list)
    repeated: bool = False
    ended: bool = False
    passed: int = 0
    size: int = 0
    limit: int = PAGE
    filled: bool = False
    sentences: dict[str, str | None] = field(default_factory=dict)

    @property
    def at_one_moment(self) -> bool:
        """Whether one page gave all that the list claims, and no other gave them again."""
        return self.pages <= 1 and self.counted and not self.repeated

    @property
    def counted(self) -> bool:
        """Whether each page said that there are as many rows as came, with or without those that cannot be read."""
        return len(set(self.claims)) == 1 and self.claims[0] in (len(self.rows), len(self.rows) + self.passed)

    @property
    def claimed_more(self) -> bool:
        """Whether the last page said that there are more rows than came."""
        return (self.claims[-1] or 0) > len(self.rows) + self.passed

    @property
    def capped(self) -> bool:
        """Whether rows may be missing: more are claimed, or the list ends only because a full page does.

        A page is full at its limit, or at any round size that the list does not give as its count.
        """
        round_size = self.size > 0 and (self.size % 10 == 0 or self.size % 25 == 0)
        full = self.size >= self.limit or (round_size and not self.counted)
        return self.claimed_more or (full and not self.ended)


def walk_all(ask: Ask, path: str, where: str, problems: Problems) -> list[Json]:
    """Return all rows of a list whose rows have an `id` and whose `total` counts them; none that stayed is lost.

    Parameters
    ----------
    ask : callable
    path : str
        For errors.
    where : str
        For problems.
    problems : Problems
        What could not be read is added.

    Raises
    ------
    InvalidAnswer
        If it is no list, or it claims more rows than it gives.
    """
    problems.begin(where)
    rows: dict[str, Json] = {}
    before: Reading | None = None
    for _ in range(READINGS):
        reading = read_pages(ask, path, named=True)
        if reading.at_one_moment or (before is not None and _confirmed(before, reading)):
            rows = reading.rows
            break
        before = reading
        rows |= reading.rows
    else:
        if reading.pages > 1:
            problems.add(f"the list changed while it was read, {READINGS} times: a platform may be missing", where)
    for sentence, slug in reading.sentences.items():
        problems.add(sentence, where, slug)
    _judge(reading, len(rows), path, where, problems)
    return list(rows.values())


def _confirmed(first: Reading, second: Reading) -> bool:
    """Say whether a second reading shows that the first lost nothing."""
    whole = first.counted or (first.ended and not first.repeated)
    return whole and first.rows.keys() == second.rows.keys()


def _judge(reading: Reading, count: int, path: str, where: str, problems: Problems) -> None:
    """Compare what came with what the list claims."""
    claimed = reading.claims[-1]
    if claimed is not None and claimed > count + reading.passed:
        raise InvalidAnswer(f"{path} named {claimed:,} rows and gave {count:,}: not complete", path=path)
    if claimed is None and not count:
        raise InvalidAnswer(f"{path} gave no rows, and no count that says so", path=path)
    if count >= MOST_ROWS:
        problems.add(f"the list does not end: the first {MOST_ROWS:,} rows are read", where)
    elif claimed not in (count, count + reading.passed) and not reading.ended:
        problems.add(f"no page tells the end of the list, nor its count: there may be more than {count:,}", where)


def read_steadily(ask: Ask, path: str, **how: Any) -> Reading:
    """Read a list by pages, and again where its rows may have moved meanwhile: until two readings hold the same.

    Parameters
    ----------
    ask, path, **how
        As `read_pages` takes them.

    Returns
    -------
    Reading
        The last one, and a sentence that says so where they kept moving. Rows of two readings are never joined: a row
        that was corrected meanwhile, or tells its age, would stand there once for each.
    """
    reading = read_pages(ask, path, **how)
    for _ in range(READINGS - 1):
        on_one_page = reading.pages <= 1 and (reading.size < reading.limit or reading.filled)
        if not reading.repeated and (reading.counted or on_one_page):
            return reading
        before, reading = reading, read_pages(ask, path, **how)
        if before.rows.keys() == reading.rows.keys():
            return reading
    reading.sentences[f"{path} changed while it was read, {READINGS} times: a row may be missing"] = None
    return reading


def read_pages(
    ask: Ask,
    path: str,
    *,
    named: bool = False,
    size: int = PAGE,
    most: int = MOST_ROWS,
    smaller: bool = True,
) -> Reading:
    """Walk through the pages of a list once, until nothing new comes.

    Parameters
    ----------
    ask, path
        As `walk_all` takes them.
    named : bool
        Whether each row must have an `id`; else rows are told apart by all that they hold: an `id` may be that of the
        platform, which has many changes.
    size : int
        Rows to ask for at once.
    most : int
        Rows to stop at.
    smaller : bool
        Whether a page size that is refused is asked for again, smaller.
    """
    reading, idle = Reading(limit=size), 0
    for answer in _pages(ask, size, _SIZES if smaller else ()):
        rows = rows_of(answer)
        if rows is None:
            raise InvalidAnswer(f"{path} answered no list under 'data'", path=path)
        reading.claims.append(told_total(answer))
        reading.limit = min(reading.limit, told_limit(answer) or reading.limit)
        before = len(reading.rows)
        _take(reading, rows, named=named)
        reading.ended |= not rows
        reading.filled = len(reading.rows) >= most
        idle = 0 if len(reading.rows) > before else idle + 1
        if idle > (_IDLE - 1 if reading.claimed_more else 0) or reading.filled:
            break
    return reading


def _take(reading: Reading, rows: list[object], *, named: bool) -> None:
    """Take the rows of a page."""
    fresh: dict[str, Json] = {}
    for row in rows:
        if not isinstance(row, dict) or (identifier := identifier_of(row, named=named)) is None:
            reading.sentences[_unread(row)] = None
            continue
        if identifier in fresh and fresh[identifier].get("rating") != row.get("rating"):
            said = f"{identifier[:80]} stands twice on one page with different ratings: the last is taken"
            reading.sentences[said] = identifier
        fresh[identifier] = row
    reading.repeated |= any(identifier in reading.rows for identifier in fresh)
    if any(identifier not in reading.rows for identifier in fresh):
        reading.pages += 1
        reading.passed += len(rows) - len(fresh)
    reading.size = max(reading.size, len(fresh))
    reading.rows |= fresh


def _unread(row: object) -> str:
    """Say why a row cannot be read."""
    if not isinstance(row, dict):
        return "the list holds rows that are no records"
    name = row.get("name")
    told = f"the platform that it calls {name[:80]!r}" if isinstance(name, str) else "a row"
    return f"{told} has no 'id': it cannot be asked for"


def identifier_of(row: Json, *, named: bool) -> str | None:
    """Return what tells a row from others: its `id` (specification section 2.2), or all that it holds.

    Parameters
    ----------
    row : dict
    named : bool
        Whether it is the `id`; None then where there is none.
    """
    if named:
        identifier = row.get("id")
        return identifier if isinstance(identifier, str) and identifier.strip() else None
    return hashlib.sha256(json.dumps(row, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()


def _pages(ask: Ask, size: int, sizes: Sequence[int]) -> Iterator[object]:
    """Give one page after the other, until one past the first is refused; of the first, a page size may be."""
    answer, size = _first(ask, size, sizes)
    offset, step = 0, 0
    while True:
        yield answer
        count = sum(isinstance(row, dict) for row in rows_of(answer) or ())
        step = max(step, count)
        offset += count or step or size
        try:
            answer = ask({"limit": size, "offset": offset})
        except ServiceError as error:
            if error.status not in _PAST_THE_END:
                raise
            return


def _first(ask: Ask, size: int, sizes: Sequence[int]) -> tuple[object, int]:
    """Return the first page, in the largest size that the server takes, and that size."""
    for less in (*(one for one in sizes if one < size), None):
        try:
            return ask({"limit": size}), size
        except ServiceError as error:
            if error.status not in _REFUSED or less is None:
                raise
            size = less
    raise AssertionError("the last size is answered or raises")
