"""Problem documents (RFC 9457) for every failure: what was wrong and what to do, never what is inside."""

from __future__ import annotations

import logging
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

_LOG: Final = logging.getLogger("riskanalytics.service")
_TITLES: Final = {
    400: "Bad request",
    401: "Key missing or not accepted",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    413: "Body too large",
    415: "Unsupported media type",
    421: "Not the service asked for",
    422: "Body not understood",
    429: "Too many requests",
    500: "Fault of the service",
    501: "Not installed",
    503: "Not available",
}


class Problem(HTTPException):
    """A failure that the service answers on purpose.

    Parameters
    ----------
    status : int
    detail : str
        One sentence for a person.
    headers : dict, optional
    """

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, detail, headers)


def unknown_platform() -> Problem:
    """Return the problem of a slug that is not tracked; the slug itself is not repeated."""
    return Problem(404, "No platform with this slug is tracked.")


def install(app: FastAPI) -> None:
    """Make an application answer problem documents to every failure.

    Parameters
    ----------
    app : FastAPI
    """

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JSONResponse:
        detail = error.detail if isinstance(error, Problem) else _TITLES.get(error.status_code, "Failed") + "."
        return _document(request, error.status_code, detail, error.headers)

    @app.exception_handler(RequestValidationError)
    async def _invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        status = 422 if first["loc"][0] == "body" else 400
        return _document(request, status, f"{where or 'The request'}: {first['msg']}.", None)

    @app.exception_handler(Exception)
    async def _fault(request: Request, error: Exception) -> JSONResponse:
        _LOG.error("request %s failed", request.scope.get("request_id", "-"), exc_info=error)
        return _document(request, 500, "The service failed; the request id helps to find out why.", None)


def _document(request: Request, status: int, detail: str, headers: Any) -> JSONResponse:
    """Return one problem document."""
    body = {
        "type": f"urn:riskanalytics:problem:{status}",
        "title": _TITLES.get(status, "Failed"),
        "status": status,
        "detail": detail,
        "instance": f"urn:riskanalytics:request:{request.scope.get('request_id', '-')}",
    }
    kept = {**(headers or {}), "Cache-Control": "no-store"}
    return JSONResponse(body, status, kept, media_type="application/problem+json")
