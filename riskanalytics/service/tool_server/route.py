"""The address of the tool server in the service's description, and its answer where the tools are not served."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from riskanalytics.service.door.problems import Problem
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire.description import json_of

PATH: Final = "/api/mcp"


def _object(required: list[str], **properties: Json) -> Json:
    """Return the schema of an object."""
    return {"type": "object", "required": required, "properties": properties}


_MESSAGE: Final[Json] = {"type": "string", "const": "2.0"}
_CALL: Final = _object(
    ["jsonrpc", "method"],
    jsonrpc=_MESSAGE,
    id={"description": "A text or a whole number; a message without one is a notification."},
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
    202: {"description": "Notification accepted"},
    400: {"description": "No JSON-RPC message, or a protocol version that is not spoken", "content": _ANSWER},
    403: {"description": "Sent by another site's page"},
    404: {"description": "Unknown method", "content": _ANSWER},
    406: {"description": "JSON not accepted"},
    413: {"description": "Body too large"},
    415: {"description": "Body is not JSON"},
    421: {"description": "Host name is not that of this service"},
    503: {"description": "The tools are not served here"},
}


router = APIRouter(tags=["open"])


@router.post(PATH, openapi_extra=_DESCRIBED, responses=_RESPONSES)
async def tools() -> None:
    """Call a tool: JSON-RPC 2.0 over streamable HTTP, without sessions."""
    raise Problem(503, "The tools are not served here: start the service with riskanalytics serve.")
