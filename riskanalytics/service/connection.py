"""One connection of a client: ended where nothing moves on it, and answered in our own form where it is no HTTP."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS: Final = 10.0
"""Between two looks at a connection: what is owed must come from one to the next."""
_LEAST: Final = 16 * 1024
"""Bytes of an answer that a reader takes from one look to the next."""


class PatientConnection(H11Protocol):
    """HTTP/1.1 that waits for a request, its body and the reader of its answer, but not for ever.

    Parameters
    ----------
    *values, **named
        As uvicorn gives them.
    """

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._seen: tuple[object, ...] = ()
        self._look: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look after the connection."""
        super().connection_made(transport)
        self._again()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop looking after it."""
        if self._look is not None:
            self._look.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 (uvicorn's form)
        """Answer what is no HTTP with a problem document, as all failures are answered."""
        body = json.dumps({
            "type": "urn:riskanalytics:problem:400",
            "title": "Bad request",
            "status": 400,
            "detail": "This is no HTTP request, or its headers are too long.",
            "instance": f"urn:riskanalytics:request:{secrets.token_hex(8)}",
        }).encode()  # fmt: skip
        headers = [
            ("Content-Type", "application/problem+json"),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Connection", "close"),
        ]
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            events = (h11.Response(status_code=400, headers=headers), h11.Data(data=body), h11.EndOfMessage())
            self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    def _unsupported_upgrade_warning(self) -> None:
        """Stay silent: the request is answered as if it had not asked (RFC 9110 section 7.8)."""

    def _again(self) -> None:
        """Remember how far the connection is, and look again later."""
        unsent = self.transport.get_write_buffer_size()
        self._seen = (self.conn.their_state, self.cycle, -(-unsent // _LEAST))
        self._look = self.loop.call_later(SECONDS, self._check)

    def _check(self) -> None:
        """End the connection where the client owes something and nothing came since the last look."""
        before = self._seen
        self._again()
        owed = self.conn.their_state in (h11.IDLE, h11.SEND_BODY) or self.transport.get_write_buffer_size()
        if owed and self._seen == before:
            self.transport.abort()
