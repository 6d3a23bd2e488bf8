"""Queries: what they hold is checked to the letter, and a wrong one is told in one sentence."""

from __future__ import annotations

import pytest

from tests.service.given import Caller


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("limit=1&limit=2", "A query parameter was given more than once."),
        ("limit=0", "limit is at least 1."),
        ("limit=501", "limit is at most 500."),
        ("limit=1e1", "limit is a whole number."),
        ("offset=-1", "offset is a whole number."),
        ("limit=\u0661", "limit is a whole number."),
        ("as_of=2026-1-31", "as_of is a date like 2026-01-31."),
        ("canary=1", "A query parameter is not known (1 in all); known here: limit, offset, as_of."),
    ],
)
def test_a_wrong_query_is_told_in_one_sentence(caller: Caller, query: str, sentence: str) -> None:
    reply = caller.call(f"/api/v1/platforms?{query}", tier="starter")
    assert (reply.status, reply.json()["detail"]) == (400, sentence)


def test_an_address_without_parameters_takes_none(caller: Caller) -> None:
    reply = caller.call("/health?canary=1")
    assert (reply.status, reply.json()["detail"]) == (
        400,
        "A query parameter is not known (1 in all); known here: none.",
    )
