"""Read records and paged lists from servers that limit, repeat, move or miscount rows.

The number of rows that a server states for a list (`total`) may be wrong. So pages are read until one has no new rows; then the
stated number is compared with the number of rows received. A list of one page with the stated number of rows is complete. Any
other list is read up to four times, until two successive readings have the same identifiers, and the first of the two has the
stated number of rows, or ends with an empty page and repeats no row. A row that was in the list all the time is then not lost. If
rows may be missing, this is reported; all rows that were read are kept. A list of rows without identifiers may also end in other
ways: by a page shorter than the limit, by a refusal, or by a page that only repeats rows. Two such readings that are equal count
as complete.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from pydantic import AliasChoices, AliasPath, BaseModel, Field, ValidationError

from riskanalytics.errors import InvalidAnswer, ServiceError
from riskanalytics.text.untrusted import visible_line

from .answers import Answer

Json = dict[str, object]
Query = dict[str, str | int]
Ask = Callable[[Query], object]
"""Requests one page: query -> JSON."""

PAGE: Final = 500
"""Number of rows to request for each page."""
MOST_ROWS: Final = 100_000
"""Maximum number of rows, for servers whose lists do not end."""


class Problem(NamedTuple):
    """Something that a server did not give, or that could not be read.

    Parameters
    ----------
    slug : str or None
        Affected platform; None if all are affected, or it is not known.
    what : str
        The problem, in one sentence.
    where : str
        Requested path, with the day if any.
    """

    slug: str | None
    what: str
    where: str


class Problems(dict[Problem, None]):
    """The problems of a client's requests: a dict whose keys are the problems, and whose values are None.

    It has only the newest problems of each address (requested path, with the day if any): when the address is read again, its
    new problems replace the old ones.
    """

    def begin(self, where: str) -> None:
        """Remove the problems of the requested path `where` (with the day if any), because it is about to be read again."""
        for problem in [problem for problem in list(self) if problem.where == where]:
            del self[problem]

    def add(self, what: str, where: str, slug: str | None = None) -> None:
        """Add a problem, unless it is already there; the parameters are the fields of `Problem`."""
        self[Problem(slug, what, where)] = None


class Page(BaseModel):
    """A page of a list. Its fields may also have other common names, such as `items` for `data`.

    Parameters
    ----------
    data : list
        Rows of the page.
    total : object
        Number of rows in the whole list, as the server claims.
    limit : object
        Page size that the server claims to have applied.
    """

    data: list[Any] = Field(validation_alias=AliasChoices("data", "items", "results", "platforms", "changes"))
    total: Any = Field(None, validation_alias=AliasChoices("total", "count", AliasPath("meta", "total")))
    limit: Any = None


def _count(value: object) -> int:
    """Return a value that is a count, else -1."""
    return value if type(value) is int and 0 <= value <= 1_000_000 else -1


def queried(**named: object) -> Query:
    """Return the arguments that are not None as the query of a request: name -> value as text."""
    return {name: str(value) for name, value in named.items() if value is not None}


def record_of(answer: Answer, day: date | None = None, slug: str | None = None) -> Json:
    """Return the JSON object of an answer, after checking that it is of the requested day and platform.

    Parameters
    ----------
    answer : Answer
    day : date, optional
        Requested day. By default, the day is not checked.
    slug : str, optional
        Requested platform; the returned object has it as `slug`. By default, the platform is not checked.

    Raises
    ------
    ServiceError
        If the answer is not a JSON object, or is of another day or platform: a quote must not appear under a wrong name.
    """
    record = answer.json()
    if not isinstance(record, dict):
        raise InvalidAnswer(f"{answer.path} returned no JSON object")
    check_day(record, day, answer.path)
    if slug is not None:
        # it may be an address
        named = record.get("slug") or record.get("id")
        if isinstance(named, str) and named.rstrip("/").rpartition("/")[2].casefold() != slug.casefold():
            said = f"{answer.path} returned the record of another platform: {visible_line(named[:80])!r}"
            raise InvalidAnswer(said, status=200)
        record["slug"] = slug
    return record


def check_day(answer: object, day: date | None, path: str) -> None:
    """Raise a `ServiceError` if a day was requested, but the answer does not repeat this day as its `as_of`.

    Servers that ignore the requested day return such answers, with today's state.

    Parameters
    ----------
    answer : object
        JSON of the answer.
    day : date or None
        Requested day; None if no day was requested.
    path : str
        Path of the request, for the message.
    """
    if day is not None and (not isinstance(answer, dict) or answer.get("as_of") != str(day)):
        raise ServiceError(f"{path}: the server has no data for {day}", status=200)


def segment(text: str) -> str:
    """Return a slug or hash, quoted for URLs, as a segment of a path; raise a `ServiceError` if the text cannot be one."""
    if not text or text in (".", "..") or len(text) > 200 or not text.isprintable():
        raise ServiceError(f"{visible_line(text[:60])!r} is not a slug: a slug is a short name such as 'claude-ai'")
    return quote(text, safe="")


@dataclass
class Reading:
    """One reading of all pages of a list.

    Parameters
    ----------
    limit : int
        Requested page size, or the smaller one that the server claims to have applied.
    named : bool
        Whether each row must have its own `id`. If False, rows are identified by a hash of all their values: the `id` of a
        change may be that of its platform.
    rows : dict
        Identifier -> row, as last read.
    claims : list of int
        Number of rows in the whole list, as each page claims; -1 for a page without such a number.
    sentences : dict
        Sentence on what could not be read -> slug of the platform, or None.
    pages : int
        Number of pages with new rows.
    passed : int
        Number of rows that were left out, because they cannot be read or repeat a row of the same page.
    size : int
        Number of rows of the longest page.
    repeated : bool
        Whether a row was on two pages.
    mixed : bool
        Whether a page had both new rows and rows of earlier pages.
    ended : bool
        Whether the list ended with an empty page.
    filled : bool
        Whether the maximum number of rows (`Listing.most`) was reached.
    """

    limit: int
    named: bool
    rows: dict[str, Json] = field(default_factory=dict)
    claims: list[int] = field(default_factory=list)
    sentences: dict[str, str | None] = field(default_factory=dict)
    pages: int = 0
    passed: int = 0
    size: int = 0
    repeated: bool = False
    mixed: bool = False
    ended: bool = False
    filled: bool = False

    @property
    def counted(self) -> bool:
        """Whether the pages claimed the right number of rows: each claimed the same number, and as many rows were received.

        Rows that were left out (`passed`) may be included in the claimed number or not.
        """
        return len(set(self.claims)) == 1 and self.claims[0] in (len(self.rows), len(self.rows) + self.passed)

    @property
    def claimed_more(self) -> bool:
        """Whether the last page claimed that the list has more rows than were received."""
        return self.claims[-1] > len(self.rows) + self.passed

    @property
    def capped(self) -> bool:
        """Whether rows may be missing: the server claims more rows, or a page was full and no empty page ended the list.

        A page is full if it has as many rows as `limit`; or if its number of rows is a multiple of 10 or 25, and the pages did
        not claim the right number of rows (`counted`).
        """
        round_size = self.size > 0 and 0 in (self.size % 10, self.size % 25)
        full = self.size >= self.limit or (round_size and not self.counted)
        return self.claimed_more or (full and not self.ended)

    def take(self, page: Page) -> bool:
        """Add the rows of a page, and return whether any was new."""
        fresh: dict[str, Json] = {}
        for row in page.data:
            record = row if isinstance(row, dict) else {}
            key = record.get("id") if self.named else record and _hashed(record)
            if not isinstance(key, str) or not key.strip():
                name = f" ({record['name']!r:.80})" if record.get("name") else ""
                what = (
                    "without an 'id'" if self.named and isinstance(row, dict) else "that are empty or not JSON objects"
                )
                self.sentences[f"the list has rows {what}{name}: they cannot be read"] = None
                continue
            if key in fresh and fresh[key].get("rating") != record.get("rating"):
                self.sentences[f"{key[:80]} is on one page twice with different ratings: the last is used"] = key
            fresh[key] = record
        new = not fresh.keys() <= self.rows.keys()
        repeats = not fresh.keys().isdisjoint(self.rows)
        self.repeated |= repeats
        self.mixed |= new and repeats
        self.claims.append(_count(page.total))
        if (limit := _count(page.limit)) > 0:
            self.limit = min(self.limit, limit)
        self.pages += new
        self.passed += (len(page.data) - len(fresh)) * (new or not self.pages)
        self.size = max(self.size, len(fresh))
        self.ended |= not page.data
        self.rows |= fresh
        return new


class Listing(NamedTuple):
    """A list that is read page by page.

    Parameters
    ----------
    ask : callable
        Requests one page: takes its query (`limit`, `offset`), and returns the JSON of the answer.
    path : str
        Path of the list, for error messages.
    named : bool
        Whether each row must have its own `id`, as for `Reading`.
    size : int
        Number of rows to request for each page; fewer are requested if the server refuses so many.
    most : int
        Maximum number of rows.
    """

    ask: Ask
    path: str
    named: bool = False
    size: int = PAGE
    most: int = MOST_ROWS

    def read_named(self, where: str, problems: Problems) -> list[Json]:
        """Return all rows of a list in which each row has an `id`, and `total` is the number of rows.

        Parameters
        ----------
        where : str
            Address of the list, with the requested day if any.
        problems : Problems
            Gets what could not be read, and why rows may be missing.

        Raises
        ------
        InvalidAnswer
            If the answer is not a list.
        """
        problems.begin(where)
        reading = self._replace(named=True).read_steadily()
        said, count = "", f"{len(reading.rows):,}"
        if reading.claimed_more:
            said = f"the list claims {reading.claims[-1]:,} rows but gave {count}: some may be missing"
        elif reading.filled:
            said = f"the list does not end: the first {count} rows are read"
        elif not reading.ended and not reading.counted:
            said = f"neither the end of the list nor its length is known: rows after the first {count} may be missing"
        if said:
            reading.sentences[said] = None
        for sentence, slug in reading.sentences.items():
            problems.add(sentence, where, slug)
        return list(reading.rows.values())

    def read_steadily(self) -> Reading:
        """Read the list; if rows may have moved, read it again until two readings are equal, four times at most.

        Returns
        -------
        Reading
            The first reading that is complete, has the maximum number of rows, or has the same identifiers as the reading before
            it (the docstring of the module gives the exact conditions); otherwise the fourth. If the rows changed up to the
            fourth, or its pages repeated rows, its `sentences` say so. If rows must have an `id` (`named`), the
            rows that only earlier readings had are added to the fourth. Rows without an `id` are not added: a row that was
            corrected meanwhile would then be there twice.
        """
        before, rows, same = Reading(self.size, self.named), dict[str, Json](), False
        for _ in range(4):
            reading = self.read()
            at_one_moment = reading.counted or (not self.named and reading.size < reading.limit)
            if reading.filled or (reading.pages <= 1 and at_one_moment and not reading.repeated):
                return reading
            same = bool(before.claims) and before.rows.keys() == reading.rows.keys()
            if same and self._shows_all(before, reading):
                return reading
            rows |= reading.rows
            before = reading
        if not same:
            reading.sentences[f"{self.path} changed while it was read: a row may be missing"] = None
        elif reading.mixed or not self.named:
            reading.sentences[f"{self.path} repeats rows on its pages: a row may be missing"] = None
        return replace(reading, rows=rows) if self.named else reading

    def _shows_all(self, first: Reading, second: Reading) -> bool:
        """Return whether two readings with the same rows have each row that was in the list all the time."""
        if first.counted or (not first.repeated and (first.ended or not self.named)):
            return True
        return not self.named and second.repeated and not (first.mixed or second.mixed)

    def read(self) -> Reading:
        """Read the pages of the list once, until one has no new rows; return the rows, and counts of rows and pages."""
        try:
            answer = self.ask({"limit": self.size})
        except ServiceError as error:
            smaller = next((less for less in (100, 25) if less < self.size), 0)
            if error.status not in (400, 422) or not smaller:
                raise
            return self._replace(size=smaller).read()
        reading, offset = Reading(self.size, self.named), 0
        while True:
            try:
                page = Page.model_validate({"data": answer} if isinstance(answer, list) else answer)
            except ValidationError:
                raise InvalidAnswer(f"{self.path} returned no list under 'data'") from None
            new = reading.take(page)
            reading.filled = len(reading.rows) >= self.most
            if not new or reading.filled:
                return reading
            offset += sum(isinstance(row, dict) for row in page.data)
            try:
                answer = self.ask({"limit": self.size, "offset": offset})
            except ServiceError as error:
                # past the end
                if error.status not in (400, 404, 416, 422):
                    raise
                return reading


def _hashed(row: Json) -> str:
    """Return a hash of all values of a row."""
    return sha256(json.dumps(row, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()
