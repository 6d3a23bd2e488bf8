"""Addresses that somebody else wrote: fetched without reaching anything of this network."""

from __future__ import annotations

import asyncio
import socket
import time

import httpx
import pytest

from riskanalytics.client import exchange
from riskanalytics.client.exchange import fetch
from riskanalytics.errors import InvalidAnswer, ServiceError, Unreachable
from tests.http_server import Server, reply


def test_a_private_address_is_fetched_if_allowed() -> None:
    server = Server([reply("200 OK", b"the text", "Content-Type: text/markdown; charset=utf-8")])
    answer = fetch(f"{server.url}/a?b=c", private=True)
    assert (answer.body, answer.content_type) == (b"the text", "text/markdown")
    assert b"GET /a?b=c HTTP/1.1" in server.asked[0]
    assert f"host: 127.0.0.1:{server.port}".encode() in server.asked[0].lower()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
def test_this_machine_is_not_reached_under_any_name(host: str) -> None:
    server = Server([reply("200 OK", b"secret")])
    with pytest.raises(ServiceError):
        fetch(f"http://{host}:{server.port}/", seconds=5)
    assert server.asked == []


def test_a_name_with_any_private_address_is_refused_and_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def lookup(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [(2, 1, 6, "", (address, port)) for address in ("1.1.1.1", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    with pytest.raises(InvalidAnswer, match="private network"):
        fetch("https://mixed.example/")
    assert asked == ["mixed.example"]


def test_the_address_that_was_checked_is_used_under_the_name_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[httpx.Request] = []

    async def send(_: object, request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(200, stream=httpx.ByteStream(b"x"))

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("1.1.1.1", 443))])
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", send)
    assert fetch("https://a.example/b?c").body == b"x"
    (request,) = sent
    assert (str(request.url), request.headers["host"]) == ("https://1.1.1.1/b?c", "a.example")
    assert request.extensions["sni_hostname"] == "a.example"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://a.example/", "javascript:alert(1)", "http://", "//a.example/", "nothing", "",
            "http://user:secret@a.example/", "http://[::1", "http://a.example:99999/",
            "ftp://a.example/?key=secret", "http://a.example:x/#secret", "gopher://a.example/", "http://\x00/"]
)  # fmt: skip
def test_an_address_that_is_not_http_is_refused_without_repeating_its_secrets(url: str) -> None:
    with pytest.raises(ServiceError) as result:
        fetch(url, private=True, seconds=5)
    assert "secret" not in str(result.value)


def test_an_address_with_a_user_name_is_not_fetched() -> None:
    server = Server([reply("200 OK", b"x")])
    with pytest.raises(InvalidAnswer, match=r"must begin with http or https and have no user name$"):
        fetch(f"http://user:pw@127.0.0.1:{server.port}/", private=True, seconds=5)
    assert server.asked == []


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://user:pw@127.0.0.1/", "http://[bad", "javascript:x"])
def test_a_redirect_to_a_forbidden_address_is_refused(target: str) -> None:
    server = Server([reply("302 Found", b"", f"Location: {target}")])
    with pytest.raises(ServiceError):
        fetch(server.url, private=True, seconds=5)
    assert len(server.asked) == 1


def test_each_redirect_is_checked_and_three_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Server([reply("200 OK", b"secret")])
    first = Server([reply("302 Found", b"", f"Location: {other.url}/")])
    real = exchange.is_public_address
    monkeypatch.setattr(
        exchange, "is_public_address", lambda address: len(checked.append(1) or checked) == 1 or real(address)
    )
    checked: list[int] = []
    with pytest.raises(InvalidAnswer, match="private network"):
        fetch(first.url)
    assert (len(first.asked), other.asked) == (1, [])
    endless = Server([reply("302 Found", b"", "Location: /again")])
    with pytest.raises(InvalidAnswer, match="redirects too often"):
        fetch(endless.url, private=True)
    assert len(endless.asked) == 4


def test_a_posted_body_does_not_follow_a_redirect() -> None:
    server = Server([reply("307 Temporary Redirect", b"", "Location: /other"), reply("200 OK", b"x")])
    with pytest.raises(ServiceError, match="307"):
        fetch(server.url, private=True, body=(b"asked", {"Content-Type": "text/plain"}))
    assert len(server.asked) == 1
    assert b"content-type: text/plain" in server.asked[0].lower()
    server = Server([reply("200 OK", b"x")])
    assert (
        fetch(server.url, private=True, body=(b"asked", {"Content-Type": "application/x-a"}), most_bytes=1).body == b"x"
    )
    assert server.asked[0].startswith(b"POST ")
    assert b"content-type: application/x-a" in server.asked[0].lower()


def test_a_redirect_from_https_to_http_is_refused_and_one_to_https_followed() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        target = {"/down": "http://a.example/b", "/up": "https://b.example/b"}.get(request.url.path)
        headers = {"Location": target} if target else {}
        return httpx.Response(302 if target else 200, headers=headers, stream=httpx.ByteStream(b""))

    async def read(url: str) -> int:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            return (await exchange.exchange(client, client.build_request("GET", url), url, 9, exchange._stays_safe))[
                0
            ].status_code

    assert [
        asyncio.run(read(url)) for url in ("http://a.example/up", "https://a.example/up", "http://a.example/down")
    ] == [200] * 3
    with pytest.raises(InvalidAnswer, match="redirects from https to http, so the redirect is not followed"):
        asyncio.run(read("https://a.example/down"))


@pytest.mark.parametrize("answer", [
    reply("200 OK", b"x" * 5000),
    reply("200 OK", b"\x1f\x8b" + b"x" * 100, "Content-Encoding: gzip"),
    reply("500 Oh", b"no"),
    reply("404 Not Found", b"no"),
    reply("206 Partial Content", b"half"),
    b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nshort",
    b"no http at all\r\n\r\n",
    b"",
])  # fmt: skip
def test_an_incomplete_encoded_or_large_answer_is_refused(answer: bytes) -> None:
    with pytest.raises(ServiceError):
        fetch(Server([answer]).url, private=True, most_bytes=1000, seconds=5)


def test_a_server_that_sends_headers_slowly_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        with pytest.raises(Unreachable, match="gave no complete answer in "):
            fetch(f"http://127.0.0.1:{silent.getsockname()[1]}/", private=True, seconds=0.5)
        assert time.monotonic() - began < 30


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Server([reply("200 OK", b"from the proxy")])
    server = Server([reply("200 OK", b"from the server")])
    monkeypatch.setenv("HTTP_PROXY", proxy.url)
    monkeypatch.setenv("ALL_PROXY", proxy.url)
    assert fetch(server.url, private=True).body == b"from the server"
    assert proxy.asked == []
