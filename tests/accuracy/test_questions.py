"""How well questions are answered, on the fictional platforms: right evidence, and every unanswerable one refused."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.service import Store
from riskanalytics.service.answering import answer_question
from riskanalytics.service.store.evidence import live_findings
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import SURFACES

QUESTIONS = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))
EACH = 3
"""Platforms that each question is asked about."""
CITED = re.compile(r"(?:\[[1-6]\] ?)+\.$")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """The service on the demo."""
    from riskanalytics.demo import demo_database

    store = Store(demo_database())
    yield Service(store, "https://ratings.example")
    store.close()


@pytest.fixture(scope="module")
def findings(service: Service) -> dict[str, list[dict[str, Any]]]:
    """Findings of every platform, by slug."""
    by_slug: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for finding in live_findings(service.store, SURFACES):
        by_slug[finding["platform"]].append(finding)
    return by_slug


@cache
def answered(service: Service, question: str) -> dict[str, Any]:
    """The answer to a question; several tests ask the same."""
    return answer_question(service, question).model_dump()


def spread(slugs: list[str]) -> list[str]:
    """Some of the platforms, from the whole alphabet."""
    return slugs[:: max(1, len(slugs) // EACH)][:EACH]


def carries(row: dict[str, Any], finding: dict[str, Any]) -> bool:
    """Whether a finding is evidence for a question of the file."""
    return finding["surface"] in row["surfaces"] and bool(re.search(row.get("needs", ""), finding["quote"]))


@cache
def quiet(service: Service, slug: str) -> set[str]:
    """The surfaces on which all documents of a platform were read and hold nothing, not even a lead."""
    state = service.store.platform(slug)
    assert state is not None
    return {name for name, surface in state["surfaces"].items() if surface["state"] == "quiet"}


def test_the_file_holds_enough_questions() -> None:
    assert len(QUESTIONS["answerable"]) + len(QUESTIONS["unanswerable"]) >= 60
    assert len({row["question"] for kind in QUESTIONS.values() for row in kind}) == sum(map(len, QUESTIONS.values()))


@pytest.mark.slow
def test_nine_answers_in_ten_rest_on_the_right_evidence(
    service: Service, findings: dict[str, list[dict[str, Any]]]
) -> None:
    names = dict(service.store.names())
    asked, wrong = 0, []
    for row in QUESTIONS["answerable"]:
        slugs = spread([slug for slug in names if any(carries(row, finding) for finding in findings[slug])])
        assert slugs, row["question"]
        for slug in slugs:
            record = answered(service, row["question"].format(name=names[slug]))
            asked += 1
            cited = record["citations"]
            if not cited or not carries(row, cited[0]) or {finding["platform"] for finding in cited} != {slug}:
                wrong.append((record["question"], record["reason"], [finding["quote"] for finding in cited][:1]))
    assert len(wrong) <= asked / 10, wrong


@pytest.mark.slow
def test_every_question_that_cannot_be_answered_is_refused_for_the_right_reason(
    service: Service, findings: dict[str, list[dict[str, Any]]]
) -> None:
    names = dict(service.store.names())
    slugs = spread([slug for slug in names if len(findings[slug]) >= 8])
    asked, wrong = 0, []
    for row in QUESTIONS["unanswerable"]:
        for slug in slugs if "{name}" in row["question"] else slugs[:1]:
            record = answered(service, row["question"].format(name=names[slug]))
            asked += 1
            if not record["refused"] or record["reason"] not in row["reasons"]:
                wrong.append((record["question"], record["reason"], record["answer"][:200]))
    assert asked >= 100
    assert wrong == []


@pytest.mark.slow
def test_a_platform_that_is_silent_on_a_surface_is_said_to_be(
    service: Service, findings: dict[str, list[dict[str, Any]]]
) -> None:
    names = dict(service.store.names())
    for row in QUESTIONS["answerable"]:
        silent = [slug for slug in names if findings[slug] and quiet(service, slug).issuperset(row["surfaces"])]
        for slug in spread(silent)[:2]:
            record = answered(service, row["question"].format(name=names[slug]))
            assert record["refused"], record["question"]
            assert record["reason"] in ("silent", "no_evidence"), record["question"]


@pytest.mark.slow
def test_no_line_of_an_answer_is_without_a_citation_and_each_quote_is_whole(service: Service) -> None:
    names = dict(service.store.names())
    for row in QUESTIONS["answerable"]:
        for name in [names[slug] for slug in spread(list(names))]:
            record = answered(service, row["question"].format(name=name))
            if record["refused"]:
                continue
            rest = record["answer"]
            for finding in record["citations"]:
                assert finding["quote"] in rest
                rest = rest.replace(finding["quote"], "")
            assert all(CITED.search(line) for line in rest.splitlines()), record["answer"]
            assert len(record["citations"]) <= 6
