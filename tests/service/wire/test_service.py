"""Entity tags, packed answers, and answers that are kept for whom they were made."""

from __future__ import annotations

import gzip
import tracemalloc

import pytest

from riskanalytics.service.wire.asked import DatedPage
from riskanalytics.service.wire.service import Service
from tests.service.given import Caller

PATHS = [
    "/api/coverage",
    "/api/machine/platform/aurelia-chat",
    "/health",
    "/openapi.json",
    "/platform/aurelia-chat",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_reader_who_has_the_answer_is_told_so(caller: Caller, path: str) -> None:
    first = caller.call(path)
    again = caller.call(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_the_tag_of_a_pro_answer_does_not_open_it_to_starter(caller: Caller) -> None:
    pro = caller.call("/api/v1/platforms/aurelia-chat", tier="pro")
    starter = caller.call(
        "/api/v1/platforms/aurelia-chat", tier="starter", headers={"if-none-match": pro.headers["etag"]}
    )
    assert starter.status == 200
    assert "citations" not in starter.json()
    assert "Authorization" in pro.headers["vary"]


def test_an_answer_kept_for_pro_is_not_given_to_others(caller: Caller) -> None:
    for path in ("/api/v1/changes", "/api/v1/changes?limit=1"):
        assert caller.call(path, tier="pro").status == 200
        assert caller.call(path, tier="starter").status == 403
        assert caller.call(path).status == 401
        assert caller.call(path, tier="pro").json()["total"] == 1


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip, br", True), ("br;q=1, gzip;q=0.5", True), ("*", True), ("gzip;q=0", False), ("br", False), ("", False)],
)
def test_long_answers_are_packed_for_readers_who_take_gzip(caller: Caller, accepted: str, packed: bool) -> None:
    path = "/api/machine/platform/aurelia-chat"
    reply = caller.call(path, headers={"accept-encoding": accepted})
    assert (reply.headers.get("content-encoding") == "gzip") is packed
    assert (gzip.decompress(reply.body) if packed else reply.body) == caller.call(path).body
    assert reply.headers["vary"] == "Accept-Encoding"
    assert "vary" not in caller.call("/health").headers


def test_a_list_is_held_once_while_it_is_made(caller: Caller) -> None:
    service = Service(caller.store, "https://a.example")
    tracemalloc.start()
    body = service.envelope(({"id": str(number), "name": "n" * 2_000} for number in range(1_000)), 1_000, DatedPage())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(body) > 2_000_000
    assert most < 1.6 * len(body)
