"""Answers that were read before: confirmed by the server, never shown unasked, never to another, never damaged."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from riskanalytics.client.http import Answer, Connection, KnownAnswers
from riskanalytics.errors import ServiceError, TierRequired
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
    connection = Connection(url, key, known=KnownAnswers(folder, most), sleep=at_once)
    try:
        yield connection
    finally:
        connection.close()


def read(url: str, folder: Path, path: str = "/a", key: str | None = KEY) -> object:
    """Get one answer as JSON, and keep it, as a client does."""
    with connected(url, folder, key) as connection:
        answer = connection.get(path, keyed=key is not None)
        value = answer.json()
        answer.keep()
        return value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "answers"


def test_what_did_not_change_takes_no_body_and_what_did_is_new(folder: Path) -> None:
    bodies = {"/a": b'{"a": 1}'}
    with serving(versioned(bodies)) as server:
        assert read(server.url, folder) == read(server.url, folder) == {"a": 1}
        assert conditions(server) == [False, True]
        bodies["/a"] = b'{"a": 2}'
        assert read(server.url, folder) == {"a": 2}
        assert read(server.url, folder) == {"a": 2}
        assert conditions(server) == [False, True, True, True]


def test_a_form_a_query_and_an_address_have_answers_of_their_own(folder: Path) -> None:
    bodies = {"/a": b'{"a": 1}', "/b": b'{"b": 1}', "/a?x=1": b'{"x": 1}'}
    with serving(versioned(bodies)) as server:
        for path, body in bodies.items():
            assert read(server.url, folder, path) == json.loads(body)
        with connected(server.url, folder) as connection:
            assert connection.get("/a", keyed=True, accept="text/plain").body == bodies["/a"]
        assert conditions(server) == [False] * 4


def test_an_answer_is_kept_only_once_its_reader_says_that_it_is_one(folder: Path) -> None:
    with serving(versioned({"/a": b"no JSON"})) as server:
        for _ in range(2):
            with pytest.raises(ServiceError):
                read(server.url, folder)
        assert conditions(server) == [False, False]


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
def test_an_answer_is_asked_about_again_by_what_its_server_tells_it_by(
    headers: tuple[str, ...], condition: str | None, folder: Path
) -> None:
    body = reply("200 OK", b'{"a": 1}', *headers)
    with serving(body, UNCHANGED if condition else body) as server:
        assert read(server.url, folder) == read(server.url, folder) == {"a": 1}
        assert conditions(server)[1] is (condition is not None)
        assert condition is None or condition.encode() in server.asked[1].lower()


def test_a_confirmation_that_was_not_asked_for_is_no_answer(folder: Path) -> None:
    with serving(UNCHANGED) as server, pytest.raises(ServiceError, match="304"):
        read(server.url, folder)


def test_a_confirmation_with_a_body_confirms_what_is_kept(folder: Path) -> None:
    told = reply("200 OK", b'{"a": 1}', 'ETag: "a"')
    stuffed = b'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 8\r\n\r\n{"a": 2}'
    with serving(told, stuffed, stuffed, told) as server:
        assert [read(server.url, folder) for _ in range(4)] == [{"a": 1}] * 4
        assert len(server.asked) == 4


def test_a_confirmation_of_another_version_is_not_taken(folder: Path) -> None:
    told, other = (reply("200 OK", b'{"a": %d}' % number, f'ETag: "{number}"') for number in (1, 2))
    with serving(told, reply("304 x", b"", 'ETag: "2"', "Content-Length: 0"), other) as server:
        assert [read(server.url, folder) for _ in range(2)] == [{"a": 1}, {"a": 2}]
        assert conditions(server) == [False, True, False]


def test_a_tag_that_changes_each_time_and_that_of_another_address_give_what_came(folder: Path) -> None:
    def answer(request: bytes) -> bytes:
        return reply("200 OK", json.dumps({"turn": len(server.asked)}).encode(), f'ETag: "{len(server.asked)}"')

    with serving(answer) as server:
        assert [read(server.url, folder) for _ in range(3)] == [{"turn": 1}, {"turn": 2}, {"turn": 3}]
    with serving(versioned({"/a": b'{"a": 1}', "/b": b'{"a": 1}'})) as server:
        assert [read(server.url, folder, path) for path in ("/a", "/b")] == [{"a": 1}, {"a": 1}]
        assert conditions(server) == [False, False]


def test_what_one_key_is_given_is_shown_to_no_other(folder: Path) -> None:
    def answer(request: bytes) -> bytes:
        told = b'{"tier": "pro"}' if KEY.encode() in request else b'{"tier": "starter"}'
        known = asked_with(request, "if-none-match") is not None
        return UNCHANGED if known else reply("200 OK", told, 'ETag: "same"')

    with serving(answer) as server:
        keys = (KEY, "svc_other", None, KEY, "svc_other")
        tiers = [read(server.url, folder, key=key) for key in keys]
        assert [told["tier"] for told in tiers if isinstance(told, dict)] == ["pro", *["starter"] * 2, "pro", "starter"]
        assert conditions(server) == [False, False, False, True, True]


def test_no_file_holds_a_key_and_none_can_be_read_by_others(folder: Path) -> None:
    bodies = {"/a": b'{"a": 1}', "/b": json.dumps({"you": KEY}).encode()}
    with serving(versioned(bodies)) as server:
        assert [read(server.url, folder, path) for path in bodies for _ in range(2)] == [
            {"a": 1}, {"a": 1}, {"you": KEY}, {"you": KEY},
        ]  # fmt: skip
        assert conditions(server) == [False, True, False, False]
    (file,) = folder.iterdir()
    assert KEY.encode() not in file.read_bytes()
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)


SLASHED = "apc/live/Canary.01"


@pytest.mark.parametrize(
    "shown",
    [
        SLASHED.replace("/", "\\/"),
        SLASHED.replace("/", "\\\\\\/"),
        SLASHED.replace(".", "\\u002E").replace("C", "\\u0043"),
        SLASHED.replace("/", "%2F"),
        SLASHED.replace("/", "&#x2F;").replace(".", "&#46;"),
        SLASHED.upper(),
    ],
)
def test_a_key_is_found_however_it_is_escaped_and_written_nowhere(shown: str, folder: Path) -> None:
    body = b'{"you": "%s"}' % shown.encode()
    with serving(reply("200 OK", body, 'ETag: "a"')) as server:
        read(server.url, folder, key=SLASHED)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("header", [f"Content-Type: application/json+{SLASHED}", f'ETag: "{SLASHED}"'])
def test_a_key_in_a_header_that_is_written_is_found(header: str, folder: Path) -> None:
    headers = (header,) if header.startswith("ETag") else (header, 'ETag: "a"')
    with serving(reply("200 OK", b"{}", *headers)) as server:
        read(server.url, folder, key=SLASHED)
    assert not list(folder.iterdir())


def test_a_server_that_goes_back_to_an_older_version_without_tags_is_read_as_it_is(folder: Path) -> None:
    since: list[str | None] = []

    def answer(request: bytes) -> bytes:
        since.append(asked_with(request, "if-modified-since"))
        return UNCHANGED if since[-1] else reply("200 OK", b'{"turn": %d}' % len(since), *OLD)

    with serving(answer) as server:
        assert [read(server.url, folder) for _ in range(2)] == [{"turn": 1}, {"turn": 2}]
    assert since == [None, None]


def test_what_is_not_shown_any_more_is_removed(folder: Path) -> None:
    with serving(reply("200 OK", b"{}", 'ETag: "a"'), reply("403 x")) as server:
        read(server.url, folder)
        assert len(list(folder.iterdir())) == 1
        with pytest.raises(TierRequired):
            read(server.url, folder)
        assert not list(folder.iterdir())


def test_no_change_of_one_bit_nor_a_cut_nor_a_move_makes_another_answer(folder: Path) -> None:
    bodies = {"/a": b'{"a": 1}', "/b": b'{"b": 1}'}
    chance = random.Random(7)
    with serving(versioned(bodies)) as server, connected(server.url, folder) as connection:
        for path in bodies:
            connection.get(path).keep()
        one, other = (file for file in folder.iterdir())
        kept, moved = one.read_bytes(), other.read_bytes()
        path = "/a" if kept.endswith(bodies["/a"]) else "/b"
        cut = [kept[: chance.randrange(len(kept))] for _ in range(20)]
        turned = [bytearray(kept) for _ in range(60)]
        for copy in turned:
            copy[chance.randrange(len(kept))] ^= 1 << chance.randrange(8)
        for damaged in [b"", moved, kept + b" ", *cut, *map(bytes, turned)]:
            one.write_bytes(damaged)
            answer = connection.get(path)
            assert answer.body == bodies[path]
            assert not conditions(server)[-1]
        one.write_bytes(kept)
        assert connection.get(path).body == bodies[path]
        assert conditions(server)[-1]


@pytest.mark.parametrize(("size", "kept"), [(MIB // 32, 1), (MIB // 32 + 1, 0)])
def test_one_answer_takes_at_most_a_part_of_the_room_of_all(folder: Path, size: int, kept: int) -> None:
    body = b'"' + b"x" * (size - 2) + b'"'
    with serving(reply("200 OK", body, 'ETag: "a"')) as server, connected(server.url, folder, most=MIB) as connection:
        connection.get("/a").keep()
    assert len(list(folder.iterdir())) == kept


def test_the_answers_asked_for_last_are_kept_within_the_size(folder: Path) -> None:
    most = MIB
    bodies = {f"/{number}": json.dumps(["x" * (most // 64)] * 1).encode() for number in range(150)}
    with serving(versioned(bodies)) as server, connected(server.url, folder, most=most) as connection:
        for number, path in enumerate(bodies):
            connection.get(path).keep()
            os.utime(max(folder.iterdir(), key=lambda file: file.stat().st_mtime), (number, number))
        assert sum(file.stat().st_size for file in folder.iterdir()) < most + most // 8
        assert connection.get("/149").body == bodies["/149"]
        connection.get("/0")
        assert conditions(server)[-2:] == [True, False]


def test_a_folder_of_the_readers_own_keeps_its_rights_and_its_files(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    digest = "ab" * 32
    mine = {folder / name: b"x" * MIB for name in ("thesis.docx", ".ssh_keys", digest, f"{digest}.txt")}
    inside = folder / "old.answer"
    inside.mkdir()
    abandoned = folder / ".abcdefg1.answer"
    for path, content in (mine | {abandoned: b"x" * MIB}).items():
        path.write_bytes(content)
    for path in (*mine, inside, abandoned):
        os.utime(path, (1, 1))
    bodies = {f"/{number}": json.dumps(["x" * (MIB // 64)]).encode() for number in range(100)}
    with serving(versioned(bodies)) as server, connected(server.url, folder, most=MIB) as connection:
        for path in bodies:
            connection.get(path).keep()
        connection.get("/99")
        assert conditions(server)[-1]
    assert folder.stat().st_mode & 0o777 == 0o755
    assert all(path.read_bytes() == content for path, content in mine.items())
    assert inside.is_dir()
    assert not abandoned.exists()
    kept = [file.stat().st_size for file in folder.iterdir() if file.is_file() and file not in mine]
    assert sum(kept) < MIB + MIB // 8


@pytest.mark.skipif(sys.platform == "win32", reason="rights of folders are told otherwise there")
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o1777])
def test_a_folder_that_others_may_write_to_is_neither_read_nor_written_nor_changed(mode: int, folder: Path) -> None:
    with serving(versioned({"/a": b'{"a": 1}'})) as server:
        read(server.url, folder)
        (kept,) = folder.iterdir()
        before = kept.stat().st_mtime_ns
        folder.chmod(mode)
        assert read(server.url, folder) == {"a": 1}
        assert conditions(server) == [False, False]
    assert (folder.stat().st_mode & 0o7777, kept.stat().st_mtime_ns) == (mode, before)


@pytest.mark.skipif(sys.platform != "linux", reason="uses /proc as a folder that cannot be written")
def test_a_folder_that_cannot_be_had_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with serving(versioned({"/a": b'{"a": 1}'})) as server:
        for place in (Path("/proc/answers"), tmp_path / "file" / "answers", tmp_path / "link"):
            assert read(server.url, place) == read(server.url, place) == {"a": 1}
        assert not any(conditions(server))
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root gives folders to others")
def test_a_folder_of_another_user_is_neither_read_nor_written(folder: Path) -> None:
    with serving(versioned({"/a": b'{"a": 1}'})) as server:
        read(server.url, folder)
        os.chown(folder, 12_345, 12_345)
        assert read(server.url, folder) == {"a": 1}
        assert conditions(server) == [False, False]


LOAD = """
import resource, sys
from pathlib import Path
from riskanalytics.client.http import Connection, KnownAnswers
url, folder, most = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
if most:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
for _ in range(5):
    connection = Connection(url, known=KnownAnswers(folder, 1 << 20))
    for path, answer in connection.get_each([f"/{number}" for number in range(40)], within=60):
        assert answer.body == b'["%s"]' % (path.encode() * 500), answer
        answer.keep()
    connection.close()
"""


def loaded(server: Server, folder: Path, most: int = 0) -> str:
    """Load in a process of its own; what it said."""
    words = [sys.executable, "-c", LOAD, server.url, str(folder), str(most)]
    return subprocess.run(words, capture_output=True, text=True, timeout=200, check=False).stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of files are not known there")
def test_a_full_disk_keeps_nothing_and_costs_nothing(folder: Path) -> None:
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


def test_an_answer_shows_nothing_of_where_it_is_kept() -> None:
    assert (
        repr(Answer(b"{}", "application/json", "/a"))
        == "Answer(body=b'{}', content_type='application/json', path='/a')"
    )
