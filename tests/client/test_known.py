"""Answers of earlier runs: confirmed by the server, never shown unasked, never to another."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from riskanalytics.client.answers import KnownAnswers
from riskanalytics.client.connection import Connection
from riskanalytics.errors import ServiceError
from tests.http_server import Server, reply, serving

KEY = "apc_live_canary"
MIB = 1 << 20
OLD = ("Last-Modified: Mon, 02 Nov 2026 08:00:00 GMT", "Date: Mon, 02 Nov 2026 09:00:00 GMT")
UNCHANGED = reply("304 Not Modified", b"", "Content-Length: 0")


def asked_with(request: bytes, name: str) -> str | None:
    """A header of a request."""
    for line in request.decode("latin-1").split("\r\n"):
        if line.lower().startswith(name.lower() + ":"):
            return line.partition(":")[2].strip()
    return None


def versioned(bodies: dict[str, bytes], *headers: str) -> Callable[[bytes], bytes]:
    """Answers with a tag for each body, and with 304 whoever has it."""

    def answer(request: bytes) -> bytes:
        body = bodies[request.split(b" ")[1].decode()]
        tag = f'"{len(body)}-{sum(body)}"'
        if asked_with(request, "if-none-match") == tag:
            return reply("304 Not Modified", b"", f"ETag: {tag}", "Content-Length: 0", "Content-Encoding: gzip")
        return reply("200 OK", body, f"ETag: {tag}", *headers)

    return answer


def conditions(server: Server) -> list[bool]:
    """Whether each request was one that a 304 answers."""
    return [b"if-none-match" in request.lower() for request in server.asked]


async def at_once(_: float) -> None:
    """No wait."""


@contextlib.contextmanager
def connected(url: str, folder: Path, key: str | None = KEY, most: int = 64 * MIB) -> Iterator[Connection]:
    connection = Connection(url, key, known=KnownAnswers(folder, most))
    connection._sleep = at_once
    try:
        yield connection
    finally:
        connection.close()


def read(url: str, folder: Path, path: str = "/a", key: str | None = KEY) -> object:
    """Get one answer as JSON."""
    with connected(url, folder, key) as connection:
        return connection.get(path, keyed=key is not None).json()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "answers"


def test_unchanged_answers_need_no_body_and_changed_ones_are_read(folder: Path) -> None:
    bodies = {"/a": b'{"a": 1}'}
    with serving(versioned(bodies)) as server:
        assert read(server.url, folder) == read(server.url, folder) == {"a": 1}
        assert conditions(server) == [False, True]
        bodies["/a"] = b'{"a": 2}'
        assert read(server.url, folder) == {"a": 2}
        assert read(server.url, folder) == {"a": 2}
        assert conditions(server) == [False, True, True, True]


def test_a_damaged_file_of_the_cache_is_not_an_answer(folder: Path) -> None:
    with serving(versioned({"/a": b'{"a": 1}'})) as server:
        for harm in (b"cut", b"\xff\n\n{}", None):
            assert read(server.url, folder) == {"a": 1}
            (file,) = folder.glob("*.answer")
            file.write_bytes(harm or file.read_bytes())
        assert read(server.url, folder) == {"a": 1}
        assert conditions(server) == [False, False, False, True]


def test_answers_are_cached_by_media_type_query_and_address(folder: Path) -> None:
    bodies = {"/a": b'{"a": 1}', "/b": b'{"b": 1}', "/a?x=1": b'{"x": 1}'}
    with serving(versioned(bodies)) as server:
        for path, body in bodies.items():
            assert read(server.url, folder, path) == json.loads(body)
        with connected(server.url, folder) as connection:
            assert connection.get("/a", keyed=True, accept="text/plain").body == bodies["/a"]
        assert conditions(server) == [False] * 4


@pytest.mark.parametrize(
    ("headers", "condition"),
    [
        (('ETag: W/"weak"',), 'if-none-match: w/"weak"'),
        (('ETag: "a"', "Cache-Control: private, no-cache", "Vary: Accept, Authorization"), 'if-none-match: "a"'),
        (('ETag: "a"', *OLD), 'if-none-match: "a"'),
        (OLD, None),
        ((), None),
        (("ETag: unquoted",), None),
        (('ETag: "a"', "Cache-Control: max-age=60, No-Store"), None),
        (('ETag: "a"', "Vary: Accept, *"), None),
    ],
)
def test_a_cached_answer_is_confirmed_by_its_entity_tag(
    headers: tuple[str, ...], condition: str | None, folder: Path
) -> None:
    body = reply("200 OK", b'{"a": 1}', *headers)
    with serving(body, UNCHANGED if condition else body) as server:
        assert read(server.url, folder) == read(server.url, folder) == {"a": 1}
        assert conditions(server)[1] is (condition is not None)
        assert condition is None or condition.encode() in server.asked[1].lower()


def test_an_unrequested_confirmation_is_not_an_answer(folder: Path) -> None:
    with serving(UNCHANGED) as server, pytest.raises(ServiceError, match="304"):
        read(server.url, folder)


def test_a_confirmation_with_a_body_confirms_the_cached_answer(folder: Path) -> None:
    result = reply("200 OK", b'{"a": 1}', 'ETag: "a"')
    stuffed = b'HTTP/1.1 304 Not Modified\r\nETag: W/"a"\r\nContent-Length: 8\r\n\r\n{"a": 2}'
    with serving(result, stuffed, stuffed, result) as server:
        assert [read(server.url, folder) for _ in range(4)] == [{"a": 1}] * 4
        assert len(server.asked) == 4


def test_a_confirmation_of_another_version_is_refused(folder: Path) -> None:
    result, other = (reply("200 OK", b'{"a": %d}' % number, f'ETag: "{number}"') for number in (1, 2))
    with serving(result, reply("304 x", b"", 'ETag: "2"', "Content-Length: 0"), other) as server:
        assert [read(server.url, folder) for _ in range(2)] == [{"a": 1}, {"a": 2}]
        assert conditions(server) == [False, True, False]


def test_a_redirect_is_followed_without_the_entity_tag_of_the_first_address(folder: Path) -> None:
    old, new = (reply("200 OK", b'{"a": %d}' % number, 'ETag: "1"') for number in (1, 2))
    with serving(old, reply("302 x", b"", "Location: /b"), new, UNCHANGED) as server:
        assert [read(server.url, folder) for _ in range(3)] == [{"a": 1}, {"a": 2}, {"a": 1}]
        assert conditions(server) == [False, True, False, True]


def test_a_confirmed_answer_keeps_its_media_type(folder: Path) -> None:
    with serving(reply("200 OK", b"x", 'ETag: "a"', "Content-Type: text/markdown"), UNCHANGED) as server:
        for _ in range(2):
            with connected(server.url, folder) as connection:
                got = connection.get("/a")
            assert (got.body, got.content_type) == (b"x", "text/markdown")


def test_a_changing_or_foreign_entity_tag_gives_the_received_answer(folder: Path) -> None:
    def answer(request: bytes) -> bytes:
        return reply("200 OK", json.dumps({"turn": len(server.asked)}).encode(), f'ETag: "{len(server.asked)}"')

    with serving(answer) as server:
        assert [read(server.url, folder) for _ in range(3)] == [{"turn": 1}, {"turn": 2}, {"turn": 3}]
    with serving(versioned({"/a": b'{"a": 1}', "/b": b'{"a": 1}'})) as server:
        assert [read(server.url, folder, path) for path in ("/a", "/b")] == [{"a": 1}, {"a": 1}]
        assert conditions(server) == [False, False]


def test_answers_for_one_key_are_not_shown_for_another(folder: Path) -> None:
    def answer(request: bytes) -> bytes:
        result = b'{"tier": "pro"}' if KEY.encode() in request else b'{"tier": "starter"}'
        known = asked_with(request, "if-none-match") is not None
        return UNCHANGED if known else reply("200 OK", result, 'ETag: "same"')

    with serving(answer) as server:
        keys = (KEY, "svc_other", None, KEY, "svc_other")
        tiers = [read(server.url, folder, key=key) for key in keys]
        assert [result["tier"] for result in tiers if isinstance(result, dict)] == [
            "pro",
            *["starter"] * 2,
            "pro",
            "starter",
        ]
        assert conditions(server) == [False, False, False, True, True]


def test_no_cached_file_contains_a_key_or_is_readable_by_others(folder: Path) -> None:
    bodies = {"/a": b'{"a": 1}', "/b": json.dumps({"you": KEY}).encode()}
    with serving(versioned(bodies)) as server:
        assert [read(server.url, folder, path) for path in bodies for _ in range(2)] == [
            {"a": 1}, {"a": 1}, {"you": "***"}, {"you": "***"},
        ]  # fmt: skip
        assert conditions(server) == [False, True, False, True]
    for file in folder.iterdir():
        assert KEY.encode() not in file.read_bytes()
        assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)


@pytest.mark.parametrize("header", [f"Content-Type: application/json+{KEY}", f'ETag: "{KEY}"'])
def test_a_key_in_a_header_that_is_written_is_found(header: str, folder: Path) -> None:
    headers = (header,) if header.startswith("ETag") else (header, 'ETag: "a"')
    with serving(reply("200 OK", b"{}", *headers)) as server:
        read(server.url, folder)
    assert not folder.exists()


def test_a_server_that_goes_back_to_an_older_version_without_tags_is_read_as_it_is(folder: Path) -> None:
    since: list[str | None] = []

    def answer(request: bytes) -> bytes:
        since.append(asked_with(request, "if-modified-since"))
        return UNCHANGED if since[-1] else reply("200 OK", b'{"turn": %d}' % len(since), *OLD)

    with serving(answer) as server:
        assert [read(server.url, folder) for _ in range(2)] == [{"turn": 1}, {"turn": 2}]
    assert since == [None, None]


@pytest.mark.parametrize(("size", "kept"), [(MIB // 32, 1), (MIB // 32 + 1, 0)])
def test_one_answer_takes_at_most_a_part_of_the_cache(folder: Path, size: int, kept: int) -> None:
    body = b'"' + b"x" * (size - 2) + b'"'
    with serving(reply("200 OK", body, 'ETag: "a"')) as server, connected(server.url, folder, most=MIB) as connection:
        connection.get("/a")
    assert len(list(folder.glob("*"))) == kept


def test_the_newest_answers_are_kept_within_the_size(folder: Path) -> None:
    folder.mkdir(parents=True)
    mine = folder / "thesis.docx"
    mine.write_bytes(b"x" * MIB)
    bodies = {f"/{number}": json.dumps(["x" * (MIB // 64)]).encode() for number in range(150)}
    with serving(versioned(bodies)) as server, connected(server.url, folder, most=MIB) as connection:
        for number, path in enumerate(bodies):
            connection.get(path)
            os.utime(max(folder.glob("*.answer"), key=lambda file: file.stat().st_mtime), (number, number))
        assert sum(file.stat().st_size for file in folder.glob("*.answer")) < MIB + MIB // 8
        for path in ("/149", "/0"):
            connection.get(path)
        assert conditions(server)[-2:] == [True, False]
    assert mine.stat().st_size == MIB


def test_an_unwritable_folder_disables_the_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with serving(versioned({"/a": b'{"a": 1}'})) as server:
        for _ in range(2):
            assert read(server.url, tmp_path / "file" / "answers") == {"a": 1}
        assert not any(conditions(server))


LOAD = """
import resource, sys
from pathlib import Path
from riskanalytics.client.answers import KnownAnswers
from riskanalytics.client.connection import Connection
url, folder, most = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
if most:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for _ in range(5):
    connection = Connection(url, known=KnownAnswers(folder, 1 << 20))
    for path, answer in connection.get_each([f"/{number}" for number in range(40)], within=60):
        assert answer.body == b'["%s"]' % (path.encode() * 500), answer
    connection.close()
"""


def loaded(server: Server, folder: Path, most: int = 0) -> str:
    """Load in a process of its own; what it said."""
    words = [sys.executable, "-c", LOAD, server.url, str(folder), str(most)]
    return subprocess.run(words, capture_output=True, text=True, timeout=200, check=False).stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are not known there")
def test_a_full_disk_caches_nothing_and_causes_no_error(folder: Path) -> None:
    bodies = {f"/{number}": b'["%s"]' % (b"/%d" % number * 500) for number in range(40)}
    with serving(versioned(bodies)) as server:
        assert loaded(server, folder, most=100) == ""
        assert not any(conditions(server))
    assert not list(folder.iterdir())


@pytest.mark.slow
def test_two_processes_use_the_answers_at_once(folder: Path) -> None:
    bodies = {f"/{number}": b'["%s"]' % (b"/%d" % number * 500) for number in range(40)}
    with serving(versioned(bodies)) as server, ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda _: loaded(server, folder), range(3))) == [""] * 3
        assert conditions(server).count(False) <= 3 * 40
        assert conditions(server).count(True) >= 12 * 40
    assert not [file for file in folder.iterdir() if file.name.startswith(".")]
