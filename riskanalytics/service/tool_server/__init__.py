"""The tool server's address in the description, and its answer where the tools are not served (specification 4.3).

Only the commands that serve the tools import `tools`: the protocol's library takes as long to import as the rest of the
service.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from riskanalytics.service.door.problems import Problem
from riskanalytics.service.store.records import Json
from riskanalytics.service.wire import Responses, json_of

PATH: Final = "/api/mcp"


class _Call(BaseModel):
    """One JSON-RPC 2.0 message of the Model Context Protocol, such as tools/list or tools/call."""

    jsonrpc: Literal["2.0"]
    method: str = Field(examples=["tools/list"])
    id: Any = Field(None, description="A text or a whole number; a message without one is a notification.")
    params: dict[str, Any] | None = None


class _Answer(BaseModel):
    """Result or error of a call."""

    jsonrpc: Literal["2.0"]
    id: str | int | None
    result: dict[str, Any] = {}
    error: dict[str, Any] = {}


_ANSWER: Final = {"content": json_of(_Answer.model_json_schema())}
_RESPONSES: Final[Responses] = {
    200: {"description": "Result or error of the call", **_ANSWER},
    202: {"description": "Notification accepted"},
    400: {"description": "No JSON-RPC message, or a protocol version that is not spoken", **_ANSWER},
    403: {"description": "Sent by another site's page"},
    404: {"description": "Unknown method", **_ANSWER},
    406: {"description": "JSON not accepted"},
    413: {"description": "Body too large"},
    415: {"description": "Body is not JSON"},
    421: {"description": "Host name is not that of this service"},
    503: {"description": "The tools are not served here"},
}
_DESCRIBED: Final[Json] = {"requestBody": {"required": True, "content": json_of(_Call.model_json_schema())}}
router = APIRouter(tags=["open"])


@router.post(PATH, openapi_extra=_DESCRIBED, responses=_RESPONSES)
async def tools() -> None:
    """Call a tool: JSON-RPC 2.0 over streamable HTTP, without sessions."""
    raise Problem(503, "The tools are not served here: start the service with riskanalytics serve.")
