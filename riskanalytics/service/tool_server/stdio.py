"""The tool server over stdin and stdout."""

from __future__ import annotations

import asyncio
import math
import os
import threading
from collections.abc import AsyncIterator
from io import TextIOWrapper
from typing import Final

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCRequest, JSONRPCResponse
from mcp_types.jsonrpc import JSONRPCError, RequestId
from pydantic import ValidationError

from riskanalytics.databases import Place
from riskanalytics.service.store.read import Store
from riskanalytics.service.store.records import Json
from riskanalytics.service.tool_server.desk import Desk
from riskanalytics.service.tool_server.protocol import tool_protocol

_LAST_WAIT: Final = 10.0
_Message = SessionMessage | Exception
_Incoming = ObjectReceiveStream[_Message]
_Outgoing = ObjectSendStream[SessionMessage]


def speak_stdio(database: Place) -> None:
    """Answer calls on stdin with lines on stdout until stdin ends; nothing else is written there.

    Parameters
    ----------
    database : Path or Server

    Raises
    ------
    DatabaseError
        If the file is not a database of ours.
    BrokenPipeError
        If nobody reads stdout any more.
    """
    store = Store(database)
    try:
        anyio.run(_speak, tool_protocol(Desk(store, None)))
    except BaseExceptionGroup as group:
        # who hands answers on may find the writer gone before it hears why
        if group.split((BrokenPipeError, anyio.BrokenResourceError))[1] is None:
            raise BrokenPipeError from None
        raise
    finally:
        store.close()


async def _speak(protocol: Server[Json]) -> None:
    """Serve one connection; what was asked before stdin ended is answered, where the library alone would drop it."""
    to_server, asked = anyio.create_memory_object_stream[_Message](0)
    # what is left when stdout breaks must not keep the library waiting, which it would say on stderr
    answers, from_server = anyio.create_memory_object_stream[SessionMessage](math.inf)
    async with stdio_server(stdin=_Lines()) as (incoming, outgoing), anyio.create_task_group() as group:
        pending = _Pending()
        group.start_soon(pending.feed, incoming, to_server, outgoing.clone())
        group.start_soon(pending.drain, from_server, outgoing)
        await protocol.run(asked, answers, protocol.create_initialization_options())


class _Pending:
    """Calls that were read and not yet answered."""

    def __init__(self) -> None:
        self._ids: set[RequestId] = set()
        self._settled = anyio.Event()

    async def feed(self, incoming: _Incoming, to_server: ObjectSendStream[_Message], outgoing: _Outgoing) -> None:
        """Hand messages on, and answer lines that are none; after the last one, wait for the answers."""
        async with to_server, outgoing:
            async for message in incoming:
                if isinstance(message, Exception):
                    await outgoing.send(SessionMessage(_refusal(message)))
                    continue
                if isinstance(message.message, JSONRPCRequest):
                    self._ids.add(message.message.id)
                await to_server.send(message)
            self._settled = anyio.Event()
            if self._ids:
                # a call that its client cancelled is never answered
                with anyio.move_on_after(_LAST_WAIT):
                    await self._settled.wait()

    async def drain(self, from_server: ObjectReceiveStream[SessionMessage], outgoing: _Outgoing) -> None:
        """Hand answers on."""
        async with outgoing:
            async for message in from_server:
                await outgoing.send(message)
                if isinstance(message.message, JSONRPCResponse | JSONRPCError) and message.message.id is not None:
                    self._ids.discard(message.message.id)
                if not self._ids:
                    self._settled.set()


def _refusal(fault: Exception) -> JSONRPCError:
    """Answer a line that is no message (JSON-RPC 2.0, section 5.1): which call it was cannot be known."""
    kinds = [error["type"] for error in fault.errors()] if isinstance(fault, ValidationError) else []
    parse = not kinds or "json_invalid" in kinds
    code, words = (
        (PARSE_ERROR, "This line is no JSON.") if parse else (INVALID_REQUEST, "This is no JSON-RPC 2.0 message.")
    )
    return JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=words))


class _Lines(anyio.AsyncFile[str]):
    """Lines of stdin, read by a thread that does not keep the process from ending when it is asked to."""

    def __init__(self) -> None:
        # a descriptor of its own: closing sys.stdin at exit would wait for the thread that reads it
        super().__init__(TextIOWrapper(os.fdopen(os.dup(0), "rb"), encoding="utf-8", errors="replace"))

    async def __aiter__(self) -> AsyncIterator[str]:
        loop, lines = asyncio.get_running_loop(), asyncio.Queue[str](1)

        def read() -> None:
            line = "more"
            while line:
                line = self.wrapped.readline()
                asyncio.run_coroutine_threadsafe(lines.put(line), loop).result()

        threading.Thread(target=read, name="riskanalytics-stdin", daemon=True).start()
        while line := await lines.get():
            yield line
