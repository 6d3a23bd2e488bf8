"""Bodies, inflated with bounded output."""

from __future__ import annotations

import io
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

import httpx

from riskanalytics.errors import InvalidAnswer, Unreachable

_CHUNK: Final = 256 * 1024


async def inflated(response: httpx.Response, path: str, most: int) -> AsyncIterator[bytes]:
    """Give the decoded body in pieces, within its size."""
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise InvalidAnswer(f"{path} answered in an encoding that was not asked for", path=path)
    inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if coding not in ("", "identity") else None
    size = 0
    async for raw in response.aiter_raw():
        for piece in _pieces(inflate, raw, path):
            size += len(piece)
            if size > most:
                raise InvalidAnswer(f"{path} answered more than {most >> 20} MiB", path=path)
            yield piece
    if inflate is not None and not inflate.eof:
        raise Unreachable(f"{path} was cut off", path=path)


async def whole(response: httpx.Response, path: str, most: int) -> bytes:
    """Return the decoded body, within its size, without holding it twice."""
    body = io.BytesIO()
    async for piece in inflated(response, path, most):
        body.write(piece)
    return body.getvalue()


def _pieces(inflate: zlib._Decompress | None, raw: bytes, path: str) -> Iterator[bytes]:
    """Inflate with bounded output."""
    if inflate is None:
        yield raw
        return
    try:
        while raw:
            yield inflate.decompress(raw, _CHUNK)
            raw = inflate.unconsumed_tail
    except zlib.error as error:
        raise InvalidAnswer(f"{path} answered a damaged body", path=path) from error
