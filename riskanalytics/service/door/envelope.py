"""What every answer has, whatever the route: request id, security headers, HEAD, CORS, one line in the log."""

from __future__ import annotations

import logging
import secrets
import time
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from riskanalytics.service.door.gate import is_keyed
from riskanalytics.service.door.problems import failed

_LOG: Final = logging.getLogger("riskanalytics.service")
_Raw = list[tuple[bytes, bytes]]
_ALWAYS: Final[_Raw] = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
]
_SHARED: Final[_Raw] = [
    (b"access-control-allow-origin", b"*"),
    (b"access-control-expose-headers", b"ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"),
]
"""Of open reads: any site's page may read them (Fetch standard, CORS protocol); keyed answers have none of it."""
_PREFLIGHT: Final[_Raw] = [
    *_SHARED[:1],
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"Accept, If-None-Match"),
    (b"access-control-max-age", b"86400"),
]


class Envelope:
    """Around every answer.

    Parameters
    ----------
    app : ASGI application
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; HEAD as GET without its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["request_id"] = request_id = secrets.token_hex(8)
        asked, began, status = scope["method"], time.monotonic(), 0
        added = [*_ALWAYS, (b"x-request-id", request_id.encode())]
        if asked == "HEAD":
            scope["method"] = "GET"
        if _is_open_read(scope):
            added += _SHARED

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *added]
            elif asked == "HEAD" and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            if asked == "OPTIONS" and _is_preflight(scope):
                await send({"type": "http.response.start", "status": 204, "headers": [*_PREFLIGHT, *added]})
                await send({"type": "http.response.body", "body": b""})
                status = 204
            else:
                await self.app(scope, receive, sent)
        except Exception as error:
            if status:
                raise
            await (await failed(Request(scope), error))(scope, receive, sent)
        finally:
            spent = 1000 * (time.monotonic() - began)
            _LOG.info("%s %s %s %d %.1f ms", request_id, _safe(asked), _safe(scope["path"]), status, spent)


def _is_open_read(scope: Scope) -> bool:
    """Say whether a request reads what needs no key."""
    return scope["method"] == "GET" and not is_keyed(scope["path"])


def _is_preflight(scope: Scope) -> bool:
    """Say whether a browser asks if a page of another site may read an open address."""
    wanted = Headers(scope=scope).get("access-control-request-method", "")
    return wanted in ("GET", "HEAD") and not is_keyed(scope["path"])


def _safe(text: str) -> str:
    """Return a text fit for a line of a log: no line breaks, no query, not long."""
    return "".join(character if character.isprintable() else "?" for character in text[:200])
