"""A server with every fault: each load ends, says what was wrong in one line, and fills no memory."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.dataset.checks import verify_findings
from riskanalytics.dataset.loading import load_records
from riskanalytics.errors import ServiceError, Unreachable
from tests.http_server import Answer, reply, served, serving
from tests.service.given import Caller, build_database

KEY = "apc_live_canary"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
MIB = 1 << 20


def dripping(start: bytes, drop: bytes) -> Callable[[bytes], Iterator[bytes]]:
    """An answer that never ends, one drop after the other."""

    def answer(_: bytes) -> Iterator[bytes]:
        yield start
        while True:
            time.sleep(0.05)
            yield drop

    return answer


def silent(_: bytes) -> Iterator[bytes]:
    """No answer, and no end of the connection."""
    time.sleep(3_600)
    yield b""


def packed(*pieces: bytes) -> Answer:
    made = cache(lambda: reply("200 OK", gzip.compress(b"".join(pieces), 1), "Content-Encoding: gzip"))
    return lambda _: iter([made()])


def endless(request: bytes) -> bytes:
    """New rows on every page."""
    offset = int(next(iter(re.findall(rb"offset=(\d+)", request)), 0))
    return reply("200 OK", json.dumps({"data": [{"id": f"p{offset + number}"} for number in range(500)]}).encode())


HANGING: dict[str, Answer] = {
    "silence": silent,
    "drops of the status": dripping(b"", b"H"),
    "drops of headers": dripping(HEAD, b"X-A: b\r\n"),
    "drops of a body": dripping(HEAD + b"Content-Length: 100000000\r\n\r\n{", b" "),
    "early hints without end": dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "a stop inside a body": lambda _: itertools.chain([HEAD + b"Content-Length: 100\r\n\r\n{"], silent(b"")),
    "busy for ever": reply("503 Busy", b"{}", "Retry-After: 1"),
    "nothing left for ever": reply("429 Too Many", b"{}", "Retry-After: 1", 'RateLimit: "a";r=0;t=100'),
}
VARIANTS = (
    "drops of the status", "drops of headers", "early hints without end", "nothing left for ever", "not HTTP",
    "a redirect to another kind",
)  # fmt: skip
"""Faults that take seconds and go the way of another one: they run in CI."""
WAITED_FOR = ("busy for ever", "nothing left for ever")
FILLING: dict[str, Answer] = {
    "a bomb": packed(*[b"\0" * MIB] * 100),
    "one long text": packed(b'{"data": ["', *[b"a" * MIB] * 60, b'"]}'),
    "a text as long as may be": packed(b'{"data": [{"id": "', *[b"a" * MIB] * 15, b'"}]}'),
    "deep nesting": packed(b"[" * 10 * MIB),
    "rows without end": endless,
    "a body without end": lambda _: itertools.chain([HEAD + b"\r\n"], itertools.repeat(b" " * 65_536)),
}
BROKEN: dict[str, Answer] = {
    "a redirect to no address": reply("302 x", b"", "Location: http://[::1"),
    "a redirect to another kind": reply("302 x", b"", "Location: http://a b:c@\x7f"),
    "a redirect to a port that is none": reply("302 x", b"", "Location: http://a.example:99999999/"),
    "a redirect to a script": reply("302 x", b"", "Location: javascript:alert(1)"),
    "a redirect to nothing": reply("302 x", b""),
    "half a pair of letters": reply("200 OK", b"\xff\xfe{}"),
    "no answer": b"",
    "not HTTP": b"SSH-2.0-x\r\n\r\n",
}


def ended(load: Callable[[], object], seconds: float = 60) -> BaseException | None:
    """What a load raised; fails where it does not end."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            load()
        except Exception as error:  # noqa: BLE001 (whatever it is)
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive(), "the load does not end"
    return raised[0] if raised else None


@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=pytest.mark.slow) if name in VARIANTS else name for name in HANGING]
)
def test_a_load_ends_at_its_deadline_even_if_the_server_does_not_answer(fault: str) -> None:
    deadline = 1.5 if fault in WAITED_FOR else 0.4
    with serving(HANGING[fault]) as server, Client(server.url, KEY, deadline=deadline) as client:
        for load in (lambda: list(client.platforms()), lambda: load_records(client, slugs=["a", "b", "c"])):
            error = ended(load)
            assert isinstance(error, ServiceError)
            assert "\n" not in str(error)
            assert KEY not in "".join(traceback.format_exception(error))


@pytest.mark.parametrize("load", [Client.index, lambda client: client.snapshot("a"), lambda client: client.ask("Why?")])
def test_index_snapshots_and_questions_end_at_the_deadline_too(load: Callable[[Client], object]) -> None:
    with (
        serving(dripping(HEAD + b"Content-Length: 100000\r\n\r\n", b"x")) as server,
        Client(server.url, deadline=0.4) as client,
    ):
        assert isinstance(ended(lambda: load(client), 20), Unreachable)


def test_many_snapshots_share_one_deadline() -> None:
    rows = 30
    hashes = [f"{number:064x}" for number in range(rows)]
    findings = pd.DataFrame({"quote": "a", "start": 0, "end": 1, "snapshot_sha256": hashes})
    checked: list[pd.DataFrame] = []
    with serving(silent) as server, Client(server.url, deadline=0.4) as client:
        assert ended(lambda: checked.append(verify_findings(client, findings)), 20) is None
    assert checked[0]["verification_status"].tolist() == ["unavailable"] * rows


def test_details_of_platforms_that_are_not_shown_openly_share_the_deadline_of_the_load() -> None:
    def answer(request: bytes) -> bytes | Iterator[bytes]:
        _, place, slug = request.split(b" ")[1].decode().rsplit("/", 2)
        if place == "platform":
            return reply("404 x")
        return silent(b"") if slug > "p03" else reply("200 OK", json.dumps({"slug": slug, "findings": []}).encode())

    slugs = [f"p{number:02}" for number in range(30)]
    records: list[Any] = []
    with serving(answer) as server, Client(server.url, KEY, deadline=2) as client:
        assert ended(lambda: records.extend(load_records(client, slugs=slugs)), 30) is None
        assert [record["slug"] for record in records] == slugs[:4]
        problems = {problem.slug: problem.what for problem in client.problems}
        assert sorted(problems) == slugs[4:]
        assert all("no such platform" not in what for what in problems.values())


@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=pytest.mark.slow) if name in VARIANTS else name for name in BROKEN]
)
def test_a_broken_answer_is_refused_in_one_line(fault: str) -> None:
    with serving(BROKEN[fault]) as server, Client(server.url, KEY, deadline=3) as client:
        error = ended(client.coverage)
        assert isinstance(error, ServiceError)
        assert not re.search(r"\n|bytearray|Error|object at|b'", str(error))


def test_one_platform_that_hangs_costs_that_platform_only() -> None:
    def answer(request: bytes) -> bytes | Iterator[bytes]:
        slug = request.split(b" ")[1].rpartition(b"/")[2].decode()
        return silent(b"") if slug == "b" else reply("200 OK", json.dumps({"slug": slug, "findings": []}).encode())

    with serving(answer) as server, Client(server.url, deadline=2) as client:
        records = load_records(client, slugs=["a", "b", "c"])
        assert [record["slug"] for record in records] == ["a", "c"]
        (problem,) = client.problems
        assert problem.slug == "b"


MEASURED = r"""
import re, sys
from pathlib import Path
from riskanalytics.client import Client
import riskanalytics as ra
from riskanalytics import frames
from riskanalytics.dataset.loading import load_records
from riskanalytics.errors import ServiceError
def peak():  # of this program: what getrusage tells begins with the most that its parent had
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
frames.findings_frame([{"quote": "a"}])  # what pandas loads when it is first used
before = peak()
with Client(sys.argv[1], "k", deadline=8) as client:
    for load in (lambda: list(client.platforms()), lambda: load_records(client, slugs=[f"p{n}" for n in range(20)])):
        try:
            load()
        except ServiceError as error:
            print(str(error)[:150], file=sys.stderr)
print((peak() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("fault", FILLING)
def test_no_answer_fills_the_memory(fault: str) -> None:
    with serving(FILLING[fault]) as server:
        words = [sys.executable, "-c", MEASURED, server.url]
        done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=True)
    assert int(done.stdout) < 128, done.stderr  # MiB beyond the imported package: 16 records of 4 MiB, a list of 16 MiB
    assert "pending" not in done.stderr + done.stdout


@pytest.mark.slow
def test_an_interrupted_load_ends_at_once() -> None:
    script = "import sys; from riskanalytics.client import Client\nlist(Client(sys.argv[1], 'k').platforms())"
    with (
        serving(silent) as server,
        subprocess.Popen([sys.executable, "-c", script, server.url], stderr=subprocess.PIPE) as process,
    ):
        while not server.asked:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, result = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in result


def test_a_byte_order_mark_is_passed_over() -> None:
    with serving(reply("200 OK", b'\xef\xbb\xbf{"tracked": 1}')) as server, Client(server.url) as client:
        assert client.coverage() == {"tracked": 1}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"detail": "Come \\u202e\\u001b[31mback"}', 'the server says: "Come \ufffd back"'),
        (b'{"error": {"code": 7, "message": "Too early"}}', 'the server says: "Too early"'),
        (b'{"detail": [{"loc": ["q"], "msg": "too long"}]}', 'the server says: "too long"'),
        (b'{"detail": [{"msg": "one"}, {"msg": "two"}]}', 'the server says: "one"'),
        (b'{"title": "Forbidden", "detail": "needs Pro"}', 'the server says: "needs Pro"'),
        (b'{"error": "E", "title": "T", "msg": "M"}', 'the server says: "E"'),
        (b'{"error": "E", "message": "Me", "detail": "D"}', 'the server says: "D"'),
        (b'{"error": "E", "message": "Me"}', 'the server says: "Me"'),
        (b'{"title": "T", "msg": "M"}', 'the server says: "M"'),
        (b"plain words", 'the server says: "plain words"'),
        (b'{"a": 1}', "answered status 418"),
        (b"<html>", "answered status 418"),
        (b"[1, 2", "answered status 418"),
    ],
)
def test_the_words_of_a_server_are_cleaned_and_marked_as_its_own(body: bytes, said: str) -> None:
    with serving(reply("418 x", body)) as server, Client(server.url) as client, pytest.raises(ServiceError) as refused:
        client.coverage()
    assert str(refused.value).endswith(said)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        reply("401 x", KEY.encode()),
        reply("500 x"),
        silent,
        reply("302 x", b"", "Location: https://b.example/"),
        BROKEN["a redirect to no address"],
        reply("200 OK", b"x", "Content-Encoding: br"),
        reply("200 OK", b"damaged", "Content-Encoding: gzip"),
    ],
    ids=["cut", "401", "500", "silent", "redirect", "no address", "encoding", "damaged"],
)
def test_no_variable_of_a_traceback_nor_a_pickle_holds_the_key(answer: Answer) -> None:
    with serving(answer) as server, Client(server.url, KEY, deadline=0.4) as client:
        with pytest.raises(ServiceError) as refused:
            list(client.platforms())
        error: BaseException | None = refused.value
        assert KEY.encode() not in pickle.dumps(refused.value)
        assert KEY not in repr(vars(client)) + repr(vars(client._connection))
        while error is not None:
            place = error.__traceback__
            while place is not None:
                if "test_" not in place.tb_frame.f_code.co_filename:
                    held = place.tb_frame.f_locals.values()
                    sent = [one.request.headers.raw for one in held if isinstance(one, httpx.Response)]
                    assert KEY not in f"{place.tb_frame.f_locals!r}{sent}", place.tb_frame.f_code
                place = place.tb_next
            error = error.__cause__ or error.__context__


@pytest.mark.parametrize("reached", ["embedded", "served"])
def test_the_same_client_reads_our_own_service_in_the_process_and_over_the_wire(reached: str, tmp_path: Path) -> None:
    database = build_database(tmp_path)
    caller = Caller(database)
    with contextlib.ExitStack() as stack:
        if reached == "served":
            client = stack.enter_context(Client(stack.enter_context(served(caller.app)), caller.keys["pro"]))
        else:
            client = stack.enter_context(ra.connect(database=database))
        data = ra.load(client)
        result: dict[str, Any] = {
            "findings": len(data.findings),
            "platforms": data.slugs,
            "problems": len(data.problems),
        }
        assert result["platforms"] == ["aurelia-chat", "cafe-lumiere", "northwind-draft"]
        assert result["findings"] > 5
        assert result["problems"] == 0
    caller.close()
