"""The tool server's address in the description, and its answer where the tools are not served (specification 4.3).

Only the commands that serve the tools import `tools`: the protocol's library takes as long to import as the rest of the
service.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from ..door.problems import Problem
from ..wire import json_of, meaning

PATH: Final = "/api/mcp"


_CALL: Final = {
    "type": "object",
    "required": ["jsonrpc", "method"],
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "method": {"type": "string", "examples": ["tools/list"]},
        "id": {"description": "A text or a whole number; a message without one is a notification."},
        "params": {"type": ["object", "null"]},
    },
}
_RESULTS: Final = meaning({
    200: "Result or error of the call",
    400: "No JSON-RPC message, or a protocol version that is not spoken",
    404: "Unknown method",
})  # fmt: skip
_RESPONSES: Final = {status: words | {"content": json_of({"type": "object"})} for status, words in _RESULTS.items()} | meaning({
    202: "Notification accepted",
    403: "Sent by another site's page",
    406: "JSON not accepted",
    413: "Body too large",
    415: "Body is not JSON",
    421: "Host name is not that of this service",
    503: "The tools are not served here",
})  # fmt: skip
_BODY: Final = {"requestBody": {"required": True, "content": json_of(_CALL)}}
router = APIRouter(tags=["open"])


@router.post(PATH, openapi_extra=_BODY, responses=_RESPONSES)
async def tools() -> None:
    """Call a tool: JSON-RPC 2.0 over streamable HTTP, without sessions."""
    raise Problem(503, "The tools are not served here: start the service with riskanalytics serve.")
