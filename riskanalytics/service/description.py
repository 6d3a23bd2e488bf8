"""The OpenAPI description of the service (OpenAPI 3.1), and what routes add to it."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from riskanalytics.models.base import Record
from riskanalytics.models.records import ProblemDocument
from riskanalytics.service.door.gate import is_keyed
from riskanalytics.service.store.records import Json

_REFUSED: Final = {"$ref": "#/components/schemas/Problem"}
_ALWAYS: Final[dict[str, str]] = {
    "400": "Bad parameter",
    "429": "Too many requests; wait as long as Retry-After says",
    "500": "Fault of the service",
    "503": "The data cannot be read for now",
}
_KEYED: Final[dict[str, str]] = {"401": "Key missing or not accepted"}
_SECURITY: Final[Json] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}
Responses = dict[int | str, Json]
UNKNOWN: Final[Responses] = {404: {"description": "Unknown"}}
"""Response of a route whose path names what may not be there."""


def answers(model: type[Record], description: str = "Found", status: int = 200) -> Responses:
    """Return the responses of a route that answers with a record."""
    return {status: {"model": model, "description": description}}


def text_of(media_type: str) -> Responses:
    """Return the responses of a route that answers with a text."""
    return {200: {"description": "Found", "content": {media_type: {"schema": {"type": "string"}}}}}


def json_of(schema: Json) -> Json:
    """Return the content of a request or a response that is JSON of a schema."""
    return {"application/json": {"schema": schema}}


def describe(app: FastAPI) -> Json:
    """Return the OpenAPI document of an application.

    Parameters
    ----------
    app : FastAPI
    """
    document = get_openapi(title=app.title, version=app.version, openapi_version="3.1.0", routes=app.routes)
    parts = document.setdefault("components", {})
    parts["securitySchemes"] = _SECURITY
    schemas = parts.setdefault("schemas", {})
    schemas["Problem"] = ProblemDocument.model_json_schema(mode="serialization")
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _complete(operation, keyed=is_keyed(path), read=method == "get")
    return document


def _complete(operation: Json, *, keyed: bool, read: bool) -> None:
    """Add to one operation what every answer may be, and what a refusal looks like."""
    responses: Json = operation["responses"]
    if keyed:
        operation["security"] = [{name: []} for name in _SECURITY]
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
    for status, meaning in (_ALWAYS | (_KEYED if keyed else {})).items():
        responses.setdefault(status, {"description": meaning})
    for status, response in responses.items():
        if status[0] in "45":
            response.setdefault("content", {})["application/problem+json"] = {"schema": _REFUSED}
    if read and "200" in responses:
        responses.setdefault("304", {"description": "The reader has it already"})
