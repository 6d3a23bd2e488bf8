"""Loads that are begun again: what was read already takes no body a second time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.client.answers import KnownAnswers
from riskanalytics.dataset.loading import load_records
from riskanalytics.settings import Settings
from tests.http_server import Answer, Server, counting, reply, served, serving
from tests.service.given import Caller, build_database

SLUGS = [f"p{number:02}" for number in range(40)]


def tracking(whole: Callable[[], bool]) -> Answer:
    """A service of 40 platforms with tags; of the later half it says nothing until it is whole."""

    def answer(request: bytes) -> bytes | Iterator[bytes]:
        if not request:  # the client was interrupted before it sent any
            return b""
        path = request.split(b" ")[1].decode()
        slug = path.rpartition("/")[2]
        if slug in SLUGS[20:] and not whole():
            return silent()
        rows = [{"id": one, "name": one, "rating": "HIGH"} for one in SLUGS]
        record: object = {"slug": slug, "findings": []} if slug in SLUGS else {"total": 40, "data": rows}
        tag = f'"{slug}"' if slug in SLUGS else '"list"'
        if f"if-none-match: {tag}" in request.decode().lower():
            return reply("304 Not Modified", b"", f"ETag: {tag}", "Content-Length: 0")
        return reply("200 OK", json.dumps(record).encode(), f"ETag: {tag}")

    return answer


def silent() -> Iterator[bytes]:
    time.sleep(3_600)
    yield b""


def bodies(server: Server) -> int:
    """Requests for a platform that a 304 does not answer."""
    return sum(b"/platform/p" in request and b"if-none-match" not in request.lower() for request in server.asked)


@pytest.mark.slow
def test_a_load_stopped_by_its_deadline_continues_with_the_missing_data(tmp_path: Path) -> None:
    whole: list[bool] = []
    known = KnownAnswers(tmp_path / "answers", 1 << 26)
    with serving(tracking(lambda: bool(whole))) as server:
        with Client(server.url, known=known, deadline=4) as client:
            assert len(load_records(client, slugs=SLUGS)) == 20
            assert len(list(client.problems)) == 20
        whole.append(True)
        server.asked.clear()
        with Client(server.url, known=known) as client:
            assert [record["slug"] for record in load_records(client, slugs=SLUGS)] == SLUGS
        assert bodies(server) == 20
        server.asked.clear()
        with Client(server.url, known=known) as client:
            assert len(load_records(client, slugs=SLUGS)) == 40
        assert (bodies(server), len(server.asked)) == (0, 40)


SCRIPT = """
import sys
import riskanalytics as ra
from riskanalytics.dataset.loading import load_records
with ra.connect(sys.argv[1]) as client:
    load_records(client, slugs=sys.argv[2].split(","))
"""


@pytest.mark.slow
def test_an_interrupted_load_continues_with_the_missing_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKANALYTICS_CACHE", str(tmp_path))
    whole: list[bool] = []
    with serving(tracking(lambda: bool(whole))) as server:
        words = [sys.executable, "-c", SCRIPT, server.url, ",".join(SLUGS)]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            while len(list(tmp_path.glob("answers/[0-9a-f]*"))) < 20:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            assert process.wait(30) != 0
        whole.append(True)
        server.asked.clear()
        subprocess.run(words, check=True, timeout=100)
        assert bodies(server) == 20


@pytest.mark.parametrize(("answers", "taken"), [(256, 0), (0, 1)])
def test_a_second_load_of_our_own_service_transfers_no_body(answers: int, taken: int, tmp_path: Path) -> None:
    caller = Caller(build_database(tmp_path))
    statuses: list[int] = []

    with served(counting(caller.app, statuses)) as url:
        settings = Settings(base_url=url, api_key=caller.keys["pro"], cache=tmp_path / "cache", answers=answers)
        result = []
        for _ in range(2):
            statuses.clear()
            with ra.connect(settings=settings) as client:
                data = ra.load(client)
                result.append(data.digest())
                data.changes()
                data.verify(data.findings)
                data.coverage_history(2)
                client.index()
                client.platform("aurelia-chat")
                list(client.search("a"))
                list(client.search_clauses("data"))
        assert result[0] == result[1]
        assert statuses
        assert set(statuses) <= ({304} if not taken else {200})
    caller.close()
