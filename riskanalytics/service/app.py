"""The application: routes over a store, wrapped in what every answer has."""

from __future__ import annotations

import logging
import secrets
import time
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from riskanalytics.service import machine, problems, rest, verified
from riskanalytics.service.access import Access
from riskanalytics.service.store.read import Store
from riskanalytics.service.wire import Query, Service, answer

_LOG: Final = logging.getLogger("riskanalytics.service")
_ALWAYS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
]


def create_app(store: Store, access: Access, *, public_url: str) -> FastAPI:
    """Return the service on a database.

    Parameters
    ----------
    store : Store
    access : Access
    public_url : str
        Address that answers name.

    Returns
    -------
    FastAPI
    """
    app = FastAPI(
        title="Risk-Rating Data Service", version="1", docs_url=None, redoc_url=None, openapi_url=None,
        redirect_slashes=False,
    )  # fmt: skip
    service = Service(store, public_url)
    problems.install(app)
    rest.mount(app, service, access)
    machine.mount(app, service)
    verified.mount(app, service)

    @app.get("/health", tags=["open"])
    def health(request: Request) -> Response:
        """Say that the database can be read, and how new it is."""
        Query(request)
        return answer(request, {"status": "ok", "newest_capture": store.newest}, headers={"Cache-Control": "no-store"})

    description: dict[str, Any] = {}

    @app.get("/openapi.json", include_in_schema=False)
    def openapi(request: Request) -> Response:
        """Describe the service (OpenAPI 3.1)."""
        Query(request)
        if not description:
            description.update(_described(app))
        return answer(request, description)

    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=3)
    app.add_middleware(_Envelope)
    return app


def _described(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document with the two ways to send a key."""
    document = get_openapi(title=app.title, version=app.version, openapi_version="3.1.0", routes=app.routes)
    document.setdefault("components", {})["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
    }
    return document


class _Envelope:
    """Around every answer: request id, security headers, HEAD as GET without its body, one line in the log."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["request_id"] = request_id = secrets.token_hex(8)
        head = scope["method"] == "HEAD"
        if head:
            scope["method"] = "GET"
        began, status = time.monotonic(), 500

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_ALWAYS, (b"x-request-id", request_id.encode())]
            elif head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        try:
            await self.app(scope, receive, sent)
        finally:
            spent = 1000 * (time.monotonic() - began)
            method = "HEAD" if head else scope["method"]
            _LOG.info("%s %s %s %d %.1f ms", request_id, method, _safe(scope["path"]), status, spent)


def _safe(path: str) -> str:
    """Return a path fit for a line of a log: no line breaks, no query, not long."""
    return "".join(character if character.isprintable() else "?" for character in path[:200])
