"""The section on decisions: their number by state, and a table of those that need a reader again."""

from __future__ import annotations

from typing import Any

import pandas as pd

from riskanalytics.sections import decision_states as section
from riskanalytics.topics.decisions import decision_states
from riskanalytics.topics.decisions.records import Decision
from tests.topics.given import read as words_of

from .given import clause, made
from .test_analysis import found, read


def shown(*decisions: Decision, documents: Any = None) -> tuple[str, str]:
    """The text of the section, and all its words."""
    states = decision_states(decisions, found({}), found(), read() if documents is None else documents)
    result = section(states)
    return result.text, words_of(result.html)


def test_decisions_that_hold_are_counted_and_have_no_table() -> None:
    text, words = shown(made(), made(name="Bo"))
    assert text == "2 decisions: 2 hold"
    assert "Decisions that need a reader" not in words
    assert shown()[0] == "0 decisions"


def test_without_decisions_the_section_is_empty() -> None:
    assert (section(None).parts, section(None).text) == ((), "no decisions")


def test_a_reopened_decision_is_listed_with_its_clause_its_note_and_what_is_similar() -> None:
    text, words = shown(made(), made(clause("We keep all of it, for 90 days."), name="Bo", decision="ask_counsel"))
    assert text == "2 decisions: 1 holds and 1 is reopened"
    line = "vellumo, Terms (Data retention)|reopened: the text changed; 1 similar clause now|"
    assert line + "Bo asked counsel on 2026-11-02: Known.|We keep all of it, for 90 days." in words
    assert "Ann" not in words


def test_a_platform_is_shown_by_its_name_where_that_is_known() -> None:
    states = decision_states([made(clause("We keep all of it, for 90 days."))], found({}), found(), read())
    for slug, name in (("vellumo", "Vellumo"), ("another", "vellumo")):
        platforms = pd.DataFrame({"slug": [slug], "name": ["Vellumo"]})
        assert f"|{name}, Terms (Data retention)|" in words_of(section(states, platforms).html)


def test_reviewers_who_differ_and_documents_that_were_not_read_are_listed_and_earlier_decisions_are_not() -> None:
    later = made(decision="dispute", decided_at="2026-11-03T09:00:00Z")
    text, words = shown(made(), later, made(name="Bo"))
    assert (text, words.count("reviewers differ")) == ("2 decisions: 2 hold", 2)
    assert "|reviewers differ|Ann disputed on 2026-11-03: Known.|" in words
    assert "|reviewers differ|Bo accepted on 2026-11-02: Known.|" in words
    text, words = shown(made(clause(document="Cookies")))
    assert text == "1 decision: 1 is unknown"
    assert "platform or document not read" in words


def test_a_long_clause_is_cut() -> None:
    for length, cell in {160: "x" * 160, 161: "x" * 159 + "…"}.items():
        _, words = shown(made(clause("x" * length)))
        assert words.endswith(f"2026-11-02: Known.|{cell}|")
