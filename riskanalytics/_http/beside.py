"""A transport to an application in a process beside this one: it makes the next answers while these are read."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import socket
import struct
from collections import deque
from typing import Any, Final

import httpx

_HEAD: Final = struct.Struct("!Q")
_AT_ONCE: Final = 6
"""Requests on their way at once: enough for the next one to be there when an answer is made."""
_PATIENCE: Final = 60.0
"""Seconds that a process may take to begin."""

Asked = tuple[str, str, list[tuple[bytes, bytes]], bytes]
"""Method, address, headers, body."""
Told = tuple[int, list[tuple[bytes, bytes]], bytes]
"""Status, headers, body."""


class BesideTransport(httpx.AsyncBaseTransport):
    """Speaks to the process beside this one over a socket, on the loop of the connection.

    Parameters
    ----------
    place : str
        The socket's path. Nobody else may enter its folder: messages are pickled.
    inside : transport
        Answers where that process has ended.
    """

    at_once = _AT_ONCE

    def __init__(self, place: str, inside: httpx.AsyncBaseTransport) -> None:
        self._place, self._inside, self._process = place, inside, os.getpid()
        self._opening: asyncio.Task[asyncio.StreamWriter] | None = None
        self._reading: asyncio.Task[None] | None = None
        self._asked = deque[asyncio.Future[Told]]()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request, body whole; in a fork, from within: two processes may not ask over one connection."""
        if self._process != os.getpid():
            return await self._inside.handle_async_request(request)
        asked: Asked = (request.method, str(request.url), request.headers.raw, request.read())
        try:
            self._opening = self._opening or asyncio.create_task(self._opened())
            writer = await asyncio.shield(self._opening)
            if self._reading is None or self._reading.done():
                raise ConnectionError
            answer = asyncio.get_running_loop().create_future()
            self._asked.append(answer)
            writer.write(_packed(asked))
            status, headers, body = await answer
        except (OSError, EOFError):
            return await self._inside.handle_async_request(request)
        return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))

    async def _opened(self) -> asyncio.StreamWriter:
        """Open the connection, take its greeting, and begin to read its answers."""
        reader, writer = await asyncio.open_unix_connection(self._place)
        try:
            await _message(reader)
        except BaseException:
            writer.close()
            raise
        self._reading = asyncio.create_task(self._read(reader))
        return writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Hand each answer to the oldest question: they come in the order in which they were asked for."""
        try:
            while True:
                told: Told = await _message(reader)
                answer = self._asked.popleft()
                if not answer.done():  # else nobody waits for it any more
                    answer.set_result(told)
        except Exception:  # noqa: BLE001 (whatever it was: nobody may wait for an answer that is read no more)
            for answer in self._asked:
                if not answer.done():
                    answer.set_exception(ConnectionError())

    async def aclose(self) -> None:
        """Close the connection."""
        if self._process != os.getpid():
            return
        if self._reading is not None:
            self._reading.cancel()
        opening = self._opening
        if opening is not None and not opening.cancel() and not opening.cancelled() and not opening.exception():
            opening.result().close()


def greeted_by(place: str) -> Any:
    """Wait until the process beside this one can be asked, and return what it says to who connects.

    Parameters
    ----------
    place : str
        The socket's path.

    Raises
    ------
    OSError, EOFError
        If it has ended.
    """
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(_PATIENCE)
        wire.connect(place)
        with wire.makefile("rb") as stream:
            head = stream.read(_HEAD.size)
            body = stream.read(*_HEAD.unpack(head)) if len(head) == _HEAD.size else b""
            return pickle.loads(body)  # noqa: S301 (a process of our own, in a folder of our own)


async def answer_beside(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, inside: httpx.AsyncBaseTransport, greeting: object
) -> None:
    """Answer what comes over one connection, one question after the other, until it ends.

    Parameters
    ----------
    reader, writer : asyncio streams
    inside : transport
        To the application.
    greeting : object
        Said first.
    """
    with contextlib.suppress(OSError, EOFError), contextlib.closing(writer):
        writer.write(_packed(greeting))
        while True:
            asked: Asked = await _message(reader)
            method, url, headers, body = asked
            response = await inside.handle_async_request(httpx.Request(method, url, headers=headers, content=body))
            told: Told = (response.status_code, response.headers.raw, await response.aread())
            writer.write(_packed(told))
            await writer.drain()


async def _message(reader: asyncio.StreamReader) -> Any:
    """Wait for a message."""
    (size,) = _HEAD.unpack(await reader.readexactly(_HEAD.size))
    return pickle.loads(await reader.readexactly(size))  # noqa: S301 (a process of our own, in a folder of our own)


def _packed(message: object) -> bytes:
    """Return a message as it travels."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _HEAD.pack(len(body)) + body
