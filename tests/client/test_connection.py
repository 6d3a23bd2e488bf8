"""The door to HTTP: keys stay at home, waits are what was asked, bodies are whole and not too large."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from riskanalytics.client.answers import Answer
from riskanalytics.client.connection import MOST_BYTES, Connection
from riskanalytics.errors import (
    InvalidAnswer,
    NotAuthorised,
    RateLimited,
    ServiceError,
    SettingsError,
    TierRequired,
    UnknownPlatform,
    Unreachable,
)
from tests.http_server import reply, serving

KEY = "apc_live_canary"


class Waits:
    """Waits that are noted, and over at once."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def connected(url: str, waits: Waits | None = None) -> Connection:
    connection = Connection(url, KEY)
    connection._sleep = (waits or Waits()).sleep
    return connection


@pytest.mark.parametrize("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.2:9/", "https://127.0.0.1/", "//evil.example/", "file:///etc/passwd", "/\\evil.example", "javascript:x",
     "http://user:pw@127.0.0.1/", "http://[::1", "http://a.example:99999999/", "http://\u2028/"],
)  # fmt: skip
def test_a_redirect_to_another_origin_is_not_followed(status: str, target: str) -> None:
    with serving(reply(status, b"", f"Location: {target}"), reply("404 x")) as server:
        connection = connected(server.url)
        with pytest.raises(ServiceError):
            connection.get("/a", keyed=True)
        connection.close()


def test_a_redirect_to_another_port_is_not_followed_and_the_key_stays() -> None:
    with serving(reply("200 OK", b"{}")) as other, serving(reply("302 x", b"", f"Location: {other.url}/")) as server:
        connection = connected(server.url)
        with pytest.raises(InvalidAnswer, match="redirects to another origin"):
            connection.get("/a", keyed=True)
        connection.close()
        assert other.asked == []
    for start in ("http://ann:pw@127.0.0.1", "https://127.0.0.1"):
        with serving(lambda _, start=start: reply("302 x", b"", f"Location: {start}:{server.port}/b")) as server:
            connection = connected(server.url)
            with pytest.raises(InvalidAnswer, match="redirects to another origin"):
                connection.get("/a", keyed=True)
            connection.close()


def test_a_redirect_on_the_same_origin_is_followed_with_the_key() -> None:
    with serving(reply("302 x", b"", "Location: /b?x=1"), reply("200 OK", b'{"a": 1}')) as server:
        connection = connected(server.url)
        assert connection.get("/a", keyed=True).json() == {"a": 1}
        assert server.asked[1].startswith(b"GET /b?x=1")
        assert KEY.encode() in server.asked[1]
        connection.close()


def test_redirects_without_end_are_refused() -> None:
    with serving(reply("302 x", b"", "Location: /a")) as server:
        connection = connected(server.url)
        with pytest.raises(InvalidAnswer, match="redirects too often"):
            connection.get("/a")
        assert len(server.asked) == 4
        connection.close()


def test_the_key_is_sent_only_to_keyed_endpoints() -> None:
    with serving(reply("200 OK")) as server:
        connection = connected(server.url)
        connection.get("/open")
        connection.get("/keyed", keyed=True)
        assert [KEY.encode() in request for request in server.asked] == [False, True]
        connection.close()


def test_a_key_is_not_sent_unencrypted_to_another_machine() -> None:
    with pytest.raises(SettingsError, match="unencrypted"):
        Connection("http://service.example", KEY)
    for url in ("http://127.evil.example", "http://localhost.evil.example", "http://evil-localhost", "http://10.0.0.1"):
        with pytest.raises(SettingsError, match="unencrypted"):
            Connection(url, KEY)
    Connection("http://service.example").close()
    for url in ("https://service.example", "http://localhost:8000", "http://127.0.0.1", "http://[::1]:80"):
        Connection(url, KEY).close()
    assert Connection("https://ann:secret@a.example/b/?c=1#d").base_url == "https://a.example/b"


@pytest.mark.parametrize("url", ["", "service.example", "ftp://service.example", "https://", "http://[::1"])
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(SettingsError):
        Connection(url)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("401 x", NotAuthorised),
        ("402 x", TierRequired),
        ("403 x", TierRequired),
        ("404 x", ServiceError),
        ("409 x", ServiceError),
        ("418 x", ServiceError),
        ("501 x", ServiceError),
    ],
)
def test_a_refusal_is_final_and_never_repeats_the_key(status: str, error: type[ServiceError]) -> None:
    body = json.dumps({"detail": f"no \x1b[31m{KEY}\x1b[0m\r\nsecond line " + "x" * 9000}).encode()
    with serving(reply(status, body)) as server:
        connection = connected(server.url)
        with pytest.raises(error) as refused:
            connection.get("/api/v1/a", keyed=True)
        assert len(server.asked) == 1
        text = str(refused.value)
        assert KEY not in text
        assert "\x1b" not in text
        assert "\n" not in text
        assert len(text) < 400
        connection.close()


def test_an_unknown_platform_has_a_separate_error() -> None:
    with serving(reply("404 x")) as server:
        connection = connected(server.url)
        with pytest.raises(UnknownPlatform):
            connection.get("/api/v1/platforms/none", keyed=True)
        connection.close()


@pytest.mark.parametrize("status", ["429 x", "500 x", "502 x", "503 x", "520 x", "408 x", "425 x"])
def test_a_temporary_failure_is_retried(status: str) -> None:
    with serving(reply(status), reply(status), reply("200 OK", b'{"a": 1}')) as server:
        waits = Waits()
        connection = connected(server.url, waits)
        assert connection.get("/a").json() == {"a": 1}
        assert len(waits.waits) == 2
        connection.close()


def test_a_server_that_never_recovers_is_given_up() -> None:
    with serving(reply("503 x")) as server:
        waits = Waits()
        connection = connected(server.url, waits)
        with pytest.raises(ServiceError):
            connection.get("/a")
        assert len(server.asked) == 6
        assert len(waits.waits) == 5
        assert sum(waits.waits) <= 120
        connection.close()


@pytest.mark.parametrize("status", ["429 x", "503 x"])
def test_a_wait_requested_by_the_server_is_respected(status: str) -> None:
    with serving(reply(status, b"{}", "Retry-After: 17"), reply("200 OK")) as server:
        waits = Waits()
        connection = connected(server.url, waits)
        connection.get("/a")
        assert waits.waits == [17.0]
        connection.close()


def test_a_wait_of_days_is_refused_at_once() -> None:
    with serving(reply("429 x", b"{}", "Retry-After: 86400000")) as server:
        waits = Waits()
        connection = connected(server.url, waits)
        with pytest.raises(RateLimited, match="86,400,000") as refused:
            connection.get("/a")
        assert refused.value.retry_after == 86_400_000
        assert waits.waits == []
        connection.close()


def test_a_404_for_another_resource_is_not_an_unknown_platform() -> None:
    with serving(reply("404 x")) as server:
        connection = connected(server.url)
        for path, kind in (("/api/v1/platforms", ServiceError), ("/api/v1/platforms/a", UnknownPlatform)):
            with pytest.raises(ServiceError) as refused:
                connection.get(path)
            assert type(refused.value) is kind
        connection.close()


def test_an_error_of_one_answer_affects_that_answer_only() -> None:
    def answered(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/b":
            raise ValueError("a fault of a library")
        return httpx.Response(200, stream=httpx.ByteStream(b"{}"))

    connection = Connection("https://a.example", transport=httpx.MockTransport(answered))
    result = dict(connection.get_each(["/a", "/b", "/c"], within=20))
    assert {path: type(got) for path, got in result.items()} == {"/a": Answer, "/b": InvalidAnswer, "/c": Answer}
    connection.close()


def test_no_more_answers_are_requested_ahead_than_run_in_parallel() -> None:
    with serving(reply("200 OK")) as server:
        connection = connected(server.url)
        each = connection.get_each([f"/{number}" for number in range(100)], within=60)
        next(each)
        time.sleep(0.5)
        assert len(server.asked) <= 16
        each.close()
        connection.close()


def test_a_connection_answers_inside_a_running_loop_and_from_many_threads() -> None:
    with serving(reply("200 OK", b'{"a": 1}')) as server, ThreadPoolExecutor(8) as pool:
        connection = connected(server.url)

        async def in_a_notebook() -> object:
            return connection.get("/a").json()

        assert asyncio.run(in_a_notebook()) == {"a": 1}
        assert list(pool.map(lambda _: connection.get("/a").json(), range(40))) == [{"a": 1}] * 40
        connection.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_uses_a_new_loop() -> None:
    with serving(reply("200 OK", b'{"a": 1}')) as server:
        script = FORKED.format(url=server.url)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("child\nparent\n", "")


FORKED = """
import os, warnings
from riskanalytics.client.connection import Connection
connection = Connection("{url}")
connection.get("/a")
warnings.simplefilter("ignore", DeprecationWarning)
if os.fork() == 0:
    print("child" if Connection("{url}").get("/a").json() == {{"a": 1}} else "?", flush=True)
    os._exit(0)
os.wait()
print("parent" if connection.get("/a").json() == {{"a": 1}} else "?")
connection.close()
"""


def test_a_bomb_is_refused_without_being_unpacked() -> None:
    bomb = gzip.compress(b"\0" * (MOST_BYTES + 1))
    with serving(reply("200 OK", bomb, "Content-Encoding: gzip")) as server:
        connection = connected(server.url)
        with pytest.raises(InvalidAnswer, match="MiB"):
            connection.get("/a")
        connection.close()


def test_truncated_bodies_are_never_taken_for_complete() -> None:
    whole = gzip.compress(b'{"a": 1}' * 100)
    cut = reply("200 OK", whole[:-9], "Content-Encoding: gzip")
    short = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{}"
    for answer in (cut, short, b"", b"nonsense\r\n\r\n"):
        with serving(answer) as server:
            connection = connected(server.url)
            with pytest.raises(Unreachable):
                connection.get("/a")
            connection.close()


def test_unrequested_and_false_encodings_are_refused() -> None:
    for header in ("Content-Encoding: br", "Content-Encoding: gzip"):
        with serving(reply("200 OK", b"\x8b\x02packed", header)) as server:
            connection = connected(server.url)
            with pytest.raises(InvalidAnswer):
                connection.get("/a")
            connection.close()


def test_a_refused_port_is_unreachable() -> None:
    connection = connected("http://127.0.0.1:9")
    with pytest.raises(Unreachable):
        connection.get("/a")
    connection.close()


def test_a_record_is_posted_as_json_without_the_key() -> None:
    with serving(reply("200 OK", b'{"refused": true}')) as server:
        connection = connected(server.url)
        assert connection.post("/api/verified/ask", {"question": "会训练吗"}).json() == {"refused": True}
        connection.close()
    head, _, body = server.asked[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /api/verified/ask HTTP/1.1")
    assert b"content-type: application/json" in head.lower()
    assert KEY.encode() not in server.asked[0]
    assert json.loads(body) == {"question": "会训练吗"}


@pytest.mark.parametrize("status", ["429 x", "503 x"])
def test_a_post_is_repeated_only_after_a_retry_after(status: str) -> None:
    waits = Waits()
    with serving(reply(status, b"{}", "Retry-After: 7"), reply("200 OK")) as server:
        connection = connected(server.url, waits)
        assert connection.post("/a", {}).json() == {}
        connection.close()
    assert waits.waits == [7.0]
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", ["429 x", "503 x", "500 x", "502 x", "408 x", "301 x", "422 x"])
def test_a_post_that_failed_without_a_wait_is_not_sent_again(status: str) -> None:
    with serving(reply(status, b"{}", "Location: /b"), reply("200 OK")) as server:
        connection = connected(server.url)
        with pytest.raises(ServiceError):
            connection.post("/a", {})
        connection.close()
    assert len(server.asked) == 1


def test_a_post_to_a_server_that_is_gone_is_not_sent_again() -> None:
    waits = Waits()
    with serving(b"") as server:
        connection = connected(server.url, waits)
        with pytest.raises(Unreachable):
            connection.post("/a", {})
        connection.close()
    assert waits.waits == []
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (httpx.ReadError(f"cut at {KEY}"), "/a gave no answer: cut at ***"),
        (httpx.ReadError(""), "/a gave no answer: the connection broke"),
        (httpx.ReadTimeout("late"), "/a sent nothing for 60 s"),
        (httpx.RemoteProtocolError("bad"),
         "/a sent no complete response: it closed the connection early, or is not an HTTP server"),
        (httpx.ConnectTimeout(""), "https://a.example cannot be reached (no answer in 5 s): check the address"),
        (httpx.ConnectError(f"no {KEY}"), "https://a.example cannot be reached (no ***): check the address"),
    ],
)  # fmt: skip
def test_a_broken_connection_is_told_in_one_line_without_the_key(error: Exception, said: str) -> None:
    def broken(_: httpx.Request) -> httpx.Response:
        raise error

    connection = Connection("https://a.example", KEY, transport=httpx.MockTransport(broken))
    connection._sleep = Waits().sleep
    with pytest.raises(Unreachable) as raised:
        connection.get("/a", keyed=True)
    assert str(raised.value) == said
    connection.close()


@pytest.mark.parametrize(("reached", "waits"), [(False, 1), (True, 5)])
def test_an_address_that_never_answered_is_tried_twice_and_a_known_server_longer(reached: bool, waits: int) -> None:
    down = not reached

    def answered(request: httpx.Request) -> httpx.Response:
        if down:
            raise httpx.ConnectError("refused", request=request)
        return httpx.Response(200, headers={"Content-Type": "application/json"}, stream=httpx.ByteStream(b"{}"))

    noted = Waits()
    connection = Connection("https://ann:secret@a.example", transport=httpx.MockTransport(answered))
    connection._sleep = noted.sleep
    if reached:
        connection.get("/a")
    down = True
    with pytest.raises(Unreachable, match=r"^https://a\.example cannot be reached \(refused\): check the address$"):
        connection.get("/b")
    connection.close()
    assert len(noted.waits) == waits
