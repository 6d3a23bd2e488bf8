"""Answers on training use: which clause decides, whose clause is whose, and shares with their denominator."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics.topics import training_use as analysis
from riskanalytics.topics.shape import wilson_interval
from tests.frames_given import ANSWERS, FINDINGS, given
from tests.topics.training_use.given import BOTH


def clause(name: str, audience: str | None = None, document: str = "Terms") -> dict[str, Any]:
    return {"slug": "opal", "finding_id": name, "surface": "training_use", "document": document, "audience": audience}


def sides(clauses: list[dict[str, Any]], **answer: Any) -> list[tuple[str, str, str]]:
    columns = {**FINDINGS, "audience": "str"}
    named = [row["finding_id"] for row in clauses]
    result = analysis.training_clauses(
        given(ANSWERS, {"slug": "opal", "decided_by": [*named, "gone"], **answer}), given(columns, *clauses)
    )
    return list(zip(result["finding_id"], result["audience"], result["stance"].fillna(""), strict=True))


def test_the_deciding_clause_is_the_named_one_else_the_highest_and_none_for_silence() -> None:
    answers = [
        ("named", "trains_by_default", ["f2"]),
        ("other", "does_not_train", []),
        ("quiet", "silent", ["f9"]),
    ]
    clauses = [
        ("named", "f1", "HIGH"),
        ("named", "f2", "LOW"),
        ("other", "f3", "LOW"),
        ("other", "f4", "HIGH"),
    ]
    frame = analysis.training_use(
        given(ANSWERS, *({"slug": s, "stance": t, "decided_by": d} for s, t, d in answers)),
        given(FINDINGS, *({"slug": s, "finding_id": f, "surface": "training_use", "risk": r} for s, f, r in clauses)),
    )  # fmt: skip
    assert frame[["slug", "basis"]].values.tolist() == [
        ["named", "decided_by"], ["other", "highest_risk"], ["quiet", "none"],
    ]  # fmt: skip
    assert frame["finding_id"].tolist()[:2] == ["f2", "f4"]
    assert frame["quote"].isna().tolist()[2]


def test_wilson_gives_the_published_interval_and_shares_carry_their_denominator() -> None:
    assert wilson_interval(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    rows = [
        {"slug": "a", "stance": "silent", "consumer_stance": "perhaps"},
        {"slug": "b", "stance": "silent"},
    ]
    shares = analysis.stance_shares(given(ANSWERS, *rows)).set_index(["audience", "stance"])
    assert shares.loc[("consumer", "perhaps"), ["platforms", "total", "unknown"]].tolist() == [1, 1, 1]
    assert shares.loc[("business", "silent"), "share"] is pd.NA


def test_a_clause_belongs_to_whom_it_or_its_document_names_consumers_first() -> None:
    clauses = [
        clause("a", "business"),
        clause("b"),
        clause("c", None, "Data Processing Agreement"),
        clause("d", "consumer", "Business Terms"),
        clause("e", "developer"),
        clause("f", None, "API Terms"),
    ]
    assert [(name, audience) for name, audience, _ in sides(clauses, **BOTH)] == [
        ("b", "consumer"), ("d", "consumer"), ("f", "consumer"),
        ("a", "business"), ("c", "business"), ("e", "business"),
    ]  # fmt: skip


def test_the_only_answer_there_is_has_all_the_clauses() -> None:
    assert sides([clause("a")], business_stance="does_not_train") == [("a", "business", "does_not_train")]
    assert sides([clause("a", "business")], consumer_stance="silent") == [("a", "consumer", "silent")]
    assert sides([clause("a")], stance="perhaps") == [("a", "consumer", "perhaps")]


def test_a_lead_that_leaves_a_stance_open_is_listed_among_its_clauses_without_a_level() -> None:
    answers = given(ANSWERS, {"slug": "opal", "stance": "undetermined", "decided_by": ["found", "lead"]})
    found, lead = (given(FINDINGS, clause(name) | {"risk": "HIGH", "quote": name}) for name in ("found", "lead"))
    result = analysis.training_clauses(answers, found, lead)
    assert list(result["quote"]) == ["found", "lead"]
    assert list(result["clause_level"]) == ["HIGH", "UNKNOWN"]
    assert list(analysis.training_clauses(answers, found)["quote"]) == ["found"]
