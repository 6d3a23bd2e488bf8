"""The one door to HTTP: key, retry, pacing by the server's headers, limits of size and time.

The key goes only to the configured origin: redirects are re-issued by hand, on the same origin, three at
most. A GET is tried again after 408, 425, 429, 5xx and broken connections, six times and 120 seconds in all
at most, with jittered back-off (RFC 9110 section 10.2.3 for Retry-After). Bodies are inflated with bounded
output, so that a small answer cannot fill the memory. A POST is sent again only where a server that is busy
(429, 503) says when: it has not done what was asked.

Requests run on a loop in a thread of its own, so that each ends at its time whatever the server drips, and at
once where the caller is interrupted. Errors are raised where no request is at hand any more: a traceback of
theirs holds no header.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Final

import httpx

from riskanalytics._http.address import checked_base, redirected
from riskanalytics._http.answer import Answer
from riskanalytics._http.asked import BUSY, MOST_BYTES, Asked
from riskanalytics._http.body import inflated, whole
from riskanalytics._http.embedded import InThreads
from riskanalytics._http.failure import cleaned, failure
from riskanalytics._http.key import BEARER, PLAIN, Key
from riskanalytics._http.known import NONE_KNOWN, Copy, KnownAnswers
from riskanalytics._http.loop import LoopThread
from riskanalytics._http.pace import AT_ONCE, Pace
from riskanalytics.errors import InvalidAnswer, NotAuthorised, ServiceError, Unreachable

TOTAL_SECONDS: Final = 60.0
"""For one request, from connecting to the last byte."""
ATTEMPTS: Final = 6
PATIENCE: Final = 120.0
"""Seconds for one request with all its repetitions; also the longest wait that a server may ask for."""
_HOPS: Final = 3
_EXPLAINED: Final = 4096
"""Bytes of a failure that are read."""
_GONE: Final = frozenset({403, 404, 410})
"""Status of what is not shown any more."""


class Connection:
    """Requests to one origin, with its key.

    Parameters
    ----------
    base_url : str
        Address of the service.
    api_key : str, optional
        Sent as `Authorization: Bearer`, to this origin only.
    transport : httpx transport, optional
        Used instead of the network.
    known : KnownAnswers
        Answers that were read before, and need only be confirmed.
    sleep, clock : callable, optional
        Waiting and monotonic time, in seconds.

    Raises
    ------
    SettingsError
        If the address is none, or a key would travel in clear to another machine.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | Key | None = None,
        *,
        transport: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None,
        known: KnownAnswers = NONE_KNOWN,
        sleep: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._key = api_key = Key(api_key) if isinstance(api_key, str) else api_key
        self._base = checked_base(base_url, keyed=api_key is not None)
        self._carried_by, self._accepted = BEARER, False
        self._transport = transport
        self._known = known
        self._sleep, self._clock = sleep, clock
        self._thread = LoopThread()
        self._ready: tuple[int, httpx.AsyncClient, Pace] | None = None

    @property
    def base_url(self) -> str:
        """Address of the service, without a trailing slash."""
        return str(self._base).rstrip("/")

    def close(self) -> None:
        """Close all connections."""
        self._thread.close()
        self._ready = None
        if isinstance(self._transport, httpx.BaseTransport):
            self._transport.close()

    def get(
        self,
        path: str,
        parameters: Mapping[str, str | int] | None = None,
        *,
        keyed: bool = False,
        accept: str = "application/json",
        within: float = PATIENCE,
    ) -> Answer:
        """Get one resource.

        Parameters
        ----------
        path : str
            Below the base address, begins with `/`, its segments quoted.
        parameters : mapping, optional
        keyed : bool
            Whether the key is sent.
        accept : str
        within : float
            Seconds, with all waits and repetitions.

        Returns
        -------
        Answer

        Raises
        ------
        ServiceError
            Of the class of the failure; see `riskanalytics.errors`.
        """
        return self._thread.run(self._tried(self._getting(path, parameters, keyed=keyed, accept=accept), within))

    def get_each(
        self,
        paths: Sequence[str],
        parameters: Mapping[str, str | int] | None = None,
        *,
        within: float,
        keyed: bool = False,
        accept: str = "application/json",
        most: int = MOST_BYTES,
    ) -> Iterator[tuple[str, Answer | ServiceError]]:
        """Get several resources, as many at once as the server bears.

        Parameters
        ----------
        paths : sequence of str
        parameters : mapping, optional
            Of each.
        within : float
            Seconds for all; what is not there by then is `Unreachable`.
        keyed, accept
            As `get` takes them.
        most : int
            Bytes of one body.

        Yields
        ------
        tuple of str and Answer or ServiceError
            As they come.
        """
        asked = [self._getting(path, parameters, keyed=keyed, accept=accept, most=most) for path in paths]
        at_once = getattr(self._transport, "at_once", AT_ONCE)
        yield from self._thread.each(lambda places: self._all(asked, within, places()), at_once)

    def _getting(
        self,
        path: str,
        parameters: Mapping[str, str | int] | None,
        *,
        keyed: bool = False,
        accept: str = "application/json",
        most: int = MOST_BYTES,
    ) -> Asked:
        """Return a request for one resource."""
        if keyed and self._key is None:
            raise NotAuthorised(f"{path} needs a key: set RISKANALYTICS_API_KEY", status=401, path=path)
        url = self._address(path)
        if parameters:
            url = url.copy_merge_params({name: str(value) for name, value in parameters.items()})
        return Asked(url, {"Accept": accept}, path, keyed=keyed, most=most)

    def post(self, path: str, record: Mapping[str, object], *, within: float = PATIENCE) -> Answer:
        """Send one JSON object to an open endpoint; the key is not sent.

        Parameters
        ----------
        path : str
            Below the base address, begins with `/`.
        record : mapping
        within : float
            Seconds, with all waits and repetitions.

        Returns
        -------
        Answer

        Raises
        ------
        ServiceError
            Of the class of the failure; see `riskanalytics.errors`.
        """
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        asked = Asked(self._address(path), headers, path, json.dumps(record).encode())
        return self._thread.run(self._tried(asked, within))

    def _address(self, path: str) -> httpx.URL:
        """Return the address of a path."""
        return httpx.URL(self.base_url + path)

    def _client(self) -> tuple[httpx.AsyncClient, Pace]:
        """Return the client and the pace of this process."""
        if self._ready is None or self._ready[0] != os.getpid():
            inside = self._transport
            client = httpx.AsyncClient(
                transport=InThreads(inside) if isinstance(inside, httpx.BaseTransport) else inside,
                follow_redirects=False,
                timeout=httpx.Timeout(TOTAL_SECONDS),
                limits=httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE),
                trust_env=inside is None,
                # nothing travels to a service in this process, so nothing is packed
                headers={
                    "Accept-Encoding": "identity" if inside else "gzip, deflate",
                    "User-Agent": "riskanalytics-python",
                },
            )
            self._thread.at_end(client.aclose)
            self._ready = (os.getpid(), client, Pace(self._pause, self._clock))
        return self._ready[1], self._ready[2]

    async def _pause(self, seconds: float) -> None:
        """Wait."""
        if self._sleep is None:
            await asyncio.sleep(seconds)
        else:
            self._sleep(seconds)

    async def _all(
        self, asked: Sequence[Asked], within: float, places: asyncio.Semaphore
    ) -> AsyncIterator[tuple[str, Answer | ServiceError]]:
        """Give each answer or failure as it comes; what has not come in time is a failure."""
        done: asyncio.Queue[tuple[str, Answer | ServiceError]] = asyncio.Queue()
        ends, left = asyncio.get_running_loop().time() + within, {one.path for one in asked}

        async def one(request: Asked) -> None:
            try:
                answer: Answer | ServiceError = await self._tried(request, within)
            except ServiceError as error:
                answer = error
            except Exception as error:  # noqa: BLE001 (whatever one answer sets off, the others are still given)
                answer = InvalidAnswer(f"{request.path} cannot be read ({type(error).__name__})", path=request.path)
            await done.put((request.path, answer))

        async def start() -> None:
            async with asyncio.TaskGroup() as group:
                for request in asked:
                    await places.acquire()
                    group.create_task(one(request))

        task = asyncio.create_task(start())
        try:
            while left:
                try:
                    async with asyncio.timeout_at(ends):
                        path, answer = await done.get()
                except TimeoutError:
                    break
                left.discard(path)
                yield path, answer
            for path in sorted(left):
                yield (
                    path,
                    Unreachable(
                        f"{path} was not read: the load may take {within:.0f} s, and they were over", path=path
                    ),
                )
        finally:
            task.cancel()

    async def _tried(self, asked: Asked, within: float) -> Answer:
        """Try until an answer is final, within attempts and patience."""
        within = min(within, PATIENCE)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                return await self._repeated(asked, within)
        said = f"took longer than {within:.0f} s" if within >= 1 else "did not answer in the little time that was left"
        raise Unreachable(f"{asked.path} {said}", path=asked.path)

    async def _repeated(self, asked: Asked, patience: float) -> Answer:
        """Send a request until its answer is final."""
        began, pace = self._clock(), self._client()[1]
        for attempt in range(1, ATTEMPTS + 1):
            await pace.begin(asked.path, patience - (self._clock() - began))
            try:
                return await self._once(asked)
            except ServiceError as error:
                wait = asked.wait(error, attempt)
                if wait is None or attempt == ATTEMPTS or self._clock() - began + wait > patience:
                    raise
                if error.status in BUSY:
                    pace.busy(error.told_to_wait or 0.0)
            finally:
                pace.end()
            await self._pause(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _once(self, asked: Asked) -> Answer:
        """Send one request, with the key in the header that the server takes."""
        carried_by = self._carried_by
        try:
            return await self._sent(asked)
        except NotAuthorised as error:
            if not asked.keyed or carried_by == PLAIN or (self._accepted and self._carried_by == BEARER):
                raise
            refused = error
        self._carried_by = PLAIN
        try:
            return await self._sent(asked)
        except NotAuthorised:
            if not self._accepted:
                self._carried_by = BEARER
        raise refused

    async def _sent(self, asked: Asked) -> Answer:
        """Send one request, following redirects on the same origin; raise where no request is at hand any more."""
        said = f"took longer than {TOTAL_SECONDS:.0f} s"
        got: Answer | ServiceError | None
        try:
            async with asyncio.timeout(TOTAL_SECONDS):
                got = await self._exchanged(asked)
        except ServiceError as error:
            # its traceback and causes lead to the request, and so to the key
            error.__cause__ = error.__context__ = None
            got = error.with_traceback(None)
        except TimeoutError:
            got = None
        except httpx.RemoteProtocolError:
            got, said = None, "gave no whole answer: the connection was closed early, or what came is no HTTP"
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            got, said = None, f"gave no answer: {cleaned(str(error), self._key) or 'the connection broke'}"
        if got is None:
            raise Unreachable(f"{asked.path} {said}", path=asked.path)
        if isinstance(got, ServiceError):
            raise got
        self._accepted |= asked.keyed
        return got

    async def _exchanged(self, asked: Asked) -> Answer | ServiceError:
        """Return the answer, or the failure that it is; one that is known already need only be confirmed."""
        client, pace = self._client()
        url, path = asked.url, asked.path
        for _ in range(_HOPS + 1):
            copy = self._copy(asked, url)
            known = copy.find(asked.most)
            headers = asked.headers | ({} if known is None else known.condition)
            if asked.keyed and self._key is not None:
                headers[self._carried_by] = self._key.header(self._carried_by)
            sent = client.stream(asked.method, url, headers=headers, content=asked.body)
            del headers
            async with sent as response:
                if response.status_code in asked.redirects:
                    url = redirected(self._base, url, response.headers.get("location", ""), path)
                    continue
                pace.answered(response.headers)
                if response.status_code == 304 and known is not None:
                    return copy.confirmed(known, response.headers, path)
                if response.status_code != 200:
                    if response.status_code in _GONE:
                        copy.forget()
                    return await self._failed(response, path)
                kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                body = await whole(response, path, asked.most)
                copy.take(body, kind, response.headers)
                return Answer(body, kind, path, copy)
        return InvalidAnswer(f"{path} redirects without end", path=path)

    def _copy(self, asked: Asked, url: httpx.URL) -> Copy:
        """Return where the answer of an address may be kept."""
        kept = self._known if asked.body is None else NONE_KNOWN
        return Copy(kept, self._key if asked.keyed else None, str(url), asked.headers["Accept"])

    async def _failed(self, response: httpx.Response, path: str) -> ServiceError:
        """Return the error of a status."""
        body = b""
        with contextlib.suppress(ServiceError, httpx.HTTPError):
            async for piece in inflated(response, path, MOST_BYTES):
                body += piece
                if len(body) > _EXPLAINED:
                    break
        return failure(response.status_code, path, response.headers, body[:_EXPLAINED], self._key, PATIENCE)
