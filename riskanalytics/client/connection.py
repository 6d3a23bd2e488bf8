"""Requests to one service: the key, retries, and limits of size and time.

The key is sent to the configured origin only; redirects to another origin are not followed. A GET is retried after 408, 425,
429, 5xx and broken connections, at most six times and 120 seconds in all, after a jittered back-off or the time in
Retry-After. An address that never answered is tried twice. A POST is sent again only if a busy server (429, 503) gives a
Retry-After, since it has then not processed the request. Errors are raised only after the function that sent the request has
returned, so that no traceback contains a header.
"""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple

import httpx
import tenacity

from riskanalytics import errors
from riskanalytics.errors import ServiceError, Unreachable
from riskanalytics.settings.databases import without_login

from .answers import NONE_KNOWN, PATIENCE, Answer, Key, Known, KnownAnswers, cleaned, failure
from .exchange import exchange, run, start
from .reading import Query

Transport = httpx.AsyncBaseTransport
Got = Answer | ServiceError
"""A response, or the reason why it is missing."""
AT_ONCE: Final = 16
"""Maximum number of parallel requests."""
ATTEMPTS: Final = 6
MOST_BYTES: Final = 16 << 20
"""Maximum size of a decoded body in bytes."""
_STALL: Final = 60.0
"""Maximum number of seconds without data."""
_CONNECT: Final = 5.0
"""Maximum number of seconds for connecting."""
_CONNECTS: Final = 2
"""Number of attempts to connect to an address that never answered."""
_BACK_OFF: Final = tenacity.wait_exponential_jitter(multiplier=0.5, max=8, jitter=0.5)
_NOBODY: Final = Key("")


class InProcessTransport(httpx.ASGITransport):
    """Transport to an ASGI application in this process, which runs on the same event loop as the requests.

    Parameters
    ----------
    app : ASGI application
        The application that answers the requests.
    at_once : int
        Number of requests worth sending in parallel: one if all work is done in this process.
    """

    def __init__(self, app: Callable[..., Awaitable[None]], at_once: int = 1) -> None:
        super().__init__(app=app, raise_app_exceptions=False)
        self.at_once = at_once


def recorded(answer: Callable[[str, Mapping[str, str]], tuple[int, str, bytes]]) -> Transport:
    """Return an httpx transport that answers requests from recorded responses, without a network.

    Parameters
    ----------
    answer : callable
        Takes the unquoted path and the query of a request; for a method other than GET, it takes `{"": METHOD}` as the query.
        Returns the status, the media type and the body of the response.
    """

    def answered(request: httpx.Request) -> httpx.Response:
        query = dict(request.url.params) if request.method == "GET" else {"": request.method}
        status, kind, body = answer(request.url.path, query)
        return httpx.Response(status, headers={"Content-Type": kind}, stream=httpx.ByteStream(body))

    return httpx.MockTransport(answered)


class _Request(NamedTuple):
    """One request; `path` is its name in errors."""

    url: httpx.URL
    path: str
    accept: str = "application/json"
    body: bytes | None = None
    keyed: bool = False
    most: int = MOST_BYTES

    def is_repeated(self, got: Got) -> bool:
        """Return whether the request is sent again after this response or error."""
        if isinstance(got, Answer):
            return False
        if self.body is not None:
            return got.status in (429, 503) and got.retry_after is not None
        return isinstance(got, Unreachable) or got.status in (408, 425, 429, 500) or got.status > 501


class _StopIfDead(tenacity.stop.stop_base):
    """Stop after `_CONNECTS` attempts if the last one made no connection."""

    def __call__(self, state: tenacity.RetryCallState) -> bool:
        return state.attempt_number >= _CONNECTS and isinstance(_last(state), errors.NoConnection)


def _last(state: tenacity.RetryCallState) -> Any:
    """Return the result of the last attempt."""
    return state.outcome and state.outcome.result()


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
        Cached responses of earlier runs, for conditional requests.

    Raises
    ------
    SettingsError
        If the address is invalid, or a key would be sent unencrypted to another machine.
    """

    _sleep = staticmethod(asyncio.sleep)

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        transport: Transport | None = None,
        known: KnownAnswers = NONE_KNOWN,
    ) -> None:
        self._key = Key(api_key or "")
        self.base_url = _checked(base_url, keyed=bool(self._key))
        self._transport, self._known = transport, known
        self._reached = False

    def close(self) -> None:
        """Close all connections."""
        if "_client" in vars(self):
            start(self._client.aclose()).result(5)
            del self._client

    def get(self, path: str, query: Query | None = None, *, within: float = PATIENCE, **how: Any) -> Answer:
        """Get one resource.

        Parameters
        ----------
        path : str
            Path below the base address: it begins with `/`, and its segments are quoted for URLs.
        query : mapping, optional
            Names and values of the query string.
        within : float
            Maximum number of seconds, including waits and retries.
        **how
            `keyed`, whether to send the key; `accept`, a media type; `most`, the maximum size of the body in bytes.

        Returns
        -------
        Answer

        Raises
        ------
        ServiceError
            If the request fails. A subclass names the failure, such as `RateLimited`; see `riskanalytics.errors`.
        """
        got = run(self._tried(self._request(path, query, **how), within))
        if isinstance(got, ServiceError):
            raise got
        return got

    def post(self, path: str, record: Mapping[str, object], *, within: float = PATIENCE) -> Answer:
        """Post a JSON object (`record`) to an endpoint that needs no key, and return its answer.

        The key is not sent. Other parameters and errors are as for `get`.
        """
        return self.get(path, within=within, body=json.dumps(record).encode())

    def get_each(
        self, paths: Sequence[str], query: Query | None = None, *, within: float, **how: Any
    ) -> Iterator[tuple[str, Got]]:
        """Get several resources with up to 16 parallel requests.

        Parameters
        ----------
        paths : sequence of str
        query : mapping, optional
            Query of each request.
        within : float
            Maximum number of seconds for all; resources not received by then are `Unreachable`.
        **how
            `keyed`, whether to send the key; `accept`, a media type; `most`, the maximum size of each body in bytes.

        Yields
        ------
        tuple of str and Answer or ServiceError
            Each path and its answer or error, in order of arrival. Requests are sent only as fast as results are taken.
        """
        ends = time.monotonic() + within
        left = iter([self._request(path, query, **how) for path in paths])
        at_once = getattr(self._transport, "at_once", AT_ONCE)
        waiting: dict[Future[Got], str] = {}
        try:
            while (seconds := ends - time.monotonic()) > 0:
                waiting |= {start(self._tried(one, within)): one.path for one in islice(left, at_once - len(waiting))}
                done = wait(waiting, seconds, FIRST_COMPLETED).done
                if not done:
                    break
                for future in done:
                    yield waiting.pop(future), future.result()
            for path in [*waiting.values(), *(request.path for request in left)]:
                yield path, Unreachable(f"{path} was not read in time: the load may take {within:.0f} s")
        finally:
            for future in waiting:
                future.cancel()

    def _request(self, path: str, query: Query | None = None, **how: Any) -> _Request:
        """Return a request for one resource."""
        if how.get("keyed") and not self._key:
            raise errors.NotAuthorised(f"{path} needs a key: set RISKANALYTICS_API_KEY", status=401)
        return _Request(httpx.URL(self.base_url + path).copy_merge_params(query or {}), path, **how)

    async def _tried(self, request: _Request, within: float) -> Got:
        """Send a request until its answer is final, within the limits of attempts and seconds."""
        within = min(within, PATIENCE)
        retrying = tenacity.AsyncRetrying(
            sleep=self._sleep,
            stop=tenacity.stop_after_attempt(ATTEMPTS) | tenacity.stop_before_delay(within) | _StopIfDead(),
            wait=lambda state: max(_BACK_OFF(state), _last(state).retry_after or 0.0),
            retry=tenacity.retry_if_result(request.is_repeated),
            retry_error_callback=_last,
        )
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                return await retrying(self._exchanged, request)
        return Unreachable(f"{request.path} took longer than {within:.3g} s")

    @cached_property
    def _client(self) -> httpx.AsyncClient:
        """The client of httpx."""
        # no network is used for a service in this process
        coding = "identity" if self._transport else "gzip"
        headers = {"Accept-Encoding": coding, "User-Agent": "riskanalytics-python"}
        limits = httpx.Timeout(_STALL, connect=_CONNECT)
        return httpx.AsyncClient(transport=self._transport, timeout=limits, headers=headers)

    async def _exchanged(self, request: _Request) -> Got:
        """Return the answer to a request, or its failure; a cached answer needs only a confirmation."""
        client, key, path = self._client, self._key if request.keyed else _NOBODY, request.path
        name = f"{key.digest(str(request.url), request.accept)}.answer"
        headers, known, method = {"Accept": request.accept, **key.header()}, None, "GET"
        if request.body is not None:
            headers["Content-Type"], method = "application/json", "POST"
        elif known := self._known.find(name):
            headers["If-None-Match"] = known.tag
        try:
            sent = client.build_request(method, request.url, headers=headers, content=request.body)
            response, body = await exchange(client, sent, path, request.most, _same_origin)
            self._reached = True
            return self._received(request, response, body, name, known)
        except ServiceError as error:
            return error.with_traceback(None)
        except errors.PullError:
            # not a failure of the server
            raise
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            why = cleaned(self._key.taken_out(str(error).encode()).decode()) or f"no answer in {_CONNECT:.0f} s"
            # a server that answered before may be restarting
            kind = Unreachable if self._reached else errors.NoConnection
            return kind(f"{without_login(self.base_url)} cannot be reached ({why}): check the address")
        except httpx.RemoteProtocolError:
            said = "sent no complete response: it closed the connection early, or is not an HTTP server"
        except httpx.TimeoutException:
            said = f"sent nothing for {_STALL:.0f} s"
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            why = cleaned(self._key.taken_out(str(error).encode()).decode())
            said = f"gave no answer: {why or 'the connection broke'}"
        # any other error of one answer affects that answer only
        except Exception:  # noqa: BLE001
            return errors.InvalidAnswer(f"{path} has a damaged body, or redirects to an invalid address")
        return Unreachable(f"{path} {said}")

    def _received(
        self, request: _Request, response: httpx.Response, body: bytes, name: str, known: Known | None
    ) -> Got:
        """Return a response as an answer or a failure, without the key if it repeats the key."""
        status, headers, body = response.status_code, response.headers, self._key.taken_out(body)
        kind = headers.get("content-type", "")
        if status == 304 and known:
            if headers.get("etag", known.tag).removeprefix("W/") != known.tag.removeprefix("W/"):
                self._known.forget(name)
                return Unreachable(f"{request.path} confirmed a different version from the cached one")
            body, kind = known.body, known.content_type
        elif status != 200:
            return failure(status, request.path, headers, body)
        elif response.request.url == request.url and request.body is None:
            self._known.keep(name, body, headers, self._key)
        return Answer(body, kind, request.path)


def _same_origin(path: str, before: httpx.URL, after: httpx.URL) -> None:
    """Refuse a redirect to another origin."""
    if (after.scheme, after.host, after.port, after.userinfo) != (before.scheme, before.host, before.port, b""):
        raise errors.InvalidAnswer(
            f"{path} redirects to another origin, so the redirect is not followed: check the address of the service"
        )


def _checked(base_url: str, *, keyed: bool) -> str:
    """Return an address without a trailing slash; refuse an invalid one, or one to which a key would be sent unencrypted."""
    try:
        url = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise errors.SettingsError(
            "the address of the service is not a URL with http or https: give one like https://service.example"
        )
    if keyed and url.scheme == "http" and not re.fullmatch(r"localhost|ip6-localhost|::1|127(\.\d{1,3}){3}", url.host):
        raise errors.SettingsError("a key would be sent unencrypted: use https, or a service on this machine")
    return str(url.copy_with(userinfo=b"", query=None, fragment=None)).rstrip("/")
