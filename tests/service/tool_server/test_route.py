"""Who may post to the tool server, and what: hosts, origins, methods, media types, sizes."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from riskanalytics.service import UNLIMITED, Access, Store, create_app
from riskanalytics.service.tool_server.transport import ToolServer
from tests.http_server import served
from tests.service.given import PUBLIC_URL, Caller
from tests.service.tool_server.fixtures import Agent

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}


def problem(reply: httpx.Response, status: int) -> str:
    """Assert that an answer is a problem document; give its sentence."""
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert reply.json()["status"] == status
    return str(reply.json()["detail"])


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "LocalHost:{port}", "[::1]:{port}", "ratings.example",
             "Ratings.Example", "ratings.example:443"],
)  # fmt: skip
def test_the_service_answers_under_its_own_names(agent: Agent, host: str) -> None:
    assert agent.post(PING, host=host.format(port=urlsplit(agent.url).port)).json() == PONG


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost", "localhost:1", "localhost.:{port}", "127.0.0.1",
             "127.0.0.1.evil.example:{port}", "127.0.0.2:{port}", "ratings.example:80", "ratings.example.", "[::2]:{port}",
             "a@localhost:{port}", "0.0.0.0:{port}", "2130706433:{port}"],
)  # fmt: skip
def test_another_name_is_misdirected(agent: Agent, host: str) -> None:
    assert "--public-url" in problem(agent.post(PING, host=host.format(port=urlsplit(agent.url).port)), 421)


@pytest.mark.parametrize(
    "origin", [None, "http://127.0.0.1:{port}", "http://localhost:{port}", "http://[::1]:{port}",
               "https://ratings.example", "https://ratings.example:443", "HTTPS://RATINGS.EXAMPLE"],
)  # fmt: skip
def test_the_service_s_own_pages_and_programs_may_call(agent: Agent, origin: str | None) -> None:
    origin = origin and origin.format(port=urlsplit(agent.url).port)
    assert agent.post(PING, origin=origin).json() == PONG


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost", "http://localhost:1", "https://localhost:{port}",
               "http://ratings.example", "https://ratings.example.", "https://ratings.example.evil.example", "", "file://",
               "http://localhost.:{port}", "https://evil.example https://ratings.example"],
)  # fmt: skip
def test_another_site_s_page_may_not_call(agent: Agent, origin: str) -> None:
    sentence = problem(agent.post(PING, origin=origin.format(port=urlsplit(agent.url).port)), 403)
    assert sentence == "This address takes no requests from other sites' pages."


@pytest.mark.parametrize(
    "accept", [None, "*/*", "application/json", "application/*", "application/json, text/event-stream",
               "text/event-stream, */*;q=0.1", "Application/JSON;q=0.5"],
)  # fmt: skip
def test_whoever_takes_json_is_answered_in_json(agent: Agent, accept: str | None) -> None:
    for version in ("2025-06-18", "2025-11-25", None):
        reply = agent.post(PING, accept=accept, mcp_protocol_version=version)
        assert (reply.headers["content-type"], reply.json()) == ("application/json", PONG)


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "image/png"])
def test_whoever_takes_no_json_is_told_so(agent: Agent, accept: str) -> None:
    problem(agent.post(PING, accept=accept), 406)


@pytest.mark.parametrize("media_type", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_of_another_page_is_no_call(agent: Agent, media_type: str | None) -> None:
    problem(agent.post(PING, content_type=media_type), 415)


def test_a_packed_body_is_not_taken(agent: Agent) -> None:
    problem(agent.post(gzip.compress(b"{}"), content_encoding="gzip"), 415)


def test_a_body_over_a_mebibyte_is_refused_announced_or_not(agent: Agent) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"a" * (1 << 20) + b'"}}'
    problem(agent.post(body), 413)
    headers = {"content-type": "application/json"}
    pieces = (body[at : at + 65536] for at in range(0, len(body), 65536))
    problem(agent.send("POST", headers=headers, content=pieces), 413)
    fits = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"a" * 900_000 + b'"}}'
    assert agent.post(fits).json() == PONG


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
@pytest.mark.parametrize("tail", ["", "/"])
def test_only_post_is_allowed(agent: Agent, method: str, tail: str) -> None:
    reply = agent.send(method, agent.url + tail)
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")
    assert reply.headers["content-type"] == "application/problem+json"
    assert (reply.content == b"") == (method == "HEAD")


def test_a_slash_at_the_end_does_no_harm(agent: Agent) -> None:
    reply = agent.send("POST", agent.url + "/", json=PING)
    assert reply.json() == PONG


def test_answers_have_a_request_id_and_the_security_headers(agent: Agent) -> None:
    for reply in (agent.post(PING), agent.post(PING, host="evil.example"), agent.post(b"{")):
        assert len(reply.headers["x-request-id"]) == 16
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_an_application_without_a_running_tool_server_says_so_and_answers_everything_else(given_database: Path) -> None:
    caller = Caller(given_database)
    headers = {"host": "ratings.example", "content-type": "application/json"}
    reply = caller.call("/api/mcp", method="POST", headers=headers)
    assert (reply.status, reply.headers["content-type"]) == (503, "application/problem+json")
    assert "riskanalytics serve" in reply.json()["detail"]
    assert caller.call("/api/coverage").status == 200
    caller.close()


def test_an_application_can_be_served_again(given_database: Path) -> None:
    store = Store(given_database)
    app = create_app(store, Access(None), public_url=PUBLIC_URL, pace=UNLIMITED, tools=ToolServer(store, PUBLIC_URL))
    for _ in range(2):
        with served(app) as address, served(app) as other:
            assert httpx.post(f"{address}/api/mcp", json=PING).json() == PONG
            assert httpx.post(f"{other}/api/mcp", json=PING).json() == PONG
    store.close()


def test_the_description_names_the_call_and_its_answers(agent: Agent) -> None:
    described = agent.send("GET", agent.url.replace("/api/mcp", "/openapi.json")).json()["paths"]
    call = described["/api/mcp"]["post"]
    assert list(described["/api/mcp"]) == ["post"]
    assert "/api/mcp/" not in described
    schema = call["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["jsonrpc", "method"]
    assert {"200", "202", "400", "403", "405", "406", "413", "415", "421", "503"} - set(call["responses"]) == {"405"}
