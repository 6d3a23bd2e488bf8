"""Who may post to the tool server, and what: hosts, origins, methods, media types, sizes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import httpx
import pytest
from starlette.applications import Starlette

from riskanalytics.service import Store
from riskanalytics.service.tool_server.serving import HttpTools
from tests.service.given import Caller
from tests.service.tool_server.fixtures import Agent

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "ratings.example"])
def test_tool_calls_to_the_service_s_host_names_are_answered(agent: Agent, host: str) -> None:
    assert agent.post(PING, host=host.format(port=urlsplit(agent.url).port)).json() == PONG


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example:{port}", "ratings.example:80"])
def test_tool_calls_to_other_host_names_get_421(agent: Agent, host: str) -> None:
    assert agent.post(PING, host=host.format(port=urlsplit(agent.url).port)).status_code == 421


def test_the_port_of_a_public_address_is_part_of_the_host_name(given_database: Path) -> None:
    async def statuses(tools: HttpTools) -> list[int]:
        app, headers = Starlette(routes=[tools.route]), {"accept": "application/json"}
        async with tools.running(), httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            hosts = [f"https://{host}/api/mcp" for host in ("a.example:8443", "a.example", "b.example:8443")]
            return [(await client.post(host, json=PING, headers=headers)).status_code for host in hosts]

    with closing(Store(given_database)) as store:
        assert anyio.run(statuses, HttpTools(store, "https://a.example:8443")) == [200, 421, 421]


@pytest.mark.parametrize(
    "origin", [None, "http://127.0.0.1:{port}", "http://localhost:{port}", "https://ratings.example"]
)
def test_pages_of_the_service_and_programs_may_call_tools(agent: Agent, origin: str | None) -> None:
    origin = origin and origin.format(port=urlsplit(agent.url).port)
    assert agent.post(PING, origin=origin).json() == PONG


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "https://ratings.example.evil.example", "file://"])
def test_pages_of_other_sites_may_not_call_tools(agent: Agent, origin: str) -> None:
    assert agent.post(PING, origin=origin).status_code == 403


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/json, text/event-stream"])
def test_calls_that_accept_json_are_answered_in_json(agent: Agent, accept: str) -> None:
    reply = agent.post(PING, accept=accept)
    assert (reply.headers["content-type"], reply.json()) == ("application/json", PONG)


def test_other_media_types_are_refused(agent: Agent) -> None:
    assert agent.post(PING, accept="image/png").status_code == 406
    assert agent.post(PING, content_type="text/plain").status_code == 415
    assert agent.post(PING, content_type="application/ld+json").status_code == 415
    assert agent.post(PING, content_type="application/json; charset=utf-8").json() == PONG


def test_a_body_over_a_mebibyte_is_refused(agent: Agent) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"a" * (1 << 20) + b'"}}'
    assert agent.post(body).status_code == 413


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_only_post_is_allowed(agent: Agent, method: str) -> None:
    reply = agent.send(method)
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    assert reply.headers["content-type"] == "application/problem+json"
    assert (reply.content == b"") == (method == "HEAD")


def test_answers_have_a_request_id_and_the_security_headers(agent: Agent) -> None:
    for reply in (agent.post(PING), agent.post(PING, host="evil.example"), agent.post(b"{")):
        assert len(reply.headers["x-request-id"]) == 16
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_an_application_without_tools_says_so_and_answers_all_other_requests(given_database: Path) -> None:
    caller = Caller(given_database)
    headers = {"host": "ratings.example", "content-type": "application/json"}
    reply = caller.call("/api/mcp", method="POST", headers=headers)
    assert (reply.status, reply.headers["content-type"]) == (503, "application/problem+json")
    assert "riskanalytics serve" in reply.json()["detail"]
    assert caller.call("/api/coverage").status == 200
    caller.close()


def test_the_openapi_description_contains_the_call_and_its_responses(agent: Agent) -> None:
    described = agent.send("GET", agent.url.replace("/api/mcp", "/openapi.json")).json()["paths"]
    call = described["/api/mcp"]["post"]
    assert list(described["/api/mcp"]) == ["post"]
    assert "/api/mcp/" not in described
    schema = call["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["jsonrpc", "method"]
    assert {"200", "202", "400", "404", "4XX", "5XX"} <= set(call["responses"])
