"""Requests to one service: its key, repetitions, and limits of size and time.

The key goes only to the configured origin: a redirect to another one is not followed. A GET is tried again after 408,
425, 429, 5xx and broken connections, six times and 120 seconds in all at most, with jittered back-off or after as long
as the server asks (Retry-After). A POST is sent again only where a busy server (429, 503) says when: it has not done
what was asked. Errors are raised where no request is at hand any more: no traceback holds a header.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
import weakref
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from itertools import islice
from typing import Final

import httpx
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential_jitter,
)

from riskanalytics.client.http.answer import MOST_BYTES, Answer, Key, cleaned, exchange, failure, run, start
from riskanalytics.client.http.known import NONE_KNOWN, Known, KnownAnswers, name_of
from riskanalytics.errors import InvalidAnswer, NotAuthorised, ServiceError, SettingsError, Unreachable

AT_ONCE: Final = 16
"""Most requests on their way at once."""
ATTEMPTS: Final = 6
PATIENCE: Final = 120.0
"""Seconds for one request with all its repetitions; also the longest wait that a server may ask for."""
_STALL: Final = 60.0
"""Seconds without a byte."""
_REPEATED: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 599})
_BUSY: Final = frozenset({429, 503})
_GONE: Final = frozenset({403, 404, 410})
_BACK_OFF: Final = wait_exponential_jitter(multiplier=0.5, max=8, jitter=0.5)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One request; `path` is what errors name."""

    url: httpx.URL
    path: str
    accept: str = "application/json"
    body: bytes | None = None
    keyed: bool = False
    most: int = MOST_BYTES

    def is_repeated(self, error: BaseException) -> bool:
        """Return whether the request is sent again after an error."""
        if not isinstance(error, ServiceError):
            return False
        if self.body is not None:
            return error.status in _BUSY and error.told_to_wait is not None
        return isinstance(error, Unreachable) or error.status in _REPEATED


def _seconds(state: RetryCallState) -> float:
    """Return the seconds before the next attempt."""
    error = state.outcome.exception() if state.outcome else None
    return max(_BACK_OFF(state), getattr(error, "told_to_wait", None) or 0.0)


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
    sleep : callable, optional
        Waits for some seconds between attempts.

    Raises
    ------
    SettingsError
        If the address is not one, or a key would travel in clear to another machine.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | Key | None = None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        known: KnownAnswers = NONE_KNOWN,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._key = Key(api_key) if isinstance(api_key, str) else api_key
        self._base = _checked(base_url, keyed=api_key is not None)
        self._transport, self._known, self._sleep = transport, known, sleep
        self._clients: dict[int, httpx.AsyncClient] = {}
        self._closing = weakref.finalize(self, _close, self._clients)
        self._closing.atexit = False

    @property
    def base_url(self) -> str:
        """Address of the service, without a trailing slash."""
        return str(self._base).rstrip("/")

    def close(self) -> None:
        """Close all connections."""
        for closing in _close(self._clients):
            closing.result(5)

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
        return run(self._tried(self._asked(path, parameters, accept=accept, keyed=keyed), within))

    def post(self, path: str, record: Mapping[str, object], *, within: float = PATIENCE) -> Answer:
        """Send one JSON object to an open endpoint, without the key; parameters and errors as of `get`."""
        return run(self._tried(self._asked(path, body=json.dumps(record).encode()), within))

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
        """Get several resources, 16 at once.

        Parameters
        ----------
        paths : sequence of str
        parameters : mapping, optional
            Of each.
        within : float
            Seconds for all; what has not arrived by then is `Unreachable`.
        keyed, accept
            As `get` takes them.
        most : int
            Bytes of one body.

        Yields
        ------
        tuple of str and Answer or ServiceError
            As they come; no more are read ahead than are on their way at once.
        """
        ends = time.monotonic() + within
        left = iter([self._asked(path, parameters, accept=accept, keyed=keyed, most=most) for path in paths])
        at_once = getattr(self._transport, "at_once", AT_ONCE)
        waiting: dict[Future[Answer], str] = {}
        try:
            while (seconds := ends - time.monotonic()) > 0:
                for asked in islice(left, at_once - len(waiting)):
                    waiting[start(self._tried(asked, within))] = asked.path
                done = wait(waiting, seconds, FIRST_COMPLETED).done
                if not done:
                    break
                future = done.pop()
                path = waiting.pop(future)
                yield path, _outcome(path, future)
            said = f"was not read: the load may take {within:.0f} s, and they were over"
            for path in [*waiting.values(), *(asked.path for asked in left)]:
                yield path, Unreachable(f"{path} {said}", path=path)
        finally:
            for future in waiting:
                future.cancel()

    def _asked(
        self, path: str, parameters: Mapping[str, str | int] | None = None, *, keyed: bool = False, **how: object
    ) -> _Asked:
        """Return a request for one resource."""
        if keyed and self._key is None:
            raise NotAuthorised(f"{path} needs a key: set RISKANALYTICS_API_KEY", status=401, path=path)
        url = httpx.URL(self.base_url + path)
        if parameters:
            url = url.copy_merge_params({name: str(value) for name, value in parameters.items()})
        return _Asked(url, path, keyed=keyed, **how)  # type: ignore[arg-type]

    def _client(self) -> httpx.AsyncClient:
        """Return the client of this process."""
        if os.getpid() not in self._clients:
            inside = self._transport is not None
            # nothing travels to a service in this process, so nothing is packed
            packed = {"Accept-Encoding": "identity" if inside else "gzip, deflate"}
            self._clients[os.getpid()] = httpx.AsyncClient(
                transport=self._transport,
                timeout=_STALL,
                limits=httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE),
                trust_env=not inside,
                headers={**packed, "User-Agent": "riskanalytics-python"},
            )
        return self._clients[os.getpid()]

    async def _tried(self, asked: _Asked, within: float) -> Answer:
        """Send a request until its answer is final, within attempts and seconds."""
        within = min(within, PATIENCE)
        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=stop_after_attempt(ATTEMPTS) | stop_before_delay(within),
            wait=_seconds,
            retry=retry_if_exception(asked.is_repeated),
            reraise=True,
        )
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                return await retrying(self._once, asked)
        said = f"took longer than {within:.0f} s" if within >= 1 else "did not answer in the little time that was left"
        raise Unreachable(f"{asked.path} {said}", path=asked.path)

    async def _once(self, asked: _Asked) -> Answer:
        """Send a request once; raise its failure where no request is at hand any more."""
        got = await self._exchanged(asked)
        if isinstance(got, ServiceError):
            raise got
        return got

    async def _exchanged(self, asked: _Asked) -> Answer | ServiceError:
        """Return the answer to a request, or its failure; an answer that is known already need only be confirmed."""
        client, key, path = self._client(), self._key if asked.keyed else None, asked.path
        name = name_of(key, str(asked.url), asked.accept) if asked.body is None else ""
        known = self._known.find(name) if name else None
        headers = {"Accept": asked.accept, **({} if key is None else key.header())}
        if asked.body is not None:
            headers["Content-Type"] = "application/json"
        if known is not None:
            headers["If-None-Match"] = known.tag
        said = "gave no answer"
        try:
            request = client.build_request(
                "GET" if asked.body is None else "POST", asked.url, headers=headers, content=asked.body
            )
            response, body = await exchange(client, request, path, asked.most, partial(_same_origin, path))
            return self._received(asked, response, body, name, known)
        except ServiceError as error:
            return error.with_traceback(None)
        except (httpx.InvalidURL, UnicodeError):
            return InvalidAnswer(f"{path} redirects to what is not an address", path=path)
        except zlib.error:
            return InvalidAnswer(f"{path} answered a damaged body", path=path)
        except httpx.RemoteProtocolError:
            said = "gave no whole answer: the connection was closed early, or what came is not HTTP"
        except httpx.TimeoutException:
            said = f"sent nothing for {_STALL:.0f} s"
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            said = f"gave no answer: {cleaned(str(error), self._key) or 'the connection broke'}"
        return Unreachable(f"{path} {said}", path=path)

    def _received(
        self, asked: _Asked, response: httpx.Response, body: bytes, name: str, known: Known | None
    ) -> Answer | ServiceError:
        """Return what came as an answer, or as the failure that it is."""
        status, headers = response.status_code, response.headers
        if status == 304 and known is not None:
            if headers.get("etag", known.tag).removeprefix("W/") == known.tag.removeprefix("W/"):
                return Answer(known.body, known.content_type, asked.path, partial(self._known.keep, name, None))
            self._known.forget(name)
            return Unreachable(f"{asked.path} confirmed another version than the one that was asked for")
        if status != 200:
            if status in _GONE:
                self._known.forget(name)
            return failure(status, asked.path, headers, body, self._key, PATIENCE)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        fresh = Known.of(body, kind, headers)
        is_mine = response.request.url == asked.url and asked.body is None
        if fresh is None or not is_mine or (asked.keyed and self._key and self._key.is_in(fresh.content)):
            return Answer(body, kind, asked.path)
        return Answer(body, kind, asked.path, partial(self._known.keep, name, fresh))


def _outcome(path: str, future: Future[Answer]) -> Answer | ServiceError:
    """Return what a request came to: whatever one answer sets off, the others are still given."""
    error = future.exception()
    if error is None or isinstance(error, ServiceError):
        return error or future.result()
    return InvalidAnswer(f"{path} cannot be read ({type(error).__name__})", path=path)


def _close(clients: dict[int, httpx.AsyncClient]) -> list[Future[None]]:
    """Close the client of this process, without waiting: the collector of memory may call this in any thread."""
    client = clients.pop(os.getpid(), None)
    return [] if client is None else [start(client.aclose())]


def _same_origin(path: str, before: httpx.URL, after: httpx.URL) -> None:
    """Refuse a redirect to another origin."""
    if (after.scheme, after.host, after.port, after.userinfo) != (before.scheme, before.host, before.port, b""):
        raise InvalidAnswer(f"{path} redirects to another origin: not followed", path=path)


def _checked(base_url: str, *, keyed: bool) -> httpx.URL:
    """Refuse an address that is not one, or that a key would travel to in clear."""
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise SettingsError("the base address is not a URL: give one like https://service.example")
    if keyed and url.scheme == "http" and not _is_loopback(url.host):
        raise SettingsError("a key would travel in clear: use https, or a service on this machine")
    return url.copy_with(userinfo=b"", query=None, fragment=None)


def _is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in ("localhost", "ip6-localhost")
