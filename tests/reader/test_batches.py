"""Batch files: requests as lines, and lines of results."""

from __future__ import annotations

import json

from hypothesis import given

from riskanalytics.extraction.units import units_of
from riskanalytics.reader.batches import batch_answer, batch_line
from riskanalytics.reader.exchange import Request
from riskanalytics.reader.guide import SCHEMAS, guide
from tests.reader.test_exchange import JSON


def test_a_line_of_a_batch_is_a_chat_completion_with_the_guide_and_the_numbered_units() -> None:
    request = Request("checks", units_of("We keep your prompts 提示."), ("data_retention",))
    assert "1. [data_retention] We keep your prompts 提示." in batch_line(request, "large")
    line = json.loads(batch_line(request, "large"))
    assert {name: line[name] for name in ("custom_id", "method", "url")} == {
        "custom_id": request.id, "method": "POST", "url": "/v1/chat/completions",
    }  # fmt: skip
    system, user = line["body"].pop("messages")
    assert system == {"role": "system", "content": guide("checks")}
    assert user == {
        "role": "user",
        "content": f"Units:\n{request.text}\n\nReturn one entry for each unit, numbered 1 to 1.",
    }
    schema = {"name": "checks", "strict": True, "schema": SCHEMAS["checks"]}
    form = {"type": "json_schema", "json_schema": schema}
    assert line["body"] == {"model": "large", "response_format": form, "temperature": 0, "seed": 0}


def test_a_line_of_results_has_the_text_and_tokens_of_its_answer() -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"total_tokens": 7}}
    assert batch_answer(json.dumps({"custom_id": 5, "response": {"body": body}})) == ("5", "x", 7)


def test_a_line_without_a_response_is_an_empty_answer_and_one_without_an_id_is_none() -> None:
    assert batch_answer('{"custom_id": "a", "response": null, "error": {"code": 1}}') == ("a", "", 0)
    assert batch_answer('{"response": {"body": {}}}') is batch_answer("[]") is batch_answer("x") is None
    assert batch_answer("[" * 100_000) is None


@given(JSON)
def test_no_line_of_results_is_an_error(value: object) -> None:
    batch_answer(json.dumps(value))
    batch_answer(json.dumps({"custom_id": "verdicts-1", "response": value}))
    batch_answer(json.dumps({"custom_id": "verdicts-1", "response": {"body": {"choices": value}}}))
