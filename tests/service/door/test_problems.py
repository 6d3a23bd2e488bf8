"""Failures are problem documents: what was wrong, never what is inside."""

from __future__ import annotations

import json

import pytest

from riskanalytics.service.answering import Body
from riskanalytics.service.door.problems import Problem, checked
from tests.service.given import Caller


def test_unknown_paths_and_methods_are_problems(caller: Caller) -> None:
    assert caller.call("/nope").json()["status"] == 404
    wrong = caller.call("/api/coverage", method="POST")
    assert (wrong.status, wrong.headers["content-type"]) == (405, "application/problem+json")


def test_a_fault_is_a_problem_without_what_is_inside(caller: Caller, caplog: pytest.LogCaptureFixture) -> None:
    caller.store.rows = lambda *_, **__: 1 / 0
    reply = caller.call("/api/coverage")
    assert (reply.status, reply.headers["content-type"]) == (500, "application/problem+json")
    for inside in ("Zero", "Traceback", "division", ".py"):
        assert inside not in reply.body.decode()
    assert caplog.text.count("ZeroDivisionError") == 1
    assert len(reply.headers["x-request-id"]) == 16
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_wrong_method_is_told_which_are_right(caller: Caller) -> None:
    assert caller.call("/api/coverage", method="DELETE").headers["allow"] == "GET, HEAD"
    assert caller.call("/api/corrections/aurelia-chat").headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "question is required."),
        ({"question": " "}, "question is required."),
        ({"question": 1}, "question should be a valid string."),
        ({"question": "a" * 1001}, "question should have at most 1000 characters."),
        ({"question": "a", "canary": 1}, "A member of the body is not known; known here: question, platform."),
        ([], "The body is one JSON object."),
    ],
)
def test_a_body_that_is_no_question_is_told_so_in_a_sentence_that_repeats_nothing(body: object, sentence: str) -> None:
    with pytest.raises(Problem) as refused:
        checked(Body, json.dumps(body).encode())
    assert (refused.value.status_code, refused.value.detail) == (422, sentence)
