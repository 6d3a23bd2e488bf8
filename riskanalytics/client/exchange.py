"""Requests on a loop of their own, and addresses that somebody else has written, such as an archive's.

A coroutine runs on a loop in a thread. It can end at any moment, whatever a server does, and serves callers that run a
loop themselves.

An address of others never leads into this network: only http and https; the name is looked up once for each hop, every
address that it has must be public, and the connection goes to that very address, so that no second look-up leads elsewhere.
Three redirects are followed, from https never to http. No key, cookie or proxy is used. Size and time are limited.
"""

import asyncio
import os
import re
import socket
import threading
import zlib
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from ipaddress import ip_address
from typing import Any, Final, TypeVar

import httpx

from riskanalytics.errors import InvalidAnswer, ServiceError, Unreachable
from riskanalytics.text.untrusted import is_public_address

from .answers import Answer

T = TypeVar("T")
Check = Callable[[str, httpx.URL, httpx.URL], None]
"""Takes what errors call the request, and the addresses before and after a redirect; refuses one not to be followed."""
_LOOPS: Final[dict[int, asyncio.AbstractEventLoop]] = {}
"""Process -> its loop: a forked child needs its own."""
_LOCK: Final = threading.Lock()


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on the loop of this process."""
    with _LOCK:
        if os.getpid() not in _LOOPS:
            _LOOPS[os.getpid()] = made = asyncio.new_event_loop()
            # not run_forever: where no task lasts as long as the loop, anyio starts and ends a thread for each request
            forever = asyncio.Event().wait()
            threading.Thread(target=made.run_until_complete, args=(forever,), name="riskanalytics", daemon=True).start()
    return asyncio.run_coroutine_threadsafe(coroutine, _LOOPS[os.getpid()])


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns; it ends when the caller is interrupted."""
    future = start(coroutine)
    try:
        return future.result()
    finally:
        future.cancel()


async def exchange(
    client: httpx.AsyncClient, request: httpx.Request, path: str, most: int, check: Check
) -> tuple[httpx.Response, bytes]:
    """Send a request, and return the answer with its body.

    Parameters
    ----------
    client : httpx.AsyncClient
        Follows no redirects itself.
    request : httpx.Request
    path : str
        For errors.
    most : int
        Bytes of the decoded body.
    check : callable
        Asked before a redirect of a GET is followed.

    Raises
    ------
    InvalidAnswer
        If the body is too large or of an unknown encoding, or the redirects do not end.
    Unreachable
        If the body is cut off.
    httpx.HTTPError, httpx.InvalidURL, zlib.error, OSError
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
        # a tag speaks of one address only
        following.headers.pop("If-None-Match", None)
        request = following
    raise InvalidAnswer(f"{path} redirects without end")


async def _decoded(response: httpx.Response, path: str, most: int) -> bytes:
    """Return the body, inflated with bounded output: httpx inflates each packet whole."""
    coding = response.headers.get("content-encoding", "").strip().lower() or "identity"
    if coding not in ("identity", "gzip"):
        raise InvalidAnswer(f"{path} answered in an encoding that was not asked for")
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 16) if coding == "gzip" else None
    body, raw = bytearray(), b""
    async for raw in response.aiter_raw():
        body += inflate.decompress(raw, most + 1 - len(body)) if inflate else raw
        if len(body) > most:
            raise InvalidAnswer(f"{path} answered more than {most >> 20} MiB")
    if inflate and raw and not inflate.eof:
        raise Unreachable(f"{path} was cut off")
    return bytes(body)


class _CheckedTransport(httpx.AsyncHTTPTransport):
    """Connects to the address that was checked."""

    def __init__(self, named: str, *, private: bool) -> None:
        super().__init__(trust_env=False)
        self._named, self._private = named, private

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        url = request.url
        if url.scheme not in ("http", "https") or not url.host or url.userinfo:
            raise InvalidAnswer(f"{self._named}: only http and https addresses without a user's name are fetched")
        loop, port = asyncio.get_running_loop(), url.port or (443 if url.scheme == "https" else 80)
        rows = await loop.getaddrinfo(url.host, port, type=socket.SOCK_STREAM)
        addresses = [ip_address(str(row[4][0]).partition("%")[0]) for row in rows]
        if not self._private and not all(map(is_public_address, addresses)):
            raise InvalidAnswer(f"{self._named} leads into a private network: not fetched")
        place, extensions = url.copy_with(host=str(addresses[0])), {**request.extensions, "sni_hostname": url.host}
        checked = httpx.Request(
            request.method, place, headers=request.headers, stream=request.stream, extensions=extensions
        )
        return await super().handle_async_request(checked)


def fetch(
    url: str,
    *,
    private: bool = False,
    body: tuple[bytes, str] | None = None,
    seconds: float = 30,
    most_bytes: int = 32 << 20,
) -> Answer:
    """Get what an address gives; post to it where there is a body.

    Parameters
    ----------
    url : str
    private : bool
        Whether addresses of this machine and of private networks may be reached.
    body : tuple of bytes and str, optional
        What is posted, and its media type; redirects are refused then.
    seconds : float
        In all, with redirects.
    most_bytes : int
        Of the answer.

    Returns
    -------
    Answer

    Raises
    ------
    ServiceError
        If the address may not be reached, or gives no whole answer of status 200 within size and time.
    """
    return run(_fetched(url, private, body, seconds, most_bytes))


async def _fetched(url: str, private: bool, body: tuple[bytes, str] | None, seconds: float, most: int) -> Answer:
    """Follow an address and its redirects."""
    named = _named(url)
    content, kind = body or (None, "")
    headers = {"Accept-Encoding": "identity", **({"Content-Type": kind} if kind else {})}
    transport = _CheckedTransport(named, private=private)
    try:
        async with asyncio.timeout(seconds), httpx.AsyncClient(transport=transport, timeout=seconds) as client:
            request = client.build_request("POST" if body else "GET", url, headers=headers, content=content)
            response, content = await exchange(client, request, named, most, _stays_safe)
    except (httpx.HTTPError, zlib.error, OSError) as error:
        late = f" in {seconds:.0f} s" if isinstance(error, TimeoutError | httpx.TimeoutException) else ""
        raise Unreachable(f"{named} gave no whole answer{late} ({type(error).__name__})") from error
    except (httpx.InvalidURL, ValueError) as error:
        raise InvalidAnswer(f"{named} is not an address, or redirects to what is not") from error
    if response.status_code != 200:
        raise ServiceError(f"{named} answered status {response.status_code}", status=response.status_code)
    return Answer(content, response.headers.get("content-type", ""), named)


def _stays_safe(named: str, before: httpx.URL, after: httpx.URL) -> None:
    """Refuse a redirect from https to http."""
    if (before.scheme, after.scheme) == ("https", "http"):
        raise InvalidAnswer(f"{named} redirects from https to http: not followed")


def _named(url: str) -> str:
    """Return an address fit for one line of an error: no query, no user, not long."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in re.split("[?#]", url)[0])
    return re.sub("(?<=://).*@", "", shown)[:150]
