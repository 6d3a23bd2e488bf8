"""What every answer has: security headers, a request id, HEAD, answers to pages of other sites, which may not post."""

from __future__ import annotations

import asyncio
import logging

import pytest
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from riskanalytics.service.door import Door
from riskanalytics.service.door.problems import Problem
from riskanalytics.service.wire import Service, own_site_only
from tests.service.given import Caller

PATHS = [
    "/api/coverage",
    "/api/machine/platform/aurelia-chat",
    "/health",
    "/openapi.json",
    "/platform/aurelia-chat",
]


@pytest.mark.parametrize("path", PATHS)
def test_head_is_get_without_its_body(caller: Caller, path: str) -> None:
    got, head = caller.call(path), caller.call(path, method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["etag"] == got.headers["etag"]


def test_security_headers_and_a_request_id_are_on_every_answer(caller: Caller) -> None:
    for path in (*PATHS, "/nope", "/api/v1/platforms"):
        headers = caller.call(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert (headers["referrer-policy"], headers["x-frame-options"]) == ("no-referrer", "DENY")
        assert len(headers["x-request-id"]) == 16


def test_no_key_reaches_the_log(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        caller.call("/api/v1/platforms", tier="pro")
        caller.call("/api/v1/platforms?api_key=" + caller.keys["pro"])
        caller.call("/api/v1/platforms", headers={"x-api-key": "svc_wrong_canary"})
    assert "/api/v1/platforms" in caplog.text
    for secret in (*caller.keys.values(), "canary"):
        assert secret not in caplog.text


def test_a_request_is_one_log_line_with_its_id_method_path_and_status(
    caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "riskanalytics.service"):
        replies = [caller.call(path) for path in ("/health?x=canary", "/a\nb\x1b[2J" + "c" * 300)]
        replies.append(caller.call("/health", method="HEAD"))
    lines = [record.getMessage().rpartition(" ms")[0].rpartition(" ")[0] for record in caplog.records]
    seen = ["GET /health 400", "GET /a?b?[2J" + "c" * 192 + " 404", "HEAD /health 200"]
    assert lines == [f"{reply.headers['x-request-id']} {words}" for reply, words in zip(replies, seen, strict=True)]


def test_pages_of_any_site_may_read_open_endpoints_but_not_keyed_ones(caller: Caller) -> None:
    sent = {"origin": "https://reader.example"}
    for path in PATHS:
        assert caller.call(path, headers=sent).headers["access-control-allow-origin"] == "*"
    for path in ("/api/v1/platforms", "/api/v1/nope"):
        assert "access-control-allow-origin" not in caller.call(path, headers=sent, tier="pro").headers
    asked = sent | {"access-control-request-method": "GET"}
    allowed = caller.call("/api/coverage", method="OPTIONS", headers=asked)
    assert allowed.status == 200
    assert allowed.headers["access-control-allow-methods"] == "GET, HEAD"
    exposed = caller.call("/api/coverage", headers=sent).headers["access-control-expose-headers"]
    assert exposed == "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
    for name, status in (("if-none-match", 200), ("x-api-key", 400)):
        reply = caller.call("/api/coverage", method="OPTIONS", headers=asked | {"access-control-request-headers": name})
        assert reply.status == status
    asked["access-control-request-method"] = "POST"
    assert caller.call("/api/coverage", method="OPTIONS", headers=asked).status == 400
    assert caller.call("/api/v1/platforms", method="OPTIONS", headers=asked).status == 401
    assert caller.call("/api/coverage", method="OPTIONS").status == 405


def test_a_failure_within_an_answer_ends_it_and_begins_no_second_one(caller: Caller) -> None:
    begun: list[str] = []

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError

    async def send(message: Message) -> None:
        begun.append(message["type"])

    scope = {"type": "http", "method": "GET", "path": "/health", "headers": [], "client": None, "app": caller.app}
    with pytest.raises(ValueError):
        asyncio.run(Door(broken)(scope, Request(scope).receive, send))
    assert begun == ["http.response.start"]


def post(caller: Caller, url: str, origin: str, server: tuple[str, int] | None) -> None:
    """Let a request with an origin, which a socket accepted, through to a service with a public address."""
    headers = [(b"origin", one.encode()) for one in origin.split(" | ")]
    request = Request({"type": "http", "headers": headers, "server": server})
    asyncio.run(own_site_only(request, Service(caller.store, url)))


@pytest.mark.parametrize(
    ("origin", "server"),
    [
        ("https://ratings.example", ("203.0.113.7", 8000)),
        ("https://ratings.example", None),
        ("http://203.0.113.7:8000", ("203.0.113.7", 8000)),
        ("http://localhost:8000", ("127.0.0.1", 8000)),
        ("http://[::1]:8000", ("::1", 8000)),
        ("http://[2001:db8::1]:80", ("2001:db8::1", 80)),
    ],
)
def test_pages_of_the_service_may_post(caller: Caller, origin: str, server: tuple[str, int] | None) -> None:
    post(caller, "https://Ratings.Example", origin, server)


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost:1", "http://ratings.example", "", "https://127.0.0.1:8000",
     "https://ratings.example | https://evil.example", "https://ratings.example:8000", "https://["],
)  # fmt: skip
def test_pages_of_other_sites_may_not_post(caller: Caller, origin: str) -> None:
    with pytest.raises(Problem) as refused:
        post(caller, "https://ratings.example", origin, ("127.0.0.1", 8000))
    assert refused.value.status_code == 403
