"""Bodies of POSTs: bounded, and of the media type that is taken."""

from __future__ import annotations

import json
from typing import Final

from fastapi import Request

from riskanalytics.service.door.problems import Problem
from riskanalytics.service.store.records import Json

MOST_BODY: Final = 64 * 1024
"""Bytes of the body of a POST."""


async def json_object(request: Request) -> Json:
    """Read the body of a POST: one JSON object.

    Parameters
    ----------
    request : Request

    Returns
    -------
    dict

    Raises
    ------
    Problem
        415 where it is not JSON or packed, 413 where it is too long, 400 where it cannot be read, 422 where it is no
        object.
    """
    media_type = _sent_media_type(request)
    if not (media_type == "application/json" or media_type.endswith("+json")):
        raise Problem(415, "Send the body as application/json, not packed.", {"Accept-Post": "application/json"})
    body = await bounded_body(request)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Problem(400, "The body is no JSON text.") from error
    if not isinstance(value, dict):
        raise Problem(422, "The body is one JSON object.")
    return value


def _sent_media_type(request: Request) -> str:
    """Return the media type of a body in lower case, without parameters; empty where it is packed."""
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        return ""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


async def bounded_body(request: Request) -> bytes:
    """Read a body of at most `MOST_BODY` bytes; 413 at the first byte more."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > MOST_BODY:
        raise Problem(413, f"A body has at most {MOST_BODY:,} bytes.")
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BODY:
            raise Problem(413, f"A body has at most {MOST_BODY:,} bytes.")
    return bytes(body)


async def idle_body(request: Request) -> None:
    """Read a body that has no use: one that comes slowly or is too long must not reach a handler."""
    await bounded_body(request)
