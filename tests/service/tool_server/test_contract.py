"""Arguments that a tool does not accept are refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.surfaces import SURFACES
from tests.service.tool_server.fixtures import Agent


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("check_training_use", {}, "Field required"),
        ("check_training_use", {"slug": 7}, "valid string"),
        ("compare_platforms", {"slugs": ["a", "a"]}, "name each platform once"),
        ("search_clauses", {"query": "?!"}, "give at least one word to search for"),
        ("search_clauses", {"query": "a", "surface": "canary"}, f"must be one of {', '.join(SURFACES)}"),
    ],
)
def test_a_wrong_call_is_refused_with_the_reason(
    agent: Agent, tool: str, arguments: dict[str, Any], reason: str
) -> None:
    assert reason in agent.refusal(tool, **arguments)
