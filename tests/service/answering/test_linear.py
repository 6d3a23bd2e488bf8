"""Reading is bounded: only a limited part of a question or a quote is read.

How much longer than prose is measured by tests/benchmarks/bench_answers.py; here nothing may take seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from riskanalytics.service.answering import retrieval, vocabulary
from riskanalytics.service.answering.question import Question, read_question
from riskanalytics.service.answering.retrieval import passing
from tests.service.given import PRIVACY, TERMS

MEGABYTE = 1_000_000
QUOTE = 4000
PROSE = " ".join((PRIVACY + TERMS).split()) + " "
HOSTILE = [
    "own ", "own", "what does do with ", "you will indemnify ", "sell ", "data sold ", "训练", "customer agrees ",
    "1 one thirty days ", "you may revise and change terms ", "\u202e\u0000", "e\u0301",
]  # fmt: skip
ASKED = {
    "output_rights": "Who owns the outputs that I make?",
    "ip_liability": "Do they indemnify me against copyright claims?",
    "data_retention": "How long do they keep my data after I close my account?",
    "third_party_sharing": "Do they sell my personal data?",
    "terms_changes": "Can they change the terms without notice?",
}


def shortest(run: Callable[[], object]) -> float:
    """The shortest of two runs, each from cold caches."""
    taken = []
    for _ in range(2):
        for cached in (retrieval.folded_quote, retrieval.meanings, vocabulary.units):
            cached.cache_clear()
        began = time.process_time()
        run()
        taken.append(time.process_time() - began)
    return min(taken)


def findings(text: str, surface: str) -> list[dict[str, Any]]:
    """A megabyte of one text in quotes of one surface, no two alike."""
    body = (text * (QUOTE // len(text) + 1))[: QUOTE - 10]
    scope = {"audience": None, "region": None, "product": None}
    return [
        {
            "id": f"f{number}", "platform": "p", "name": "P", "quote": f"{number} {body}", "surface": surface,
            "risk": "MED", "polarity": "neutral", "confidence": 0.9, "scope": scope, "conflicts_with": [],
            "duplicate_of": None, "provenance": {"document": "Privacy Policy", "start": number},
        }
        for number in range(MEGABYTE // QUOTE)
    ]  # fmt: skip


@pytest.mark.slow
def test_a_question_of_a_megabyte_is_read_in_time() -> None:
    names = [(f"platform-{number}", f"Platform {number} Chat") for number in range(100)]
    for text in HOSTILE:
        long = (text * MEGABYTE)[:MEGABYTE]
        assert shortest(lambda long=long: read_question(long, names)) < 1.0, text  # type: ignore[misc]


@pytest.mark.slow
@pytest.mark.parametrize("surface", ["ip_liability", "third_party_sharing"])
def test_a_megabyte_of_hostile_quotes_is_searched_in_time(surface: str) -> None:
    question: Question = read_question(ASKED[surface], [])
    assert surface in question.surfaces
    for text in HOSTILE:
        rows = findings(text, surface)
        assert shortest(lambda rows=rows: passing(question, rows)) < 2.0, text  # type: ignore[misc]


def test_only_the_beginning_of_a_quote_of_a_megabyte_is_read() -> None:
    question = read_question(ASKED["third_party_sharing"], [])
    (row,) = findings("sell ", "third_party_sharing")[:1]
    row["quote"] = "We sell your data. " + "sell " * (MEGABYTE // 5)
    assert passing(question, [row])
    assert shortest(lambda: passing(question, [row])) < 1.0
