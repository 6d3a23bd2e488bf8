"""Problem documents (RFC 9457) for every failure: what was wrong and what to do, never what is inside."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from riskanalytics.errors import DatabaseError

_LOG: Final = logging.getLogger("riskanalytics.service")
_TITLES: Final = {
    400: "Bad request", 401: "Key missing or not accepted", 403: "Not allowed", 404: "Not found",
    405: "Method not allowed", 406: "Not acceptable", 409: "Conflict", 413: "Body too large",
    415: "Unsupported media type", 421: "Not the service asked for", 422: "Body not understood",
    429: "Too many requests", 500: "Fault of the service", 501: "Not installed", 503: "Not available for now",
}  # fmt: skip


class Problem(HTTPException):
    """A failure that the service answers on purpose.

    Parameters
    ----------
    status : int
    detail : str
        One sentence for a person.
    headers : dict, optional
    type_uri : str, optional
        A registered problem type; one of ours, by status, where None.
    extra : dict, optional
        Further members of the document (RFC 9457 section 3.2).
    """

    def __init__(
        self, status: int, detail: str, headers: dict[str, str] | None = None, *, type_uri: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(status, detail, headers)
        self.type_uri = type_uri
        self.extra = extra or {}


def unknown_platform() -> Problem:
    """Return the problem of a slug that is not tracked; the slug itself is not repeated."""
    return Problem(404, "No platform with this slug is tracked.")


_SAID: Final = {
    **dict.fromkeys(("missing", "string_too_short", "string_pattern_mismatch"), "is required"),
    "string_too_long": "has at most {max_length} characters",
    "greater_than_equal": "is at least {ge}",
    "less_than_equal": "is at most {le}",
    "literal_error": "is one of {expected}",
    "date_from_datetime_parsing": "is no day of the calendar",
    "string_type": "is a text",
    "string_unicode": "holds a half of a character",
    "value_error": "{error}",
}
"""Sentences about a value by the kind of its error; other kinds are said in the words of pydantic."""


def _fault(errors: Sequence[ErrorDetails], noun: str, known: Iterable[str], place: int) -> str:
    """Return what is wrong with a query or a body, in one sentence that repeats nothing of it."""
    if unknown := {error["loc"] for error in errors if error["type"] == "extra_forbidden"}:
        return f"A {noun} is not known ({len(unknown)} in all); known here: {', '.join(known) or 'none'}."
    first = errors[0]
    said = _SAID.get(first["type"], first["msg"][:1].lower() + first["msg"][1:])
    return f"{first['loc'][place]} {said.format(**first.get('ctx', {}))}."


Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], body: Mapping[str, object]) -> Model:
    """Return a body as the record that a route takes.

    Raises
    ------
    Problem
        422 where it is another.
    """
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise Problem(422, _fault(error.errors(), "member of the body", model.model_fields, 0)) from None


def _parameters(dependant: Dependant) -> list[str]:
    """Return the query parameters of a route and of what it depends on."""
    models = [field.field_info.annotation for field in dependant.query_params]
    asked = [model for model in models if isinstance(model, type) and issubclass(model, BaseModel)]
    own = [field.alias or name for model in asked for name, field in model.model_fields.items()]
    return list(dict.fromkeys(own + [name for part in dependant.dependencies for name in _parameters(part)]))


def _problem_of(request: Request, error: Exception) -> Problem:
    """Return how a failure is answered; the log has the reason of those that are not the reader's."""
    match error:
        case Problem():
            return error
        case HTTPException():
            headers = dict(error.headers or {})
            if headers.get("Allow") == "GET":
                headers["Allow"] = "GET, HEAD"
            return Problem(error.status_code, _TITLES.get(error.status_code, "Failed") + ".", headers)
        case RequestValidationError():
            known = _parameters(request.scope["route"].dependant)
            return Problem(400, _fault(error.errors(), "query parameter", known, 1))
        case ClientDisconnect():
            return Problem(400, "The body ended before it was whole.")
        case DatabaseError():
            _LOG.error("request %s: %s", _id_of(request), error)
            return Problem(503, "The service cannot use its data for now.", {"Retry-After": "30"})
        case _:
            _LOG.error("request %s failed", _id_of(request), exc_info=error)
            return Problem(500, "The service failed; the request id helps to find out why.")


FAILURES: Final = (HTTPException, RequestValidationError, DatabaseError, ClientDisconnect)
"""What an application answers by `failed`; the envelope does so for all else."""


async def failed(request: Request, error: Exception) -> JSONResponse:
    """Return the problem document of a failure (RFC 9457)."""
    problem = _problem_of(request, error)
    body = {
        "type": problem.type_uri or f"urn:riskanalytics:problem:{problem.status_code}",
        "title": _TITLES.get(problem.status_code, "Failed"),
        "status": problem.status_code,
        "detail": problem.detail,
        "instance": f"urn:riskanalytics:request:{_id_of(request)}",
        **problem.extra,
    }
    headers = {**(problem.headers or {}), "Cache-Control": "no-store"}
    return JSONResponse(body, problem.status_code, headers, media_type="application/problem+json")


def _id_of(request: Request) -> str:
    """Return the id under which the log and the answer name a request."""
    return str(request.scope.get("request_id", "-"))
