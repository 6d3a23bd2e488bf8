"""One method per endpoint of the specification; records out, paging inside.

Works against any server of the specification, and assumes nothing of ours: page sizes may be capped, rows
may repeat or move between pages, `total` may lie.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from itertools import islice
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

from riskanalytics._http import Answer, Connection, InProcessTransport
from riskanalytics.errors import InvalidAnswer, ServiceError
from riskanalytics.models.asked import DayLike, as_day

PAGE: Final = 500
"""Rows asked for at once."""
MOST_ROWS: Final = 1_000_000
"""Of one walk; a server that never ends is stopped here."""
_LOG: Final = logging.getLogger("riskanalytics.client")

Json = dict[str, object]
Query = dict[str, str | int]


class Client:
    """A risk-rating data service; use as a context manager, or close it.

    Parameters
    ----------
    base_url : str
        Its address.
    api_key : str, optional
        For the keyed endpoints.
    transport : InProcessTransport, optional
        To stay in this process.
    on_close : callable, optional
        Called once when the client is closed.

    Examples
    --------
    >>> import riskanalytics as ra
    >>> with ra.connect() as client:
    ...     names = [record["name"] for record in client.platforms()]
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        transport: InProcessTransport | None = None,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        self._connection = Connection(base_url, api_key, transport=transport)
        self._on_close = on_close
        self.has_key = api_key is not None
        self.embedded = transport is not None

    def __repr__(self) -> str:
        where = "embedded service" if self.embedded else self._connection.base_url
        return f"<Client of {where}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections, and the embedded service where there is one."""
        self._connection.close()
        if self._on_close is not None:
            self._on_close()
            self._on_close = None

    @property
    def base_url(self) -> str:
        """Address of the service."""
        return self._connection.base_url

    def platforms(self, as_of: DayLike | None = None) -> Iterator[Json]:
        """Give all platforms (GET /api/v1/platforms), by pages.

        Parameters
        ----------
        as_of : date or str, optional
            State at the end of that day; a server that does not echo it is refused.

        Yields
        ------
        dict
            List records (specification section 2.2).

        Raises
        ------
        ServiceError
        """
        yield from self._walk("/api/v1/platforms", _day(as_of), counted=True, as_of=as_of)

    def platform(self, slug: str, as_of: DayLike | None = None) -> Json:
        """Return one platform's detail (GET /api/v1/platforms/{id}).

        Raises
        ------
        UnknownPlatform
            If it is not tracked.
        """
        return self._of_day(f"/api/v1/platforms/{_segment(slug)}", as_of, keyed=True)

    def search(self, query: str) -> Iterator[Json]:
        """Give platforms by name (GET /api/v1/search), best match first."""
        yield from self._walk("/api/v1/search", {"q": query})

    def changes(
        self,
        since: DayLike | None = None,
        until: DayLike | None = None,
        change_class: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Json]:
        """Give re-reviews, newest first (GET /api/v1/changes; Pro).

        Parameters
        ----------
        since, until : date or str, optional
            First and last day, UTC; a server that does not know them gives more.
        change_class : str, optional
        limit : int, optional
            Most rows to give.

        Raises
        ------
        TierRequired
            If the key's tier does not include them.
        """
        named = {"since": as_day(since), "until": as_day(until), "class": change_class}
        asked: Query = {name: str(value) for name, value in named.items() if value is not None}
        size = min(PAGE, limit or PAGE)
        try:
            yield from islice(self._walk("/api/v1/changes", asked, size=size), limit)
        except ServiceError as error:
            if error.status not in (400, 422) or not asked:
                raise
            yield from islice(self._walk("/api/v1/changes", {}, size=size), limit)

    def machine_platform(self, slug: str, as_of: DayLike | None = None) -> Json:
        """Return one platform with its findings (GET /api/machine/platform/{slug}; open)."""
        return self._of_day(f"/api/machine/platform/{_segment(slug)}", as_of)

    def search_clauses(self, query: str, surface: str | None = None) -> Iterator[Json]:
        """Give verified clauses (GET /api/machine/search; open), best match first."""
        asked: Query = {"q": query}
        if surface is not None:
            asked["surface"] = surface
        yield from self._walk("/api/machine/search", asked, keyed=False)

    def ask(self, question: str, platform: str | None = None) -> Json:
        """Ask a question of the verified findings (POST /api/verified/ask; open).

        Parameters
        ----------
        question : str
        platform : str, optional
            Slug of the platform that is asked about.

        Returns
        -------
        dict
            `answer`, `refused`, `reason`, `citations`, `searched` (README, additions).
        """
        asked = {"question": question} if platform is None else {"question": question, "platform": platform}
        return _object(self._connection.post("/api/verified/ask", asked))

    def coverage(self, as_of: DayLike | None = None) -> Json:
        """Return the counts of tracked and verified platforms (GET /api/coverage; open)."""
        return self._of_day("/api/coverage", as_of)

    def snapshot(self, sha256: str) -> bytes:
        """Return a snapshot byte for byte (GET /archive/{sha256}; an addition of our service)."""
        return self._connection.get(
            f"/archive/{_segment(sha256)}", accept="text/markdown, text/plain;q=0.9, */*;q=0.1"
        ).body

    def index(self) -> str:
        """Return the list of all platforms for agents (GET /llms-full.txt; open)."""
        return self._connection.get("/llms-full.txt", accept="text/plain").body.decode("utf-8", errors="replace")

    def answer(self, path: str, asked: Query | None = None, *, keyed: bool = False) -> Json:
        """Return one answer as it came, envelope and all (any GET endpoint that answers one JSON object).

        Parameters
        ----------
        path : str
            Such as `/api/v1/platforms`.
        asked : dict, optional
            Query.
        keyed : bool
            Whether the key is sent.

        Raises
        ------
        ServiceError
        """
        return _object(self._connection.get(path, asked, keyed=keyed))

    def pages(self, path: str, asked: Query | None = None, *, keyed: bool = False, size: int = PAGE) -> Iterator[Json]:
        """Give the pages of a list as they came, envelope and all; there is no last one: take as many as you need.

        Parameters
        ----------
        path, asked, keyed
            As `answer` takes them.
        size : int
            Rows asked for at once.

        Raises
        ------
        ServiceError
        """
        offset = 0
        while True:
            place = {"offset": offset} if offset else {}
            page = self.answer(path, {**(asked or {}), "limit": size, **place}, keyed=keyed)
            yield page
            offset += len(_records(page.get("data"))) or size

    def _of_day(self, path: str, as_of: DayLike | None, *, keyed: bool = False) -> Json:
        """Get one record, as it was at the end of a day."""
        record = self.answer(path, _day(as_of), keyed=keyed)
        _check_day(record, as_of, path)
        return record

    def _walk(
        self,
        path: str,
        asked: Query,
        *,
        keyed: bool = True,
        counted: bool = False,
        size: int = PAGE,
        as_of: DayLike | None = None,
    ) -> Iterator[Json]:
        """Walk the pages of a list: each identifier once, until nothing new comes or `total` is reached.

        `counted` says that `total` counts these rows: the specification says so of platforms only.
        """
        seen: set[str] = set()
        given, total, idle = 0, 0, 0
        for page in self.pages(path, asked, keyed=keyed, size=size):
            _check_day(page, as_of, path)
            rows, total, before = _rows(page, path), _number(page.get("total")), len(seen)
            for row in rows:
                if (identifier := _identifier(row)) not in seen and len(seen) < MOST_ROWS:
                    seen.add(identifier)
                    yield row
            given += len(rows) or size
            idle = 0 if len(seen) > before else idle + 1
            ended = given >= total or idle > 1 if counted else idle > 0
            if ended or len(seen) >= MOST_ROWS:
                break
        if counted and len(seen) < total:
            raise InvalidAnswer(f"{path} named {total:,} rows and gave {len(seen):,}: not complete", path=path)


def _rows(page: Json, path: str) -> list[Json]:
    """Return the records of a page; what is none is passed over and said."""
    rows = page.get("data")
    if not isinstance(rows, list):
        raise InvalidAnswer(f"{path} answered no list under 'data'", path=path)
    records = _records(rows)
    if len(records) < len(rows):
        _LOG.warning("%s gave %d rows that are no records", path, len(rows) - len(records))
    return records


def _records(rows: object) -> list[Json]:
    """Return the records of a list; nothing where it is none."""
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _day(as_of: DayLike | None) -> Query:
    """Return the query of a past day."""
    day = as_day(as_of)
    return {} if day is None else {"as_of": day.isoformat()}


def _check_day(answer: Json, as_of: DayLike | None, path: str) -> None:
    """Refuse an answer that does not echo the day asked for: it would be today's under another name."""
    day = as_day(as_of)
    if day is not None and answer.get("as_of") != day.isoformat():
        raise ServiceError(f"{path}: the server does not tell the state of {day}: not known", status=200, path=path)


def _object(answer: Answer) -> Json:
    """Return an answer that is one JSON object."""
    record = answer.json()
    if not isinstance(record, dict):
        raise InvalidAnswer(f"{answer.path} answered no JSON object", path=answer.path)
    return record


def _identifier(row: Json) -> str:
    """Return what tells a row from others."""
    return str(row.get("id") or row.get("slug") or sorted((name, str(value)) for name, value in row.items()))


def _number(value: object) -> int:
    """Return a count where the value is a sane one, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_ROWS else 0


def _segment(text: str) -> str:
    """Return a text as one segment of a path; refuse what cannot be one."""
    if not text or text in (".", "..") or len(text) > 200 or not text.isprintable():
        raise ServiceError("a slug is a short name such as 'claude-ai'", status=0)
    return quote(text, safe="")
