"""Route of the tool server (MCP), as the OpenAPI description of the service lists it (specification section 4.3).

In a service without tools, this route answers calls with status 503; in a service with tools, `HttpTools` answers them.
Only commands that serve the tools import the module `tools`, because the MCP library, which it needs, takes as long to
import as the rest of the service.
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
_RESPONSES: Final[Responses] = {
    200: {"description": "Result or error of the call"},
    202: {"description": "Notification accepted"},
    **refusals(
        {400: "Not a JSON-RPC message, or an unsupported protocol version", 404: "Unknown method"},
        json_of({"type": "object"}),
    ),
}
_BODY: Final = {"requestBody": {"required": True, "content": json_of(_CALL)}}
router = APIRouter(tags=["open"])


@router.post(PATH, openapi_extra=_BODY, responses=_RESPONSES)
async def tools() -> None:
    """Call a tool (MCP): JSON-RPC 2.0 over streamable HTTP, without sessions; 503 if this service has no tools."""
    raise Problem(503, "Tools are not available here: start the service with riskanalytics serve.")
