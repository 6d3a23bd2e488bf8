"""Connections whose client sends slowly, reads slowly, or speaks no HTTP."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
import uvicorn

from riskanalytics.service.door import connection
from riskanalytics.service.door.connection import Crowd, PatientConnection
from tests.service.given import Caller

LOOK = 0.2


@asynccontextmanager
async def served(caller: Caller) -> AsyncIterator[int]:
    """Serve the literal database on a free port, looking at connections five times a second."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            caller.app, http=PatientConnection, proxy_headers=False, lifespan="off", log_level="critical", ws="none"
        )
        server = uvicorn.Server(config)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:  # noqa: ASYNC110 (the server has no event for it)
            await asyncio.sleep(0.01)
        yield int(listener.getsockname()[1])
        server.should_exit = True
        await running


@asynccontextmanager
async def opened(port: int, sent: bytes) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


async def until_closed(reader: asyncio.StreamReader) -> float:
    """Return the seconds until the server has ended a connection."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(5):
            while await reader.read(65536):
                pass
    except ConnectionResetError:
        pass
    return time.monotonic() - began


HEAD = b"GET /health HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /api/verified/ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"


@pytest.mark.parametrize("sent", [b"", HEAD[:9], HEAD, POST], ids=["nothing", "line", "headers", "body"])
def test_a_request_that_does_not_arrive_ends_its_connection_while_others_are_answered(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connection, "SECONDS", LOOK)

    async def attacked() -> None:
        async with served(caller) as port, AsyncExitStack() as stack:
            slow = [await stack.enter_async_context(opened(port, sent)) for _ in range(20)]
            async with opened(port, HEAD + b"Connection: close\r\n\r\n") as (reader, _):
                assert (await reader.read()).startswith(b"HTTP/1.1 200")
            for reader, _ in slow:
                assert await until_closed(reader) < 10 * LOOK

    asyncio.run(attacked())


def test_a_header_sent_bit_by_bit_is_not_waited_for_longer(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SECONDS", LOOK)

    async def attacked() -> None:
        async with served(caller) as port, opened(port, HEAD) as (reader, writer):
            closed = asyncio.create_task(until_closed(reader))
            while not closed.done():
                writer.write(b"X: y\r\n")
                await asyncio.sleep(LOOK / 8)
            assert await closed < 10 * LOOK

    asyncio.run(attacked())


def test_an_answer_that_is_not_read_ends_its_connection(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SECONDS", LOOK)

    async def attacked() -> None:
        async with served(caller) as port:
            with socket.create_connection(("127.0.0.1", port)) as unread, pytest.raises(ConnectionError):
                unread.settimeout(0)
                async with asyncio.timeout(5):
                    while True:  # soon neither side's buffers take more
                        with suppress(BlockingIOError):
                            unread.send(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
                        await asyncio.sleep(0.02)

    asyncio.run(attacked())


def test_a_connection_with_time_between_its_requests_is_kept(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SECONDS", LOOK)

    async def kept() -> None:
        async with served(caller) as port, opened(port, b"") as (reader, writer):
            for _ in range(12):
                writer.write(HEAD + b"\r\n")
                assert (await reader.readuntil(b"}")).startswith(b"HTTP/1.1 200")
                await asyncio.sleep(LOOK / 3)

    asyncio.run(kept())


@pytest.mark.parametrize("sent", [b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", HEAD + b"X: " + b"a" * 70_000])
def test_what_is_no_request_is_answered_with_a_problem_document(caller: Caller, sent: bytes) -> None:
    async def asked() -> None:
        async with served(caller) as port, opened(port, sent) as (reader, _):
            head, _, body = (await reader.readuntil(b"}")).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400")
            assert b"Content-Type: application/problem+json" in head
            assert json.loads(body)["instance"].startswith("urn:riskanalytics:request:")

    asyncio.run(asked())


@pytest.mark.parametrize(("most", "most_of_one"), [(5, 100), (100, 5)])
def test_where_there_are_too_many_the_longest_idle_goes_and_the_newest_is_answered(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, most: int, most_of_one: int
) -> None:
    monkeypatch.setattr(PatientConnection, "crowd", Crowd(most, most_of_one))

    async def crowded() -> None:
        async with served(caller) as port, AsyncExitStack() as stack:
            idle = [await stack.enter_async_context(opened(port, b"")) for _ in range(12)]
            async with opened(port, HEAD + b"Connection: close\r\n\r\n") as (reader, _):
                assert (await reader.read()).startswith(b"HTTP/1.1 200")
            for reader, _ in idle[:8]:
                assert await until_closed(reader) < 1
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await idle[-1][0].read(1)

    asyncio.run(crowded())


def test_where_all_wait_for_an_answer_the_newest_goes() -> None:
    class Busy:
        idle = False

    crowd = Crowd(2, 100)
    first, second, third = Busy(), Busy(), Busy()
    assert crowd.enter(first, "a")
    assert crowd.enter(second, "b")
    assert not crowd.enter(third, "c")
    crowd.leave(first)
    crowd.leave(first)
    assert crowd.enter(third, "c")


def test_there_is_room_for_fewer_connections_than_descriptors() -> None:
    assert 16 <= Crowd().most <= resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_a_body_that_nobody_waits_for_is_not_taken_after_the_answer(caller: Caller) -> None:
    head = b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n"

    async def sending() -> None:
        async with served(caller) as port, opened(port, head) as (reader, writer):
            assert (await reader.readline()).startswith(b"HTTP/1.1 404")
            began = time.monotonic()
            with suppress(ConnectionError):
                while time.monotonic() - began < 5:
                    writer.write(b"x" * 1000)
                    await writer.drain()
                    await asyncio.sleep(0.02)
            assert time.monotonic() - began < 3

    asyncio.run(sending())


def test_headers_that_are_too_long_are_refused(caller: Caller) -> None:
    assert caller.call("/health", headers={"x-long": "y" * 20_000}).status == 431
    assert caller.call("/health", headers={"x-long": "y" * 8_000}).status == 200


def test_the_work_of_a_request_ends_when_its_client_hangs_up(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = threading.Event(), threading.Event()

    def endless(*_: object) -> object:
        began.set()
        try:
            return caller.store.rows(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10000000000) SELECT count(*) FROM n"
            )
        finally:
            ended.set()

    monkeypatch.setattr(caller.store, "coverage", endless)

    async def hung_up() -> None:
        async with served(caller) as port:
            async with opened(port, b"GET /api/coverage HTTP/1.1\r\nHost: x\r\n\r\n"):
                assert await asyncio.to_thread(began.wait, 5)
            assert await asyncio.to_thread(ended.wait, 5)

    asyncio.run(hung_up())


def test_of_slow_readers_those_of_the_address_go_for_which_most_is_kept() -> None:
    class Slow:
        idle = True

        def __init__(self, unsent: int) -> None:
            self.unsent = unsent
            self.transport = self

        def abort(self) -> None:
            self.unsent = 0

    crowd = Crowd(100, 100)
    crowd.most_unsent = 100
    one, quick = Slow(60), Slow(0)
    many = [Slow(30) for _ in range(4)]
    for connection_of, address in ((one, "a"), (quick, "a"), *((slow, "b") for slow in many)):
        assert crowd.enter(connection_of, address)
        crowd.answered(connection_of)
    assert one.unsent + sum(slow.unsent for slow in many) <= 100
    assert list(crowd._slow) == [slow for slow in (one, *many) if slow.unsent]
    assert quick not in crowd._slow


def test_a_flood_of_a_body_is_not_taken_after_the_answer(caller: Caller) -> None:
    head = b"POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n"

    async def flooding() -> None:
        async with served(caller) as port, opened(port, head) as (_, writer):
            sent, piece = 0, b"x" * (1 << 20)
            with suppress(ConnectionError):
                async with asyncio.timeout(4):
                    while True:
                        writer.write(piece)
                        await writer.drain()
                        sent += len(piece)
            assert sent < 32 * len(piece)  # what the buffers of both sides take

    asyncio.run(flooding())


def test_a_body_that_comes_after_its_answer_costs_the_next_request_nothing(caller: Caller) -> None:
    async def late() -> None:
        head = b"POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"
        async with served(caller) as port, opened(port, head) as (reader, writer):
            assert (await reader.readuntil(b"}")).startswith(b"HTTP/1.1 405")
            writer.write(b"{}")
            await asyncio.sleep(0.3)
            for _ in range(4):
                writer.write(HEAD + b"\r\n")
                assert (await reader.readuntil(b"}")).startswith(b"HTTP/1.1 200")
                await asyncio.sleep(0.4)

    asyncio.run(late())
