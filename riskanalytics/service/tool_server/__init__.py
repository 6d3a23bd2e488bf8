"""The tool server's address in the description, and its answer where the tools are not served (specification 4.3).

Only the commands that serve the tools import `tools`: the protocol's library takes as long to import as the rest of the
service.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from riskanalytics.service.door.problems import Problem
from riskanalytics.service.wire import json_of, meaning

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


_RESULTS: Final = meaning({
    200: "Result or error of the call",
    400: "No JSON-RPC message, or a protocol version that is not spoken",
    404: "Unknown method",
})  # fmt: skip
_RESPONSES: Final = {status: words | {"model": _Answer} for status, words in _RESULTS.items()} | meaning({
    202: "Notification accepted",
    403: "Sent by another site's page",
    406: "JSON not accepted",
    413: "Body too large",
    415: "Body is not JSON",
    421: "Host name is not that of this service",
    503: "The tools are not served here",
})  # fmt: skip
_BODY: Final = {"requestBody": {"required": True, "content": json_of(_Call.model_json_schema())}}
router = APIRouter(tags=["open"])


@router.post(PATH, openapi_extra=_BODY, responses=_RESPONSES)
async def tools() -> None:
    """Call a tool: JSON-RPC 2.0 over streamable HTTP, without sessions."""
    raise Problem(503, "The tools are not served here: start the service with riskanalytics serve.")
