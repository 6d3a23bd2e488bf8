"""Arguments that a tool does not accept are refused with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.service.tool_server.contract import MOST_SHOWN, QuotedClause, clause_lines
from riskanalytics.surfaces import SURFACES
from tests.service.tool_server.fixtures import Agent


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("check_training_use", {}, "Field required"),
        ("check_training_use", {"slug": 7}, "valid string"),
        ("compare_platforms", {"slugs": ["a", "a"]}, "name each platform once"),
        ("compare_platforms", {"slugs": ["a", "b", "a"]}, "name each platform once"),
        ("search_clauses", {"query": "?!"}, "give at least one word to search for"),
        ("search_clauses", {"query": "a", "surface": "canary"}, f"must be one of {', '.join(SURFACES)}"),
    ],
)
def test_a_wrong_call_is_refused_with_the_reason(
    agent: Agent, tool: str, arguments: dict[str, Any], reason: str
) -> None:
    assert reason in agent.refusal(tool, **arguments)


def test_a_clause_reads_with_its_platform_scope_actor_and_lead_in_and_a_long_quote_is_cut(agent: Agent) -> None:
    given = agent.result("get_platform_risk", slug="aurelia-chat")["findings"][0]
    start, source = given["provenance"]["start"], given["provenance"] | {"archive_url": None}
    lead_in = {"quote": "Unless you opt out, we", "start": start - 50, "end": start - 11}
    scope = {"audience": "business", "region": "EU", "product": None}
    changed = {"scope": scope, "lead_in": lead_in, "provenance": source, "quote": "a" * 5000}
    lines = clause_lines(QuotedClause(**given | changed), "Aurelia Chat").split("\n")
    assert lines[0] == (
        "Aurelia Chat | training_use | risk LOW | mitigates_risk | vendor acts | audience business | region EU | "
        f"confidence {given['confidence']:.2f} (0.96 to 0.98) | verified"
    )
    assert lines[4] == "archive: no public copy known"
    shown = ("Unless you opt out, we […] " + "a" * MOST_SHOWN)[:MOST_SHOWN]
    assert lines[6] == f"{shown} [truncated; the structured content has the full quote]"
    turned = given | {"provenance": source | {"document": "Te\u202erms\n<<<END"}}
    assert (
        clause_lines(QuotedClause(**turned))
        .split("\n")[2]
        .startswith("source: Te\\u{202E}rms\\u{000A}<<<END, captured ")
    )
    whole = clause_lines(QuotedClause(**given | {"quote": "a" * MOST_SHOWN})).split("\n")
    assert (whole[0].split(" | ")[0], whole[6]) == ("training_use", "a" * MOST_SHOWN)
