"""What responses hold: one record, or a list by pages, from servers that cap, repeat, move and miscount.

What a list says of its length (`total`) is a claim. It is compared with what came, and never ends a walk: a walk goes on
to a page that brings nothing new. A list of one page, with as many rows as it claims, is as it was at one moment. Any other
is read again until two readings in a row hold the same identifiers, of which the first is as long as it claims, or ended at
an empty page without a row that came twice: then nothing that was there throughout is lost. Doubt is named, and what was
read is kept.
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
"""Asks for one page: query -> JSON."""

PAGE: Final = 500
"""Rows asked for at once."""
MOST_ROWS: Final = 100_000
"""Of one walk; a server that never ends is stopped here."""


class Problem(NamedTuple):
    """Something that a server did not give, or that could not be read.

    Parameters
    ----------
    slug : str or None
        Platform that it costs; None where it concerns all, or nobody knows which.
    what : str
        One sentence.
    where : str
        Path that was asked, with the day where one was asked for.
    """

    slug: str | None
    what: str
    where: str


class Problems(dict[Problem, None]):
    """What the newest reading of each address met; an address that is read again begins anew."""

    def begin(self, where: str) -> None:
        """Forget what an earlier reading of an address met."""
        for problem in [problem for problem in list(self) if problem.where == where]:
            del self[problem]

    def add(self, what: str, where: str, slug: str | None = None) -> None:
        """Keep a problem, each once."""
        self[Problem(slug, what, where)] = None


class Page(BaseModel):
    """A page of a list, under the specification's names or likely others.

    Parameters
    ----------
    data : list
        Its rows.
    total : object
        How many rows there are, as it claims.
    limit : object
        Page size that it says it applied.
    """

    data: list[Any] = Field(validation_alias=AliasChoices("data", "items", "results", "platforms", "changes"))
    total: Any = Field(None, validation_alias=AliasChoices("total", "count", AliasPath("meta", "total")))
    limit: Any = None


def _count(value: object) -> int:
    """Return a value that is a count, else -1."""
    return value if type(value) is int and 0 <= value <= 1_000_000 else -1


def queried(**named: object) -> Query:
    """Return a query of what is given."""
    return {name: str(value) for name, value in named.items() if value is not None}


def record_of(answer: Answer, day: date | None = None, slug: str | None = None) -> Json:
    """Return the one JSON object of a day, and of a platform, that was asked for.

    Raises
    ------
    ServiceError
        If it is another: words of another platform must not appear under this one's name.
    """
    record = answer.json()
    if not isinstance(record, dict):
        raise InvalidAnswer(f"{answer.path} answered no JSON object")
    check_day(record, day, answer.path)
    if slug is not None:
        # it may be an address
        named = record.get("slug") or record.get("id")
        if isinstance(named, str) and named.rstrip("/").rpartition("/")[2].casefold() != slug.casefold():
            said = f"{answer.path} answered the record of another platform: {visible_line(named[:80])!r}"
            raise InvalidAnswer(said, status=200)
        record["slug"] = slug
    return record


def check_day(answer: object, day: date | None, path: str) -> None:
    """Refuse an answer that does not echo the day asked for: it would be today's under another name."""
    if day is not None and (not isinstance(answer, dict) or answer.get("as_of") != str(day)):
        raise ServiceError(f"{path}: the server does not give the state of {day}: not known", status=200)


def segment(text: str) -> str:
    """Return a text as one segment of a path; refuse what cannot be one."""
    if not text or text in (".", "..") or len(text) > 200 or not text.isprintable():
        raise ServiceError("a slug is a short name such as 'claude-ai'")
    return quote(text, safe="")


@dataclass
class Reading:
    """One walk through all pages of a list.

    Parameters
    ----------
    limit : int
        Page size that was asked for, or that the list says it applied where that is less.
    named : bool
        Whether each row must have an `id`; else rows differ by all that they hold: an `id` may be that of the
        platform, which has many changes.
    rows : dict
        Identifier -> record, as it was last read.
    claims : list of int
        How many rows there are, as each page said; -1 where it said no count.
    sentences : dict
        What could not be read -> its slug, or None.
    pages : int
        Pages with new rows.
    passed : int
        Rows that cannot be read, or come twice on their page.
    size : int
        Rows of the longest page.
    repeated : bool
        Whether a row came on two pages.
    ended : bool
        Whether the list itself ended, with an empty page.
    filled : bool
        Whether there are as many rows as were wanted.
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
    ended: bool = False
    filled: bool = False

    @property
    def counted(self) -> bool:
        """Whether each page claimed as many rows as came, with or without those that cannot be read."""
        return len(set(self.claims)) == 1 and self.claims[0] in (len(self.rows), len(self.rows) + self.passed)

    @property
    def claimed_more(self) -> bool:
        """Whether the last page claimed more rows than came."""
        return self.claims[-1] > len(self.rows) + self.passed

    @property
    def capped(self) -> bool:
        """Whether rows may be missing: more are claimed, or the list ends only because a full page does.

        A page is full at its limit, or at any round size that the list does not give as its count.
        """
        round_size = self.size > 0 and 0 in (self.size % 10, self.size % 25)
        full = self.size >= self.limit or (round_size and not self.counted)
        return self.claimed_more or (full and not self.ended)

    def take(self, page: Page) -> bool:
        """Take the rows of a page, and return whether any was new."""
        fresh: dict[str, Json] = {}
        for row in page.data:
            record = row if isinstance(row, dict) else {}
            key = record.get("id") if self.named else record and _hashed(record)
            if not isinstance(key, str) or not key.strip():
                name = f" ({record['name']!r:.80})" if record.get("name") else ""
                what = "without an 'id'" if self.named and isinstance(row, dict) else "that are no records"
                self.sentences[f"the list holds rows {what}{name}: they cannot be read"] = None
                continue
            if key in fresh and fresh[key].get("rating") != record.get("rating"):
                self.sentences[f"{key[:80]} comes twice on one page with different ratings: the last is taken"] = key
            fresh[key] = record
        new = not fresh.keys() <= self.rows.keys()
        self.repeated |= not fresh.keys().isdisjoint(self.rows)
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
    """A list that is read by pages.

    Parameters
    ----------
    ask : callable
    path : str
        For errors.
    named : bool
        Of the `Reading`.
    size : int
        Rows to ask for at once; fewer where the server refuses so many.
    most : int
        Rows to stop at.
    """

    ask: Ask
    path: str
    named: bool = False
    size: int = PAGE
    most: int = MOST_ROWS

    def read_named(self, where: str, problems: Problems) -> list[Json]:
        """Return all rows of a list whose rows have an `id` and whose `total` counts them.

        Parameters
        ----------
        where : str
            Address of the list, with the day where one was asked for.
        problems : Problems
            What could not be read is added, and why rows may be missing.

        Raises
        ------
        InvalidAnswer
            If it is no list.
        """
        problems.begin(where)
        reading = self._replace(named=True).read_steadily()
        said, count = "", f"{len(reading.rows):,}"
        if reading.claimed_more:
            said = f"the list names {reading.claims[-1]:,} rows and gave {count}: some may be missing"
        elif reading.filled:
            said = f"the list does not end: the first {count} rows are read"
        elif not reading.ended and not reading.counted:
            said = f"no page shows the end of the list, nor its count: rows after the first {count} may be missing"
        if said:
            reading.sentences[said] = None
        for sentence, slug in reading.sentences.items():
            problems.add(sentence, where, slug)
        return list(reading.rows.values())

    def read_steadily(self) -> Reading:
        """Read the list, and again where its rows may have moved meanwhile: until two readings hold the same.

        Returns
        -------
        Reading
            The last one, with a sentence that says so where rows kept moving. Rows with an `id` that only an earlier one
            gave are in it too; others are not, as a row that was corrected meanwhile would be there twice.
        """
        before, rows, same = Reading(self.size, self.named), dict[str, Json](), False
        for _ in range(4):
            reading = self.read()
            at_one_moment = reading.counted or (not self.named and reading.size < reading.limit)
            if reading.filled or (reading.pages <= 1 and at_one_moment and not reading.repeated):
                return reading
            same = bool(before.claims) and before.rows.keys() == reading.rows.keys()
            if same and (not self.named or before.counted or (before.ended and not before.repeated)):
                return reading
            rows |= reading.rows
            before = reading
        if not same:
            reading.sentences[f"{self.path} changed while it was read, 4 times: a row may be missing"] = None
        return replace(reading, rows=rows) if self.named else reading

    def read(self) -> Reading:
        """Walk through the pages once, until nothing new comes."""
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
                raise InvalidAnswer(f"{self.path} answered no list under 'data'") from None
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
    """Return a hash of all that a row holds."""
    return sha256(json.dumps(row, sort_keys=True, default=str).encode("utf-8", "replace")).hexdigest()
