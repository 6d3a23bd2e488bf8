"""Bytes of snapshots: had from their source or archive, each asked once."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from riskanalytics.client import Client
from riskanalytics.evidence import Snapshots
from riskanalytics.evidence.sources import _read, is_shown
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

    def slow(_: bytes) -> bytes:
        time.sleep(0.2)
        return reply("200 OK", BODY)

    with serving(slow) as server:
        texts = Snapshots(None, private=True, seconds=0.1)
        assert [texts.body(SHA256, f"{server.url}/{name}") for name in "ab"] == [(None, None)] * 2
        assert len(server.asked) == 1


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


@pytest.mark.parametrize(
    ("body", "kind", "found"),
    [(BODY, "text/html", (BODY, "archive")), (b"<p>", "text/html", (None, None)), (b"other", "text/plain", (b"other", "archive"))],
)  # fmt: skip
def test_a_page_in_place_of_a_text_is_no_snapshot(
    body: bytes, kind: str, found: tuple[bytes | None, str | None]
) -> None:
    with serving(reply("200 OK", body, f"Content-Type: {kind}")) as server:
        assert Snapshots(None, private=True).body(SHA256, f"{server.url}/a") == found


def test_the_file_behind_a_page_of_a_forge_is_asked_first_and_nothing_if_offline_or_private() -> None:
    with serving(reply("200 OK", BODY)) as server:
        address = f"{server.url}/o/n/blob/{'a' * 40}/blob/x.md"
        for texts in (Snapshots(None, private=True, offline=True), Snapshots(None)):
            assert texts.body(SHA256, address) == (None, None)
        assert server.asked == []
        assert Snapshots(None, private=True).body(SHA256, address) == (BODY, "archive")
        assert [one.split()[1].decode() for one in server.asked] == [f"/o/n/raw/{'a' * 40}/blob/x.md"]
    with serving(reply("404 Not Found"), reply("200 OK", BODY)) as server:
        assert Snapshots(None, private=True).body(SHA256, f"{server.url}/blob/{'a' * 7}/x") == (BODY, "archive")
        assert [one.split()[1].decode() for one in server.asked] == [f"/{way}/{'a' * 7}/x" for way in ("raw", "blob")]


def test_an_archive_is_asked_if_the_source_has_other_bytes() -> None:
    with serving(reply("200 OK", b"other"), reply("200 OK", BODY)) as server, Client(server.url) as client:
        texts = Snapshots(client, private=True)
        assert texts.body(SHA256) == (b"other", "source")
        assert texts.body(SHA256, f"{server.url}/a") == (BODY, "archive")
    with serving(reply("200 OK", b"other"), reply("200 OK", b"more")) as server, Client(server.url) as client:
        texts = Snapshots(client, private=True)  # other bytes of an archive do not replace those of the source
        assert texts.body(SHA256, f"{server.url}/a") == (b"other", "source")
        assert len(server.asked) == 2


def test_a_compliance_report_without_citations_has_no_quotes() -> None:
    assert _read('{"platform": "opal", "citations": []}') == []


@pytest.mark.parametrize(
    ("words", "shown"),
    [("Here: We sell it, too.", "whole"), ("We […] it.", "in part"), ("We sell them.", "differs"), ("", "differs")],
)
def test_a_page_shows_a_quote_whole_in_part_or_other_words(words: str, shown: str) -> None:
    assert is_shown(words, "We sell it") == shown
