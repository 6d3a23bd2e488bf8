"""One exchange over HTTP within limits of size and hops, on a loop in a thread of its own.

A coroutine on that loop can end at any moment, whatever a server does, and works for callers inside a running loop too.
"""

from __future__ import annotations

import asyncio
import io
import os
import threading
import zlib
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import httpx

from riskanalytics.errors import InvalidAnswer, Unreachable

T = TypeVar("T")
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one decoded body."""
_HOPS: Final = 3
_LOOPS: Final[dict[int, asyncio.AbstractEventLoop]] = {}
"""Process -> its loop: a forked child needs its own."""
_LOCK: Final = threading.Lock()


def loop() -> asyncio.AbstractEventLoop:
    """Return the loop on which the requests of this process run."""
    with _LOCK:
        if os.getpid() not in _LOOPS:
            _LOOPS[os.getpid()] = made = asyncio.new_event_loop()
            # not run_forever: where no task lasts as long as the loop, anyio starts and ends a thread for each request
            forever = asyncio.Event().wait()
            threading.Thread(
                target=made.run_until_complete, args=(forever,), name="riskanalytics-http", daemon=True
            ).start()
        return _LOOPS[os.getpid()]


def start(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Start a coroutine on the loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, loop())


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine returns; it ends when the caller is interrupted."""
    future = start(coroutine)
    try:
        return future.result()
    finally:
        future.cancel()


async def exchange(
    client: httpx.AsyncClient,
    request: httpx.Request,
    path: str,
    most: int,
    check: Callable[[httpx.URL, httpx.URL], None],
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
        Takes the addresses before and after a redirect of a GET, and refuses one that may not be followed.

    Raises
    ------
    InvalidAnswer
        If the body is too large or of an unknown encoding, or the redirects do not end.
    Unreachable
        If the body is cut off.
    httpx.HTTPError, httpx.InvalidURL, zlib.error, OSError
    """
    for _ in range(_HOPS + 1):
        response = await client.send(request, stream=True)
        try:
            following = response.next_request if request.method == "GET" else None
            if following is None:
                return response, await _decoded(response, path, most)
        finally:
            await response.aclose()
        check(request.url, following.url)
        following.headers.pop("If-None-Match", None)  # a tag speaks of one address only
        request = following
    raise InvalidAnswer(f"{path} redirects without end", path=path)


async def _decoded(response: httpx.Response, path: str, most: int) -> bytes:
    """Return the body, inflated with bounded output: httpx inflates each packet whole."""
    coding = response.headers.get("content-encoding", "identity").strip().lower() or "identity"
    if coding not in ("identity", "gzip", "x-gzip", "deflate"):
        raise InvalidAnswer(f"{path} answered in an encoding that was not asked for", path=path)
    body, raw = io.BytesIO(), b""
    inflate = None if coding == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for raw in response.aiter_raw():
        body.write(raw if inflate is None else inflate.decompress(raw, most + 1 - body.tell()))
        if body.tell() > most:
            raise InvalidAnswer(f"{path} answered more than {most >> 20} MiB", path=path)
    if inflate is not None and raw and not inflate.eof:
        raise Unreachable(f"{path} was cut off", path=path)
    return body.getvalue()
