"""The tool server over the literal database on loopback, and an agent that posts raw calls to it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from riskanalytics.service import UNLIMITED, Access, Store, create_app
from riskanalytics.service.tool_server.serving import HttpTools
from tests.http_server import served
from tests.service.given import PUBLIC_URL


class Agent:
    """Posts JSON-RPC messages, without any library of the protocol."""

    def __init__(self, address: str, store: Store) -> None:
        self.url = f"{address}/api/mcp"
        self.store = store
        self._client = httpx.Client(timeout=30)
        self._ids = itertools.count(1)

    def send(self, method: str, url: str = "", **words: Any) -> httpx.Response:
        return self._client.request(method, url or self.url, **words)

    def post(self, body: bytes | object, **headers: str | None) -> httpx.Response:
        sent: dict[str, str | None] = {"content-type": "application/json", "accept": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        request = self._client.build_request("POST", self.url, content=content)
        for name, value in sent.items():
            request.headers.pop(name, None)
            if value is not None:
                request.headers[name] = value
        return self._client.send(request)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params or {}}
        reply = self.post(message).json()
        assert reply["id"] == message["id"]
        return dict(reply)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return dict(self.ask("tools/call", {"name": tool, "arguments": arguments})["result"])

    def result(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        answer = self.call(tool, **arguments)
        assert answer["isError"] is False, answer
        return dict(answer["structuredContent"])

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        answer = self.call(tool, **arguments)
        assert answer["isError"] is True
        assert "structuredContent" not in answer
        (content,) = answer["content"]
        return str(content["text"])

    def close(self) -> None:
        self._client.close()


def agent_on(database: Path) -> Iterator[Agent]:
    """An agent of a database that is served on loopback."""
    store = Store(database)
    app = create_app(store, Access(None), public_url=PUBLIC_URL, pace=UNLIMITED, tools=HttpTools(store, PUBLIC_URL))
    with served(app) as address:
        agent = Agent(address, store)
        yield agent
        agent.close()
    store.close()


@pytest.fixture(scope="session")
def agent(given_database: Path) -> Iterator[Agent]:
    """An agent of the literal database."""
    yield from agent_on(given_database)
