"""An application in this process answers inside a running loop too, and leaves no thread behind."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from riskanalytics.client.connection import Connection, InProcessTransport
from riskanalytics.errors import ServiceError


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer the method, the path and the body; fail where the path says so."""
    if scope["path"] == "/fault":
        raise RuntimeError("a fault inside")
    body = (await receive())["body"]
    result = f'{{"asked": "{scope["method"]} {scope["path"]}", "bytes": {len(body)}}}'.encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": result[:9], "more_body": True})
    await send({"type": "http.response.body", "body": result[9:]})


async def at_once(_: float) -> None:
    """No wait."""


def embedded() -> Connection:
    connection = Connection("https://embedded.localhost", transport=InProcessTransport(echo))
    connection._sleep = at_once
    return connection


def test_a_request_reaches_the_application_and_its_complete_answer_returns() -> None:
    connection = embedded()
    assert connection.get("/a").json() == {"asked": "GET /a", "bytes": 0}
    assert connection.post("/b", {"x": 1}).json() == {"asked": "POST /b", "bytes": 8}
    connection.close()


def test_it_answers_inside_a_running_loop() -> None:
    async def in_a_notebook() -> object:
        connection = embedded()
        result = connection.get("/a").json()
        connection.close()
        return result

    assert asyncio.run(in_a_notebook()) == {"asked": "GET /a", "bytes": 0}


def test_an_error_of_the_application_is_a_failure_of_the_service() -> None:
    connection = embedded()
    with pytest.raises(ServiceError, match="status 500"):
        connection.get("/fault")
    connection.close()


def test_connections_share_one_thread() -> None:
    connections = [embedded() for _ in range(5)]
    before = threading.active_count()
    for connection in connections:
        connection.get("/a")
        connection.close()
        connection.close()
    assert threading.active_count() <= before + 1
