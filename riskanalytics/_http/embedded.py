"""A transport to an application in this process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]


class InProcessTransport(httpx.BaseTransport):
    """Speaks to an ASGI application in this process, on a thread and loop of its own.

    So it works inside a running notebook loop too.

    Parameters
    ----------
    app : ASGI application
    """

    def __init__(self, app: AsgiApp) -> None:
        self._transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="riskanalytics-embedded", daemon=True)
        self._thread.start()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        return asyncio.run_coroutine_threadsafe(self._answered(request), self._loop).result()

    async def _answered(self, request: httpx.Request) -> httpx.Response:
        """Answer on the loop's thread, body whole."""
        asked = httpx.Request(request.method, request.url, headers=request.headers, content=request.read())
        response = await self._transport.handle_async_request(asked)
        body = b"".join([piece async for piece in response.stream])  # type: ignore[union-attr]
        if response.is_server_error:
            response.headers.pop("Retry-After", None)  # nobody else keeps a service of this process busy
        return httpx.Response(response.status_code, headers=response.headers, stream=httpx.ByteStream(body))

    def close(self) -> None:
        """End the loop and its thread."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._loop.shutdown_default_executor(), self._loop).result(5)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(5)
            self._loop.close()


class Inside(httpx.AsyncBaseTransport):
    """A transport that answers without a network, for a client that is asynchronous."""

    def __init__(self, transport: httpx.BaseTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, in a thread."""
        return await asyncio.to_thread(self._transport.handle_request, request)
