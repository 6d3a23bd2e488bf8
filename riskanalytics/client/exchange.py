"""Requests on a separate event loop, and requests to untrusted addresses, such as those in an archive.

Coroutines run on an event loop in a separate thread: they can be cancelled at any time, also if the caller's loop is running.

Untrusted addresses never reach the local network. Only http and https are allowed. The host name is resolved once for each hop;
all its IP addresses must be public, and the connection uses exactly these. At most three redirects are followed, never
from https to http. No key, cookie or proxy is used. Size and time are limited.
"""

import asyncio
import os
import re
import socket
import threading
import zlib
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from ipaddress import ip_address
from typing import Any, Final, TypeVar

import httpx

from riskanalytics.errors import InvalidAnswer, ServiceError, Unreachable
from riskanalytics.text.untrusted import is_public_address

from .answers import Answer

T = TypeVar("T")
Body = tuple[bytes, Mapping[str, str]]
"""Content to post, and headers that describe it, such as its media type."""
Check = Callable[[str, httpx.URL, httpx.URL], None]
"""Checks a redirect: takes the request's name for errors, and the addresses before and after; raises to refuse it."""
_LOOPS: Final[dict[int, asyncio.AbstractEventLoop]] = {}
"""Process id -> event loop of that process: a forked child needs a loop of its own."""
_LOCK: Final = threading.Lock()


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on the event loop of this process, and return its future."""
    with _LOCK:
        if os.getpid() not in _LOOPS:
            _LOOPS[os.getpid()] = made = asyncio.new_event_loop()
            # not run_forever: without a permanent task, anyio starts and ends a thread for each request
            forever = asyncio.Event().wait()
            threading.Thread(target=made.run_until_complete, args=(forever,), name="riskanalytics", daemon=True).start()
    return asyncio.run_coroutine_threadsafe(coroutine, _LOOPS[os.getpid()])


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the event loop of this process, and return its result; it is cancelled when the caller is interrupted."""
    future = start(coroutine)
    try:
        return future.result()
    finally:
        future.cancel()


async def exchange(
    client: httpx.AsyncClient, request: httpx.Request, path: str, most: int, check: Check
) -> tuple[httpx.Response, bytes]:
    """Send a request, and return the response with its body.

    Parameters
    ----------
    client : httpx.AsyncClient
        Must not follow redirects itself.
    request : httpx.Request
    path : str
        Name of the request in errors.
    most : int
        Maximum size of the decoded body in bytes.
    check : callable
        Called before a redirect of a GET is followed, with `path` and the addresses before and after; raises to refuse it.

    Raises
    ------
    InvalidAnswer
        If the body is too large or has an unknown encoding, or there are too many redirects.
    Unreachable
        If the body is incomplete.
    httpx.HTTPError, httpx.InvalidURL, zlib.error, OSError
        If the request fails, an address is invalid, or the body cannot be decompressed.
    """
    for _ in range(4):
        response = await client.send(request, stream=True)
        try:
            following = response.next_request if request.method == "GET" else None
            if following is None:
                return response, await _decoded(response, path, most)
        finally:
            await response.aclose()
        check(path, request.url, following.url)
        # an entity tag applies to one address only
        following.headers.pop("If-None-Match", None)
        request = following
    raise InvalidAnswer(f"{path} redirects too often")


async def _decoded(response: httpx.Response, path: str, most: int) -> bytes:
    """Return the body, decompressed with bounded output: httpx decompresses each packet completely."""
    coding = response.headers.get("content-encoding", "").strip().lower() or "identity"
    if coding not in ("identity", "gzip"):
        raise InvalidAnswer(
            f"the response of {path} has the content encoding {coding[:40]!r}, which was not requested: "
            "check the service, or a proxy in front of it"
        )
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16) if coding == "gzip" else None
    body, raw = bytearray(), b""
    async for raw in response.aiter_raw():
        body += inflate.decompress(raw, most + 1 - len(body)) if inflate else raw
        if len(body) > most:
            raise InvalidAnswer(f"{path} returned more than {most / (1 << 20):g} MiB, the most that is read")
    if inflate and raw and not inflate.eof:
        raise Unreachable(f"{path} was cut off")
    return bytes(body)


class _CheckedTransport(httpx.AsyncHTTPTransport):
    """Connects to the address that was checked."""

    def __init__(self, named: str, *, private: bool) -> None:
        super().__init__(trust_env=False)
        self._named, self._private = named, private

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to an IP address of its host; refuse it if the URL or one of the host's addresses is not allowed."""
        url = request.url
        if url.scheme not in ("http", "https") or not url.host or url.userinfo:
            raise InvalidAnswer(
                f"{self._named} is not fetched: an address must begin with http or https and have no user name"
            )
        loop, port = asyncio.get_running_loop(), url.port or (443 if url.scheme == "https" else 80)
        rows = await loop.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
        addresses = [ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
        if not self._private and not all(map(is_public_address, addresses)):
            raise InvalidAnswer(f"{self._named} is in a private network, so it is not fetched")
        place, extensions = url.copy_with(host=str(addresses[0])), {**request.extensions, "sni_hostname": url.host}
        checked = httpx.Request(
            request.method, place, headers=request.headers, stream=request.stream, extensions=extensions
        )
        return await super().handle_async_request(checked)


def fetch(
    url: str, *, private: bool = False, body: Body | None = None, seconds: float = 30, most_bytes: int = 32 << 20
) -> Answer:
    """Get the resource at an untrusted address, or post to it if there is a body.

    Parameters
    ----------
    url : str
    private : bool
        Whether addresses of this machine and of private networks are allowed.
    body : Body, optional
        Content to post and its headers; then redirects are refused.
    seconds : float
        Maximum number of seconds, including redirects.
    most_bytes : int
        Maximum size of the answer.

    Returns
    -------
    Answer

    Raises
    ------
    ServiceError
        If the address is not allowed, or gives no complete answer with status 200 (to a post: 2xx) within the limits.
    """
    return run(_fetched(url, private, body, seconds, most_bytes))


async def _fetched(url: str, private: bool, body: Body | None, seconds: float, most: int) -> Answer:
    """Follow an address and its redirects."""
    named = _named(url)
    content, own = body or (None, {})
    headers = {"Accept-Encoding": "identity", **own}
    transport = _CheckedTransport(named, private=private)
    try:
        async with asyncio.timeout(seconds), httpx.AsyncClient(transport=transport, timeout=seconds) as client:
            request = client.build_request("POST" if body else "GET", url, headers=headers, content=content)
            response, content = await exchange(client, request, named, most, _stays_safe)
    except (httpx.HTTPError, zlib.error, OSError) as error:
        late = f" in {seconds:.0f} s" if isinstance(error, TimeoutError | httpx.TimeoutException) else ""
        raise Unreachable(f"{named} gave no complete answer{late} ({type(error).__name__})") from error
    except (httpx.InvalidURL, ValueError) as error:
        raise InvalidAnswer(f"{named} is not a valid address, or redirects to an invalid one") from error
    if not (response.is_success if body else response.status_code == 200):
        raise ServiceError(f"{named} returned status {response.status_code}", status=response.status_code)
    return Answer(content, response.headers.get("content-type", ""), named)


def _stays_safe(named: str, before: httpx.URL, after: httpx.URL) -> None:
    """Refuse a redirect from https to http."""
    if (before.scheme, after.scheme) == ("https", "http"):
        raise InvalidAnswer(f"{named} redirects from https to http, so the redirect is not followed")


def _named(url: str) -> str:
    """Return an address for one line of an error: without query and user, shortened."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in re.split("[?#]", url)[0])
    return re.sub("(?<=://).*@", "", shown)[:150]
