"""A client of risk-rating data services: one method for each endpoint of their specification, which other servers may implement."""

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from itertools import islice
from typing import Any, Final, Self, TypeVar

from riskanalytics.errors import ServiceError, TierRequired, UnknownPlatform, Unreachable
from riskanalytics.settings import Settings
from riskanalytics.text.arguments import DayLike, as_day

from . import reading
from .answers import NONE_KNOWN, Answer, KnownAnswers
from .connection import Connection, InProcessTransport, Transport
from .reading import PAGE, Json, Problem, Problems, Query, queried, record_of

__all__ = ["CHANGES", "COVERAGE", "LIST", "MACHINE", "PAGE", "Client", "Json", "Problem", "Problems", "Query"]

T = TypeVar("T")
Records = Iterator[tuple[str, Json | ServiceError]]
"""Pairs of a platform's slug and its record, or the error that prevented the record."""
LIST: Final = "/api/v1/platforms"
CHANGES: Final = "/api/v1/changes"
COVERAGE: Final = "/api/coverage"
MACHINE: Final = "/api/machine/platform/"
_DETAIL: Final = "/api/v1/platforms/"
_AS_TEXT: Final = "text/markdown, text/plain;q=0.9, */*;q=0.1"


class Client:
    """A client of a risk-rating data service; use it as a context manager, or close it.

    Parameters
    ----------
    base_url : str
        Address of the service.
    api_key : str, optional
        Key for the endpoints that need one (`/api/v1/...`).
    transport : httpx transport, optional
        Used instead of the network, for a service in this process.
    on_close : callable, optional
        Called when the client is closed.
    deadline : float, optional
        Maximum number of seconds for one load, including waits and retries. By default 120 seconds, plus one second for each
        platform, because the lowest rate limit is 60 requests a minute.
    source : str
        Name of a source that has no address, such as the file of a database. By default, `base_url`.
    known : KnownAnswers
        Cached responses of earlier runs, used if the server confirms that they are current. By default, none are cached.

    Attributes
    ----------
    has_key, embedded : bool
        Whether there is a key, and whether `transport` replaces the network.
    source : str
        Where the data come from: an address, the name of a database, `demo`, or a folder of pulls.
    settings : Settings or None
        Settings with which `connect` made the client; None if the client was made without `connect`.
    problems : Problems
        Problems met when each address was last read. For each problem: the affected platform (`slug`), the problem in one sentence
        (`what`), and the requested path (`where`).
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        transport: Transport | None = None,
        on_close: Callable[[], None] = lambda: None,
        deadline: float | None = None,
        source: str = "",
        known: KnownAnswers = NONE_KNOWN,
    ) -> None:
        self._connection = Connection(base_url, api_key, transport=transport, known=known)
        self._transport, self._on_close, self._deadline = transport, on_close, deadline
        self._get = partial(self._connection.get, within=self.seconds())
        self.has_key, self.embedded = api_key is not None, transport is not None
        self.problems = Problems()
        self.settings: Settings | None = None
        self.base_url = self._connection.base_url
        self.source = source or self.base_url

    def __repr__(self) -> str:
        kind = "embedded service: " if isinstance(self._transport, InProcessTransport) else ""
        return f"<Client of {kind}{self.source}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections, and the embedded service if there is one."""
        self._connection.close()
        self._on_close()

    def platforms(self, as_of: DayLike | None = None) -> Iterator[Json]:
        """Yield all platforms (GET /api/v1/platforms), page by page.

        Parameters
        ----------
        as_of : date or str, optional
            Return the data as they were at the end of that day. By default, the newest data.

        Yields
        ------
        dict
            Record of a platform, in the form for lists (specification section 2.2); each `id` occurs once. The attribute
            `problems` then says whether there were rows without an `id`, and why platforms may be missing.

        Raises
        ------
        ServiceError
            If the list cannot be read, or the answer does not repeat the day of `as_of`, so that it may be of another day.
        """
        day = as_day(as_of)
        where = LIST if day is None else f"{LIST}?as_of={day}"
        yield from self._listing(LIST, queried(as_of=day), day).read_named(where, self.problems)

    def platform(self, slug: str, as_of: DayLike | None = None) -> Json:
        """Return the detailed record of one platform (GET /api/v1/platforms/{id}).

        Parameters
        ----------
        slug : str
        as_of : date or str, optional
            Return the record as it was at the end of that day. By default, the newest.

        Raises
        ------
        UnknownPlatform
            If the platform is not tracked.
        """
        return self._of_day(_DETAIL, as_of, slug, keyed=True)

    def search(self, query: str) -> Iterator[Json]:
        """Yield the records of platforms whose names match the text `query`, best match first (GET /api/v1/search)."""
        return self._found("/api/v1/search", {"q": query}, keyed=True)

    def changes(
        self,
        since: DayLike | None = None,
        until: DayLike | None = None,
        change_class: str | None = None,
        limit: int | None = None,
    ) -> Iterator[Json]:
        """Yield changes, newest first (GET /api/v1/changes; the key needs the tier Pro).

        Parameters
        ----------
        since, until : date or str, optional
            First and last day (UTC). A server that does not support these parameters returns more changes.
        change_class : str, optional
            Return only changes of this class, such as `material` (`models.CHANGE_CLASSES`).
        limit : int, optional
            Maximum number of rows.

        Raises
        ------
        TierRequired
            If the key's tier does not include changes.
        """
        yield from islice(self.change_feed(since, until, change_class, limit).rows.values(), limit)

    def change_feed(
        self, since: DayLike | None, until: DayLike | None, change_class: str | None, limit: int | None = None
    ) -> reading.Reading:
        """Return the changes, and whether their list may be incomplete (GET /api/v1/changes; the key needs the tier Pro).

        Parameters
        ----------
        since, until : date or str or None
            First and last day (UTC); None for all days.
        change_class : str or None
            Class of the changes, such as `material`; None for all classes.
        limit : int, optional
            Maximum number of rows.

        Returns
        -------
        Reading
            Its `rows` are a dict, identifier -> change. Its `capped` is True if a page limit may have cut the list. A server that
            does not support days or classes returns more changes than requested.
        """
        path, query = CHANGES, queried(since=as_day(since), until=as_day(until), **{"class": change_class})
        size, most = min(PAGE, limit or PAGE), limit or reading.MOST_ROWS
        try:
            return self._listing(path, query)._replace(size=size, most=most).read_steadily()
        except ServiceError as error:
            if error.status in (400, 422) and query:
                return self.change_feed(None, None, None, limit)
            raise

    def machine_platform(self, slug: str, as_of: DayLike | None = None) -> Json:
        """Return one platform with its findings (GET /api/machine/platform/{slug}; needs no key).

        With `as_of`, the record is as it was at the end of that day; otherwise it is the newest.
        """
        return self._of_day(MACHINE, as_of, slug)

    def machine_platforms(self, slugs: Sequence[str], as_of: DayLike | None = None) -> Records:
        """Yield several platforms with their findings; as many requests run in parallel as the server allows.

        Each is requested from GET /api/machine/platform/{slug}, without a key. If this endpoint refuses a platform or does not
        know it, and the client has a key, GET /api/v1/platforms/{id} is then requested, within the same time limit.

        Parameters
        ----------
        slugs : sequence of str
        as_of : date or str, optional
            Return the records as they were at the end of that day. By default, the newest.

        Yields
        ------
        tuple of str and dict or ServiceError
            The slug of each platform, and its record or the error that prevented it, in order of arrival. One failure does not
            stop the others. A platform that is not read within the time limit of the client (`deadline`) gets `Unreachable`.
        """
        ends = time.monotonic() + self.seconds(len(slugs))
        hidden: dict[str, ServiceError] = {}
        for slug, got in self._each_record(MACHINE, slugs, as_of, ends):
            if self.has_key and isinstance(got, TierRequired | UnknownPlatform):
                hidden[slug] = got
            else:
                yield slug, got
        for slug, got in self._each_record(_DETAIL, list(hidden), as_of, ends):
            refused = isinstance(got, ServiceError) and not isinstance(got, Unreachable)
            yield slug, hidden[slug] if refused else got

    def search_clauses(self, query: str, surface: str | None = None) -> Iterator[Json]:
        """Yield the verified clauses that match a query, best match first (GET /api/machine/search; needs no key).

        With `surface`, only clauses on this surface; otherwise clauses on all surfaces.
        """
        return self._found("/api/machine/search", queried(q=query, surface=surface), keyed=False)

    def posture(self, platform: str | None = None) -> Iterator[Json]:
        """Yield the posture of each platform, or only of one (`platform`, a slug): six facts on how it uses content, by route.

        A route is a way to use the platform: `consumer`, `business` or `api`. The records come from GET
        /api/machine/posture, an addition of our service to the specification; no key is needed.
        """
        return self._found("/api/machine/posture", queried(platform=platform), keyed=False)

    def ask(self, question: str, platform: str | None = None) -> Json:
        """Ask a question about the verified findings (POST /api/verified/ask; needs no key).

        Parameters
        ----------
        question : str
        platform : str, optional
            Slug of the platform in question.

        Returns
        -------
        dict
            `answer` (text), `refused` (whether the service refused to answer), `reason` (of the refusal), `citations` (the quoted
            clauses) and `searched` (what was searched, such as platforms and surfaces); see docs/interface.md.
        """
        query = queried(question=question, platform=platform)
        return record_of(self._connection.post("/api/verified/ask", query, within=self.seconds()))

    def coverage(self, as_of: DayLike | None = None) -> Json:
        """Return the counts of tracked and verified platforms (GET /api/coverage; needs no key).

        With `as_of`, the counts are those at the end of that day; otherwise they are the newest.
        """
        return self._of_day(COVERAGE, as_of)

    def snapshot(self, sha256: str) -> bytes:
        """Return a snapshot as bytes, by its SHA-256 (GET /archive/{sha256}; an addition of our service to the specification)."""
        return self._get(f"/archive/{reading.segment(sha256)}", accept=_AS_TEXT).body

    def snapshots(self, hashes: Sequence[str]) -> Iterator[tuple[str, bytes | ServiceError]]:
        """Yield several snapshots; as many requests run in parallel as the server allows.

        Parameters
        ----------
        hashes : sequence of str
            SHA-256 of each snapshot.

        Yields
        ------
        tuple of str and bytes or ServiceError
            The SHA-256 of each snapshot, and its bytes or the error that prevented it, in order of arrival. A snapshot that is
            not read within the time limit of the client (`deadline`) gets `Unreachable`.
        """
        within = self.seconds(len(hashes))
        return self._each("/archive/", hashes, lambda _, got: got.body, within=within, accept=_AS_TEXT, most=8 << 20)

    def index(self) -> str:
        """Return the text that lists all platforms for AI agents (GET /llms-full.txt; needs no key)."""
        return self._get("/llms-full.txt", accept="text/plain").body.decode(errors="replace")

    def answer(self, path: str, query: Query | None = None, *, keyed: bool = False) -> Json:
        """Return the JSON object that a GET endpoint returns, unchanged.

        Parameters
        ----------
        path : str
            Path of the endpoint, such as `/api/coverage`.
        query : dict, optional
            Names and values of the query string.
        keyed : bool
            Whether to send the key.
        """
        return record_of(self._get(path, query, keyed=keyed))

    def seconds(self, rows: int = 0) -> float:
        """Return the maximum number of seconds that a load may take if it reads `rows` platforms or snapshots one by one."""
        return 120.0 + rows if self._deadline is None else self._deadline

    def _of_day(self, path: str, as_of: DayLike | None, slug: str | None = None, *, keyed: bool = False) -> Json:
        """Get one record as of the end of a day."""
        day = as_day(as_of)
        path += "" if slug is None else reading.segment(slug)
        return record_of(self._get(path, queried(as_of=day), keyed=keyed), day, slug)

    def _found(self, path: str, query: Query, *, keyed: bool) -> Iterator[Json]:
        """Yield all rows of a search."""
        yield from self._listing(path, query, keyed=keyed).read().rows.values()

    def _each(
        self, base: str, names: Sequence[str], read: Callable[[str, Answer], T], query: Query | None = None, **how: Any
    ) -> Iterator[tuple[str, T | ServiceError]]:
        """Yield the result for each name below an address, or the reason why it is missing; `how` as for `Connection.get_each`."""
        paths: dict[str, str] = {}
        for name in dict.fromkeys(names):
            try:
                paths[f"{base}{reading.segment(name)}"] = name
            except ServiceError as error:
                yield name, error
        for path, got in self._connection.get_each(list(paths), query, **how):
            try:
                yield paths[path], read(paths[path], got) if isinstance(got, Answer) else got
            except ServiceError as error:
                yield paths[path], error

    def _each_record(self, base: str, slugs: Sequence[str], as_of: DayLike | None, ends: float) -> Records:
        """Yield the record of each platform, or the reason why it is missing, until a time of the monotonic clock."""
        day, within = as_day(as_of), max(0.0, ends - time.monotonic())
        how: dict[str, Any] = {"within": within, "keyed": base == _DETAIL, "most": 4 << 20}
        return self._each(base, slugs, lambda slug, got: record_of(got, day, slug), queried(as_of=day), **how)

    def _listing(self, path: str, query: Query, day: date | None = None, *, keyed: bool = True) -> reading.Listing:
        """Return a list; all its pages share one deadline."""
        seconds = self.seconds()
        ends = time.monotonic() + seconds

        def ask(place: Query) -> object:
            left = ends - time.monotonic()
            if left <= 0:
                raise Unreachable(
                    f"{path} was not read completely in {seconds:.0f} s: set RISKANALYTICS_DEADLINE to more seconds"
                )
            page = self._connection.get(path, {**query, **place}, keyed=keyed, within=left).json()
            reading.check_day(page, day, path)
            return page

        return reading.Listing(ask, path)
