"""One connection of a client: ended where nothing moves on it, and answered in our own form where it is no HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import Counter
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from riskanalytics.service.door.gate import WORK
from riskanalytics.service.door.problems import Problem, document

try:
    import resource
except ImportError:  # no POSIX
    resource = None  # type: ignore[assignment]

SECONDS: Final = 10.0
"""Between two looks at a connection: what is owed must come from one to the next."""
_MOST: Final = 4096
"""Connections of one process."""
BACKLOG: Final = 128
"""Connections that wait to be accepted; the event loop takes so many at once before it counts one of them."""
_OTHER_FILES: Final = 160 + 3 * BACKLOG
"""Descriptors for databases, their logs, pipes and the listener, and for what is accepted and not counted yet."""
MOST_UNSENT: Final = 32 * 1024 * 1024
"""Bytes of answers that one process keeps for readers who take them slowly."""
_LINGER: Final = 1.0
"""Seconds from an answer to the end of a connection whose client still sends."""
_MOST_LEFT: Final = 256 * 1024
"""Bytes of a body that are still taken after the answer."""
_LEAST: Final = 16 * 1024
"""Bytes of an answer that a reader takes from one look to the next."""


class Crowd:
    """The connections of one process. When there are too many, the one that is idle longest goes; else the new one.

    Parameters
    ----------
    most : int, optional
        Connections in all; what the descriptors of the process allow without it.
    most_of_one : int
        Connections of one address.
    """

    def __init__(self, most: int | None = None, most_of_one: int = 256) -> None:
        self.most = most or _room()
        self.most_of_one = most_of_one
        self.most_unsent = MOST_UNSENT
        self._all: dict[PatientConnection, str] = {}
        self._slow: dict[PatientConnection, None] = {}
        self._of: Counter[str] = Counter()

    def enter(self, connection: PatientConnection, address: str) -> bool:
        """Take a connection in; False where it must go.

        Parameters
        ----------
        connection : PatientConnection
        address : str
            Of the client; empty where a proxy stands between, whose connections are those of many.
        """
        if address and self._of[address] >= self.most_of_one and not self._drop(address):
            return False
        if len(self._all) >= self.most and not self._drop(""):
            return False
        self._all[connection] = address
        self._of[address] += 1
        return True

    def leave(self, connection: PatientConnection) -> None:
        """Forget a connection that ended."""
        self._slow.pop(connection, None)
        address = self._all.pop(connection, None)
        if address is not None:
            self._of[address] -= 1
            if not self._of[address]:
                del self._of[address]

    def answered(self, connection: PatientConnection) -> None:
        """Count what a reader has not taken yet of an answer; of whom most is kept, the oldest connection ends."""
        if connection in self._all and connection.unsent:
            self._slow[connection] = None
        while len(self._slow) > 1:
            self._slow = {one: None for one in self._slow if one.unsent}
            of: Counter[str] = Counter()
            for one in self._slow:
                of[self._all[one]] += one.unsent
            if of.total() <= self.most_unsent:
                return
            [(most, _)] = of.most_common(1)
            oldest = next(one for one in self._slow if self._all[one] == most)
            self.leave(oldest)
            oldest.transport.abort()

    def _drop(self, address: str) -> bool:
        """End the oldest connection that owes no answer, of an address or of all; say whether there was one."""
        mine = (one for one, of in self._all.items() if (not address or of == address) and one.idle)
        oldest = next(mine, None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.transport.abort()
        return True


def _room() -> int:
    """Connections for which the process has descriptors, with some left for files; as many as it may have are asked for."""
    if resource is None:
        return _MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST + _OTHER_FILES
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(16, min(_MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _OTHER_FILES))


class PatientConnection(H11Protocol):
    """HTTP/1.1 that waits for a request, its body and the reader of its answer, but not for ever.

    Parameters
    ----------
    *values, **named
        As uvicorn gives them.
    """

    crowd: Crowd | None = None
    """Of this process; made with its first connection."""

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._seen: tuple[object, ...] = ()
        self._look: asyncio.TimerHandle | None = None
        self._left = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look after the connection, if there is room for it."""
        super().connection_made(transport)
        crowd = PatientConnection.crowd = PatientConnection.crowd or Crowd()
        address = "" if self.config.proxy_headers or self.client is None else self.client[0]
        if crowd.enter(self, address):
            self._again()
        else:
            transport.abort()

    @property
    def idle(self) -> bool:
        """Whether no answer is owed on this connection."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def unsent(self) -> int:
        """Bytes of answers that the system has not taken yet."""
        return int(self.transport.get_write_buffer_size())

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop looking after it."""
        if self._look is not None:
            self._look.cancel()
        if PatientConnection.crowd is not None:
            PatientConnection.crowd.leave(self)
        work = None if self.idle else self.scope.get("state", {}).get(WORK)
        if work is not None:
            work.leave()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 (uvicorn's form)
        """Answer what is no HTTP with a problem document, as all failures are answered."""
        headers = {"X-Content-Type-Options": "nosniff", "Connection": "close"}
        problem = Problem(400, "This is no HTTP request, or its headers are too long.", headers)
        answer = document(secrets.token_hex(8), problem)
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            titled = [(name.title(), value) for name, value in answer.raw_headers]
            data = h11.Data(data=bytes(answer.body))
            events = (h11.Response(status_code=400, headers=titled), data, h11.EndOfMessage())
            self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    def on_response_complete(self) -> None:
        """Go on to the next request, but not to the rest of a body that nobody waits for."""
        super().on_response_complete()
        if PatientConnection.crowd is not None:
            PatientConnection.crowd.answered(self)
        if self.conn.their_state is h11.SEND_BODY:
            # not at once: what is still on its way would reset the connection before the answer is read
            self._left = _MOST_LEFT
            self.loop.call_later(_LINGER, self._end_body, self.cycle)

    def data_received(self, data: bytes) -> None:
        """Take what came; of a body that nobody waits for only so much."""
        if self.conn.their_state is h11.SEND_BODY and self.conn.our_state is h11.DONE:
            self._left -= len(data)
            if self._left < 0:
                self.transport.pause_reading()
                return
        super().data_received(data)

    def _end_body(self, cycle: object) -> None:
        """End the connection if the body has not arrived whole that came with a request."""
        if self.cycle is cycle and self.conn.their_state is h11.SEND_BODY:
            self.transport.pause_reading()
            self.transport.close()  # after what is not sent yet of the answer

    def _unsupported_upgrade_warning(self) -> None:
        """Stay silent: the request is answered as if it had not asked (RFC 9110 section 7.8)."""

    def _again(self) -> None:
        """Remember how far the connection is, and look again later."""
        self._seen = (self.conn.their_state, self.cycle, -(-self.unsent // _LEAST))
        self._look = self.loop.call_later(SECONDS, self._check)

    def _check(self) -> None:
        """End the connection where the client owes something and nothing came since the last look."""
        before = self._seen
        self._again()
        owed = self.conn.their_state in (h11.IDLE, h11.SEND_BODY) or self.unsent
        if owed and self._seen == before:
            self.transport.abort()
