"""What every answer has, whatever the route."""

from __future__ import annotations

import gzip
import logging

import pytest

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


@pytest.mark.parametrize("path", PATHS)
def test_head_is_get_without_its_body(caller: Caller, path: str) -> None:
    got, head = caller.call(path), caller.call(path, method="HEAD")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["etag"] == got.headers["etag"]


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


def test_security_headers_and_a_request_id_are_on_every_answer(caller: Caller) -> None:
    for path in (*PATHS, "/nope", "/api/v1/platforms"):
        headers = caller.call(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert len(headers["x-request-id"]) == 16


def test_unknown_paths_and_methods_are_problems(caller: Caller) -> None:
    assert caller.call("/nope").json()["status"] == 404
    wrong = caller.call("/api/coverage", method="POST")
    assert (wrong.status, wrong.headers["content-type"]) == (405, "application/problem+json")


def test_no_key_reaches_the_log(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        caller.call("/api/v1/platforms", tier="pro")
        caller.call("/api/v1/platforms?api_key=" + caller.keys["pro"])
        caller.call("/api/v1/platforms", headers={"x-api-key": "svc_wrong_canary"})
    assert "/api/v1/platforms" in caplog.text
    for secret in (*caller.keys.values(), "canary"):
        assert secret not in caplog.text


def test_a_fault_is_a_problem_without_what_is_inside(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    caller.store.rows = lambda *_: 1 / 0
    reply = caller.call("/api/coverage")
    assert (reply.status, reply.headers["content-type"]) == (500, "application/problem+json")
    for inside in ("Zero", "Traceback", "division", ".py"):
        assert inside not in reply.body.decode()
    assert caplog.text.count("ZeroDivisionError") == 1
    assert len(reply.headers["x-request-id"]) == 16
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_any_sites_page_may_read_what_is_open_and_none_what_needs_a_key(caller: Caller) -> None:
    sent = {"origin": "https://reader.example"}
    for path in PATHS:
        assert caller.call(path, headers=sent).headers["access-control-allow-origin"] == "*"
    for path in ("/api/v1/platforms", "/api/v1/nope"):
        assert "access-control-allow-origin" not in caller.call(path, headers=sent, tier="pro").headers
    asked = sent | {"access-control-request-method": "GET"}
    assert caller.call("/api/coverage", method="OPTIONS", headers=asked).status == 204
    assert caller.call("/api/v1/platforms", method="OPTIONS", headers=asked).status == 401
    assert caller.call("/api/coverage", method="OPTIONS").status == 405


def test_a_wrong_method_is_told_which_are_right(caller: Caller) -> None:
    assert caller.call("/api/coverage", method="DELETE").headers["allow"] == "GET, HEAD"
    assert caller.call("/api/corrections/aurelia-chat").headers["allow"] == "POST"


def test_an_address_that_is_too_long_is_refused_before_it_is_read(caller: Caller) -> None:
    assert caller.call("/" + "a" * 5000).status == 414
    assert caller.call("/api/machine/search?q=" + "a" * 10_000).status == 414


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


def test_a_request_with_two_lengths_is_refused_and_its_connection_closed(caller: Caller) -> None:
    for path in ("/api/corrections/aurelia-chat", "/api/v1/platforms"):
        sent = {"content-length": "5", "transfer-encoding": "chunked"}
        reply = caller.call(path, method="POST", headers=sent)
        assert (reply.status, reply.headers["connection"]) == (400, "close")
