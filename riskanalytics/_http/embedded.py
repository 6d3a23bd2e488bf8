"""A transport to an application in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]


class InProcessTransport(httpx.AsyncBaseTransport):
    """Speaks to an ASGI application in this process, on the loop of the connection.

    That one runs in a thread of its own, so it works inside a running notebook loop too, and a request is handed to no
    other thread: each such step costs more than the answer.

    Parameters
    ----------
    app : ASGI application
    at_once : int
        Requests that gain from being on their way together: one where all work is this process's own.
    """

    def __init__(self, app: AsgiApp, at_once: int = 1) -> None:
        self.at_once = at_once
        self._transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, body whole."""
        asked = httpx.Request(request.method, request.url, headers=request.headers, content=request.read())
        response = await self._transport.handle_async_request(asked)
        body = b"".join([piece async for piece in response.stream])  # type: ignore[union-attr]
        if response.is_server_error:
            response.headers.pop("Retry-After", None)  # nobody else keeps a service of this process busy
        return httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(body))


class InThreads(httpx.AsyncBaseTransport):
    """A transport that answers without a network and without a loop, for a client that is asynchronous."""

    def __init__(self, transport: httpx.BaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, in a thread."""
        return await asyncio.to_thread(self._transport.handle_request, request)
