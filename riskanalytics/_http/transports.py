"""Transports without a network: to an application in this process, and to answers that were kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import httpx


class InProcessTransport(httpx.ASGITransport):
    """Speaks to an ASGI application in this process, on the loop of all requests.

    Parameters
    ----------
    app : ASGI application
    at_once : int
        Requests that gain from being on their way together: one where all work is this process's own.
    """

    def __init__(self, app: Callable[[Any, Any, Any], Awaitable[None]], at_once: int = 1) -> None:
        super().__init__(app=app, raise_app_exceptions=False)
        self.at_once = at_once

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        response = await super().handle_async_request(request)
        if response.is_server_error:
            response.headers.pop("Retry-After", None)  # nobody else keeps a service of this process busy
        return response


class Kept(NamedTuple):
    """An answer that was kept.

    Parameters
    ----------
    status : int
        HTTP status.
    content_type : str
    body : bytes
    """

    status: int
    content_type: str
    body: bytes


class RecordedTransport(httpx.AsyncBaseTransport):
    """Answers GET requests from what was kept, and others with 404.

    Parameters
    ----------
    answer : callable
        Takes a path, unquoted, and the query; called from several threads.
    """

    def __init__(self, answer: Callable[[str, Mapping[str, str]], Kept]) -> None:
        self._answer = answer

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, in a thread."""
        asked = dict(request.url.params) if request.method == "GET" else {"": request.method}
        status, kind, body = await asyncio.to_thread(self._answer, request.url.path, asked)
        return httpx.Response(status, headers={"Content-Type": kind}, stream=httpx.ByteStream(body))
