"""Problem documents (RFC 9457) for every failure: reason and remedy, without internal details."""

import json
import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from riskanalytics.errors import DatabaseError

_LOG: Final = logging.getLogger("riskanalytics.service")
_TITLES: Final = {403: "Not allowed"}
"""HTTP status -> title that replaces its standard phrase, which is less clear."""


class Problem(HTTPException):
    """Exception that the service answers with a problem document.

    Parameters
    ----------
    status : int
        HTTP status of the response.
    detail : str
        One sentence for a human reader.
    headers : dict, optional
        Headers to add to the response.
    extra : dict, optional
        Members to add to the problem document (RFC 9457 section 3.2) or to replace in it.
    """

    def __init__(
        self, status: int, detail: str, headers: dict[str, str] | None = None, extra: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(status, detail, headers)
        self.extra = extra or {}


_SAID: Final = {
    **dict.fromkeys(("missing", "string_too_short", "string_pattern_mismatch"), "is required"),
    "model_type": "must be a JSON object",
}
"""Type of a pydantic error -> message; other types keep the message of pydantic."""
_SUBJECT: Final = re.compile("^(?:Input|String|Field|Value error,) ")


def _fault(errors: Sequence[ErrorDetails], place: int) -> str:
    """Return one sentence on the first error of a query or body, without repeating its content."""
    first = errors[0]
    subject = (*first["loc"][place:], "The body")[0]
    return f"{subject} {_SAID.get(first['type'], _SUBJECT.sub('', first['msg']))}."


Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], body: bytes) -> Model:
    """Parse the JSON body of a request into the model that its route expects.

    Raises
    ------
    Problem
        400 if the body is not valid JSON, 422 if it does not fit the model.
    """
    try:
        return model.model_validate(json.loads(body))
    except ValidationError as error:
        errors = error.errors()
    except (ValueError, RecursionError):
        raise Problem(400, "The body is not valid JSON.") from None
    if any(error["type"] == "extra_forbidden" for error in errors):
        raise Problem(422, f"Unknown member in the body. Known members: {', '.join(model.model_fields)}.")
    raise Problem(422, _fault(errors, 0))


def _problem_of(request: Request, error: Exception) -> Problem:
    """Return the problem for a failure; log the reason of failures of the service."""
    match error:
        case Problem():
            return error
        case HTTPException():
            headers = dict(error.headers or {})
            if headers.get("Allow") == "GET":
                headers["Allow"] = "GET, HEAD"
            return Problem(error.status_code, f"{error.detail}.", headers)
        case RequestValidationError():
            return Problem(400, _fault(error.errors(), 1))
        case ClientDisconnect():
            return Problem(400, "The body is incomplete.")
        case DatabaseError():
            _LOG.error("request %s: %s", request.scope["request_id"], error)
            return Problem(503, "The service cannot access its data at the moment.", {"Retry-After": "30"})
        case _:
            _LOG.error("request %s failed", request.scope["request_id"], exc_info=error)
            return Problem(500, "The service failed. Quote the request id when you report this.")


FAILURES: Final = (HTTPException, RequestValidationError, DatabaseError, ClientDisconnect)
"""Exceptions that the application answers through `failed`; `Door` does so for all others."""


async def failed(request: Request, error: Exception) -> JSONResponse:
    """Return the problem document (RFC 9457) that answers a request whose handling raised `error`."""
    problem = _problem_of(request, error)
    status = problem.status_code
    body = {
        "type": f"urn:riskanalytics:problem:{status}",
        "title": _TITLES.get(status) or HTTPStatus(status).phrase.capitalize(),
        "status": status,
        "detail": problem.detail,
        "instance": f"urn:riskanalytics:request:{request.scope['request_id']}",
        **problem.extra,
    }
    headers = {**(problem.headers or {}), "Cache-Control": "no-store"}
    return JSONResponse(body, status, headers, media_type="application/problem+json")
