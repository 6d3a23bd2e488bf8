"""OpenAPI description of the tool server, and its response if tools are not served (specification section 4.3).

Only commands that serve the tools import `tools`, because the protocol library takes as long to import as the rest of
the service.
"""

from typing import Final

from fastapi import APIRouter

from ..door.problems import Problem
from ..wire import Responses, json_of, refusals

PATH: Final = "/api/mcp"


_CALL: Final = {
    "type": "object",
    "required": ["jsonrpc", "method"],
    "properties": {"jsonrpc": {"const": "2.0"}, "method": {"type": "string", "examples": ["tools/list"]}},
}
_REFUSED: Final[dict[int | str, str]] = {
    400: "Not a JSON-RPC message, or an unsupported protocol version",
    404: "Unknown method",
}
_RESPONSES: Final[Responses] = {
    200: {"description": "Result or error of the call"},
    202: {"description": "Notification accepted"},
    **refusals(_REFUSED, json_of({"type": "object"})),
}
_BODY: Final = {"requestBody": {"required": True, "content": json_of(_CALL)}}
router = APIRouter(tags=["open"])


@router.post(PATH, openapi_extra=_BODY, responses=_RESPONSES)
async def tools() -> None:
    """Call a tool: JSON-RPC 2.0 over streamable HTTP, without sessions."""
    raise Problem(503, "Tools are not available here: start the service with riskanalytics serve.")
