"""Failures are problem documents with the reason, without internal details."""

from __future__ import annotations

import asyncio
import json

import pytest
from starlette.requests import ClientDisconnect, Request

from riskanalytics.errors import DatabaseError
from riskanalytics.service.answering import Body
from riskanalytics.service.door.problems import Problem, checked, failed
from tests.service.given import Caller


def test_unknown_paths_and_methods_are_problems(caller: Caller) -> None:
    assert caller.call("/nope").json()["status"] == 404
    wrong = caller.call("/api/coverage", method="POST")
    assert (wrong.status, wrong.headers["content-type"]) == (405, "application/problem+json")
    assert (wrong.json()["title"], wrong.json()["detail"]) == ("Method not allowed", "Method Not Allowed.")
    assert wrong.headers["cache-control"] == "no-store"


def test_data_out_of_reach_are_to_be_asked_for_again_and_the_reason_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    request = Request({"type": "http", "request_id": "0123", "headers": []})
    found = [asyncio.run(failed(request, error)) for error in (DatabaseError("canary"), ClientDisconnect())]
    assert [(reply.status_code, reply.headers.get("retry-after")) for reply in found] == [(503, "30"), (400, None)]
    assert [record.getMessage() for record in caplog.records] == ["request 0123: canary"]
    said = [json.loads(bytes(reply.body))["detail"] for reply in found]
    assert said == ["The service cannot access its data at the moment.", "The body is incomplete."]


def test_an_internal_error_is_a_problem_without_internal_details(
    caller: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    caller.store.rows = lambda *_, **__: 1 / 0
    reply = caller.call("/api/coverage")
    assert (reply.status, reply.headers["content-type"]) == (500, "application/problem+json")
    for inside in ("Zero", "Traceback", "division", ".py"):
        assert inside not in reply.body.decode()
    assert caplog.text.count("ZeroDivisionError") == 1
    assert len(reply.headers["x-request-id"]) == 16
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_wrong_method_gets_the_allowed_ones(caller: Caller) -> None:
    assert caller.call("/api/coverage", method="DELETE").headers["allow"] == "GET, HEAD"
    assert caller.call("/api/corrections/aurelia-chat").headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "question is required."),
        ({"question": " "}, "question is required."),
        ({"question": 1}, "question should be a valid string."),
        ({"question": 1, "platform": []}, "question should be a valid string."),
        ({"question": 1, "canary": 1}, "Unknown member in the body. Known members: question, platform."),
        ({"question": "a" * 1001}, "question should have at most 1000 characters."),
        ({"question": "a", "canary": 1}, "Unknown member in the body. Known members: question, platform."),
        ([], "The body must be a JSON object."),
    ],
)
def test_an_invalid_body_is_refused_in_one_sentence_without_repeating_it(body: object, sentence: str) -> None:
    with pytest.raises(Problem) as refused:
        checked(Body, json.dumps(body).encode())
    assert (refused.value.status_code, refused.value.detail) == (422, sentence)
