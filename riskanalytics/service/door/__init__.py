"""Processing of each request before and after its handler.

This module adds what every response has: request id, security headers, HEAD, CORS and one log line. `gate` checks keys
and rate limits; `problems` turns failures into responses.
"""

import logging
import secrets
import time
from typing import Final

from anyio import to_thread
from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .gate import is_keyed, judged
from .problems import failed

_LOG: Final = logging.getLogger("riskanalytics.service")
_ALWAYS: Final = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}


class Door:
    """ASGI middleware that checks key and rate limit of every request, and adds the headers that every response has.

    Web pages of any site may read the responses to requests that need no key (Fetch standard, CORS).

    Parameters
    ----------
    app : ASGI application
        Application that answers the requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open = CORSMiddleware(
            self._admitted, allow_origins=["*"], allow_methods=["GET", "HEAD"], allow_headers=["If-None-Match"],
            expose_headers=["ETag", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"], max_age=86400,
        )  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; HEAD is answered like GET, without the body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["request_id"] = request_id = secrets.token_hex(8)
        scope["added"] = added = _ALWAYS | {"X-Request-Id": request_id}
        method, began, status = scope["method"], time.monotonic(), 0
        if method == "HEAD":
            scope["method"] = "GET"

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).update(added)
            elif method == "HEAD" and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            await (self._admitted if is_keyed(scope["path"]) else self._open)(scope, receive, sent)
        except Exception as error:
            if status:
                raise
            await (await failed(Request(scope), error))(scope, receive, sent)
        finally:
            spent = 1000 * (time.monotonic() - began)
            _LOG.info("%s %s %s %d %.1f ms", request_id, _safe(method), _safe(scope["path"]), status, spent)

    async def _admitted(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request within its rate limit; pages of other sites may read refusals, too."""
        if verdict := await to_thread.run_sync(judged, scope):
            scope["added"].update(verdict.headers())
            if not verdict.accepted:
                await (await failed(Request(scope), verdict.refusal()))(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _safe(text: str) -> str:
    """Return at most 200 characters of a text for a log line, with unprintable ones replaced."""
    return "".join(character if character.isprintable() else "?" for character in text[:200])
