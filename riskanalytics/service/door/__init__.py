"""The door: what a request passes before and after its handler.

Here is what every answer has, whatever the route: request id, security headers, HEAD, CORS, one line in the log. `gate`
asks who it is and whether the pace allows it, `problems` is how failures are answered.
"""

from __future__ import annotations

import logging
import secrets
import time
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from riskanalytics.service.door.gate import is_keyed
from riskanalytics.service.door.problems import Problem, failed

_LOG: Final = logging.getLogger("riskanalytics.service")
_Raw = list[tuple[bytes, bytes]]
_ALWAYS: Final[_Raw] = [
    (b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"), (b"x-frame-options", b"DENY"),
]  # fmt: skip
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
_PORTS: Final = {"http": 80, "https": 443}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


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
        method, began, status = scope["method"], time.monotonic(), 0
        added = [*_ALWAYS, (b"x-request-id", request_id.encode())]
        if method == "HEAD":
            scope["method"] = "GET"
        if scope["method"] == "GET" and not is_keyed(scope["path"]):
            added += _SHARED

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *added]
            elif method == "HEAD" and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            if method == "OPTIONS" and _is_preflight(scope):
                await sent({"type": "http.response.start", "status": 204, "headers": _PREFLIGHT})
                await sent({"type": "http.response.body", "body": b""})
            else:
                await self.app(scope, receive, sent)
        except Exception as error:
            if status:
                raise
            await (await failed(Request(scope), error))(scope, receive, sent)
        finally:
            spent = 1000 * (time.monotonic() - began)
            _LOG.info("%s %s %s %d %.1f ms", request_id, _safe(method), _safe(scope["path"]), status, spent)


def _is_preflight(scope: Scope) -> bool:
    """Return whether a browser asks if a page of another site may read an open address."""
    wanted = Headers(scope=scope).get("access-control-request-method", "")
    return wanted in ("GET", "HEAD") and not is_keyed(scope["path"])


def _safe(text: str) -> str:
    """Return a text fit for a line of a log: no line breaks, no query, not long."""
    return "".join(character if character.isprintable() else "?" for character in text[:200])


def refuse_cross_site(request: Request, public_url: str) -> None:
    """Refuse a POST that another site's page sends with a reader's browser (Fetch Metadata; RFC 6454).

    Parameters
    ----------
    request : Request
    public_url : str

    Raises
    ------
    Problem
        403.
    """
    fetched = request.headers.get("sec-fetch-site", "none").lower()
    server, port = request.scope.get("server") or ("", None)
    names = _LOOPBACK if server in _LOOPBACK else (server,)
    own = {_origin(public_url), *(("http", name, port) for name in names)}
    foreign = any(_origin(origin) not in own for origin in request.headers.getlist("origin"))
    if foreign or fetched not in ("none", "same-origin"):
        raise Problem(403, "This address takes no requests from other sites' pages.")


def _origin(text: str) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of an address (RFC 6454, section 4)."""
    try:
        parts = urlsplit(text)
        return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return "", None, None
