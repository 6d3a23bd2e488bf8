"""The tool server over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST, PARSE_ERROR, jsonrpc_message_adapter
from pydantic import ValidationError
from pydantic_core import from_json
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from riskanalytics.service.store.read import Store
from riskanalytics.service.tool_server.desk import Desk
from riskanalytics.service.tool_server.protocol import tool_protocol
from riskanalytics.service.tool_server.route import MOST_CALL, Post


class ToolServer:
    """Answers posted calls without sessions, each with one JSON document.

    Parameters
    ----------
    store : Store
    public_url : str
        Address that answers name.
    """

    def __init__(self, store: Store, public_url: str) -> None:
        self._protocol = tool_protocol(Desk(store, public_url))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Post]:
        """Run for the length of a block, which may be entered again and by several event loops at once.

        Yields
        ------
        callable
            Answers the body of a post whose host, origin, media types and size have been checked.
        """
        # no security settings: the route has checked host and origin, with problem documents
        manager = StreamableHTTPSessionManager(
            self._protocol, json_response=True, stateless=True, max_request_body_size=MOST_CALL
        )
        async with manager.run():
            yield lambda body: _wrong_envelope(body) or _Handed(manager.handle_request, body)


class _Handed(Response):
    """An answer that another application gives to a request whose body has been read."""

    def __init__(self, app: ASGIApp, read: bytes) -> None:
        super().__init__()
        self._app = app
        self._read = read

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # the library asks for both media types in some cases; what it answers here is always JSON
        kept = [(name, value) for name, value in scope["headers"] if name != b"accept"]
        asked = {**scope, "headers": [*kept, (b"accept", b"application/json, text/event-stream")]}
        unread = [self._read]

        async def again() -> Message:
            return {"type": "http.request", "body": unread.pop(), "more_body": False} if unread else await receive()

        await self._app(asked, again, send)


def _wrong_envelope(body: bytes) -> Response | None:
    """Return the answer to a body that is no single message; the library's own repeats what was sent."""
    try:
        message = from_json(body)
    except ValueError:
        return _error(PARSE_ERROR, "The body is no JSON text.")
    if isinstance(message, list):
        return _error(INVALID_REQUEST, "Batches are not taken: send one JSON-RPC message.")
    # the library would take such a call for a notification and never answer it
    if isinstance(message, dict) and "id" in message and type(message["id"]) not in (str, int):
        return _error(INVALID_REQUEST, "The id of a call is a text or a whole number.")
    try:
        jsonrpc_message_adapter.validate_python(message, by_name=False)
    except ValidationError:
        return _error(INVALID_REQUEST, "The body is no JSON-RPC 2.0 message.")
    return None


def _error(code: int, text: str) -> Response:
    """Return a JSON-RPC error to a message whose id is not known."""
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": text}}
    return Response(json.dumps(body), 400, media_type="application/json")
