"""Bytes of snapshots: had from their source or archive, each asked once."""

from __future__ import annotations

import contextlib
import threading

from riskanalytics.client import Client
from riskanalytics.evidence import Snapshots
from riskanalytics.models.provenance import sha256_of
from tests.http_server import reply, serving

BODY = b"We keep what you write for ten years."
SHA256 = sha256_of(BODY)


def test_an_archive_without_an_answer_is_requested_once_for_all_quotes() -> None:
    with serving(reply("500 Error", b"")) as server:
        texts = Snapshots(None, private=True)
        for _ in range(20):
            assert texts.body(SHA256, f"{server.url}/a") == (None, None)
        assert texts.body("0" * 64, f"{server.url}/a") == (None, None)
        assert len(server.asked) == 1


def test_a_wrong_first_address_does_not_hide_a_correct_later_one() -> None:
    with serving(reply("200 OK", b"other", "Content-Type: text/plain"), reply("200 OK", BODY)) as server:
        texts = Snapshots(None, private=True)
        assert texts.body(SHA256, f"{server.url}/wrong") == (b"other", "archive")
        assert texts.body(SHA256, f"{server.url}/right") == (BODY, "archive")
        assert texts.body(SHA256.upper(), f"{server.url}/third") == (BODY, "archive")
        assert len(server.asked) == 2


def test_no_archive_is_requested_after_the_time_for_all_of_them_is_over() -> None:
    with serving(reply("200 OK", BODY)) as server:
        assert Snapshots(None, private=True, seconds=0).body(SHA256, f"{server.url}/a") == (None, None)
        assert server.asked == []


def test_sources_are_requested_in_parallel_and_each_only_once() -> None:
    waiting, met = threading.Barrier(4), threading.Event()

    def answer(_: bytes) -> bytes:
        with contextlib.suppress(threading.BrokenBarrierError):
            waiting.wait(20)
            met.set()
        return reply("200 OK", BODY, "Content-Type: text/plain")

    names = [f"{number:064x}" for number in range(4)]
    with serving(answer) as server, Client(server.url) as client:
        texts = Snapshots(client)
        texts.ask([*names, "no hash", None])
        assert met.is_set()
        assert [texts.body(name) for name in names] == [(BODY, "source")] * 4
        assert len(server.asked) == 4
