"""A transport to answers that were kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import httpx


class Kept(NamedTuple):
    """An answer that was kept.

    Parameters
    ----------
    status : int
        HTTP status.
    content_type : str
    body : bytes
    """

    status: int
    content_type: str
    body: bytes


class RecordedTransport(httpx.BaseTransport):
    """Answers requests that read from what was kept; all others with 404.

    Parameters
    ----------
    answer : callable
        Takes a path, unquoted, and the query; called from several threads.
    """

    def __init__(self, answer: Callable[[str, Mapping[str, str]], Kept]) -> None:
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        asked = dict(request.url.params) if request.method == "GET" else {"": request.method}
        kept = self._answer(request.url.path, asked)
        return httpx.Response(
            kept.status, headers={"Content-Type": kept.content_type}, stream=httpx.ByteStream(kept.body)
        )
