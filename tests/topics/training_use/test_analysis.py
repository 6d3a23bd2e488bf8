"""Answers on training use: which clause decides, whose clause is whose, and shares with their denominator."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics.models import STANCES
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
        ("quiet", "f5", "HIGH"),
    ]
    frame = analysis.training_use(
        given(ANSWERS, *({"slug": s, "stance": t, "decided_by": d} for s, t, d in answers)),
        given(FINDINGS, *({"slug": s, "finding_id": f, "surface": "training_use", "risk": r} for s, f, r in clauses)),
    )  # fmt: skip
    assert frame[["slug", "basis"]].values.tolist() == [
        ["named", "decided_by"], ["other", "highest_risk"], ["quiet", "none"],
    ]  # fmt: skip
    assert frame["finding_id"].tolist()[:2] == ["f2", "f4"]
    assert frame["finding_id"].isna().tolist()[2]


def test_of_several_clauses_one_on_training_that_repeats_no_other_decides_then_level_and_confidence() -> None:
    own = {"slug": "opal", "surface": "training_use", "risk": "LOW", "confidence": 0.5, "document": "Terms"}
    rows = [
        {"finding_id": "ads", "surface": "ads_tracking", "risk": "HIGH"}, {"finding_id": "low"},
        {"finding_id": "copy", "risk": "HIGH", "duplicate_of": "low"}, {"finding_id": "med", "risk": "MED"},
        {"finding_id": "sure", "risk": "MED", "confidence": 0.9}, {"finding_id": "lead", "risk": "HIGH"},
    ]  # fmt: skip
    clauses = given(FINDINGS, *(own | row for row in rows))
    found, leads = clauses[:5], clauses[5:].assign(risk=None)
    for left, basis in (("ads copy low med sure lead", "decided_by"), ("", "highest_risk")):
        answer = {"slug": "opal", "name": "", "stance": "trains_by_default", "decided_by": left.split()}
        (row,) = analysis.training_use(given(ANSWERS, answer), found, leads).to_dict("records")
        assert (row["finding_id"], row["clause_level"], row["basis"], row["clauses"]) == ("sure", "MED", basis, 3)
        assert (row["name"], row["way_out"]) == ("opal", False)
    one = given(ANSWERS, {"slug": "opal", "stance": "undetermined", "decided_by": ["lead", "ads"]})
    assert analysis.training_use(one, found, leads)["finding_id"].tolist() == ["lead"]
    assert analysis.training_use(one, found)["finding_id"].tolist() == ["ads"]
    quote = "You may opt out of training."
    for polarity, way_out in (("raises_risk", False), ("mitigates_risk", True)):
        frame = analysis.training_use(one, found.assign(quote=quote, polarity=polarity))
        assert frame["way_out"].tolist() == [way_out]
    other = found.assign(quote=quote, polarity="mitigates_risk")[found["surface"] == "ads_tracking"]
    assert analysis.training_use(one, other)["way_out"].tolist() == [False]


def test_platforms_are_ordered_from_who_trains_to_who_is_silent_then_by_name_in_any_case() -> None:
    rows = [{"slug": f"{stance}-{name}", "name": name, "stance": stance, "decided_by": []}
            for stance in (None, "perhaps", *reversed(STANCES)) for name in ("B", "a")]  # fmt: skip
    order = analysis.training_use(given(ANSWERS, *rows), given(FINDINGS))["slug"].tolist()
    assert order == [f"{stance}-{name}" for stance in (*STANCES, None, "perhaps") for name in ("a", "B")]


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
    order = [(audience, stance) for audience in ("all", "consumer", "business") for stance in (*STANCES, "perhaps")]
    assert shares.index.tolist() == order


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
    ads = given(FINDINGS, clause("found") | {"surface": "ads_tracking", "quote": "ads"})
    assert list(analysis.training_clauses(answers, ads, lead.assign(finding_id="found"))["quote"]) == ["ads"]
    assert list(analysis.training_clauses(answers, found)["quote"]) == ["found"]
