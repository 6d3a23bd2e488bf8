"""The door of the tool server: who may post to `/api/mcp`, and what.

The tools themselves stand behind it only where the service is served; an application in a reader's own process
answers 503 here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from fastapi import APIRouter, Request, Response

from riskanalytics.service.door.origins import own_names, refuse_cross_site
from riskanalytics.service.door.problems import Problem
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.accepted import weights
from riskanalytics.service.wire.bodies import bounded_body, sent_media_type
from riskanalytics.service.wire.description import json_of
from riskanalytics.service.wire.service import TheService

MOST_CALL: Final = 1024 * 1024
"""Bytes of one posted call."""
POST: Final = "tools"
"""Where the state of a request holds what answers posted calls."""
Post = Callable[[bytes], Response]
"""Answers the body of a call."""


def _object(required: list[str], **properties: Json) -> Json:
    """Return the schema of an object."""
    return {"type": "object", "required": required, "properties": properties}


_MESSAGE: Final[Json] = {"type": "string", "const": "2.0"}
_CALL: Final = _object(
    ["jsonrpc", "method"],
    jsonrpc=_MESSAGE,
    id={"type": ["string", "integer"]},
    method={"type": "string"},
    params={"type": ["object", "null"]},
)
_DESCRIBED: Final[Json] = {
    "requestBody": {
        "required": True,
        "description": "One JSON-RPC 2.0 message of the Model Context Protocol, such as tools/list or tools/call.",
        "content": {
            "application/json": {"schema": _CALL, "example": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}
        },
    }
}
_ANSWER: Final = json_of(
    _object(
        ["jsonrpc", "id"],
        jsonrpc=_MESSAGE,
        id={"type": ["string", "integer", "null"]},
        result={"type": "object"},
        error={"type": "object", "required": ["code", "message"]},
    )
)
_RESPONSES: Final[dict[int | str, Json]] = {
    200: {"description": "Result or error of the call", "content": _ANSWER},
    202: {"description": "Notification taken"},
    400: {"description": "No JSON-RPC message, or a protocol version that is not spoken", "content": _ANSWER},
    403: {"description": "Sent by another site's page"},
    404: {"description": "Unknown method", "content": _ANSWER},
    406: {"description": "JSON not accepted"},
    413: {"description": "Body too large"},
    415: {"description": "Body is not JSON"},
    421: {"description": "Asked under a name that this service does not have"},
    503: {"description": "The tools are not served here"},
}


class Tools(Protocol):
    """What stands behind the door."""

    def running(self) -> AbstractAsyncContextManager[Post]:
        """Run for the length of a block; gives what answers checked posts."""
        ...


router = APIRouter(tags=["open"])


@router.post("/api/mcp", openapi_extra=_DESCRIBED, responses=_RESPONSES)
@router.post("/api/mcp/", include_in_schema=False)
async def tools(request: Request, service: TheService) -> Response:
    """Call a tool: JSON-RPC 2.0 over streamable HTTP, without sessions."""
    _check_names(request, service.public_url)
    _check_media_types(request)
    post: Post | None = getattr(request.state, POST, None)
    if post is None:
        raise Problem(503, "The tools are not served here: start the service with riskanalytics serve.")
    return post(await bounded_body(request, most=MOST_CALL))


def _check_names(request: Request, public_url: str) -> None:
    """Refuse a host or an origin that is not ours, as a page sends that points its own name here (DNS rebinding)."""
    hosts = [host.lower() for host in request.headers.getlist("host")]
    if len(hosts) != 1 or hosts[0] not in own_names(request, public_url):
        raise Problem(421, "This service does not have the name it was asked under: see --public-url of serve.")
    refuse_cross_site(request, public_url)


def _check_media_types(request: Request) -> None:
    """Refuse what is not JSON, or who does not take JSON; a missing or general Accept takes it."""
    if sent_media_type(request) != "application/json":
        raise Problem(415, "Send the call as application/json, not packed.", {"Accept-Post": "application/json"})
    taken = weights(",".join(request.headers.getlist("accept")) or "*/*")
    if not taken.keys() & {"*/*", "application/*", "application/json"}:
        raise Problem(406, "The tools answer application/json.")
