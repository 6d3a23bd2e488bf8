"""Stances: whose clause is whose, where an answer went, and shares that move because platforms did."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.analysis.stances import STANCE_DIRECTIONS, stance_direction
from tests.frames_given import ANSWERS, CHANGES, FINDINGS, HISTORY, given

BOTH = {"consumer_stance": "trains_by_default", "business_stance": "does_not_train", "stance": "depends_on_plan"}


def clause(name: str, audience: str | None = None, document: str = "Terms") -> dict[str, Any]:
    return {"slug": "opal", "finding_id": name, "surface": "training_use", "document": document, "audience": audience}


def change(day: str, before: str | None, after: str | None, slug: str = "opal", **more: Any) -> dict[str, Any]:
    empty = {"added": [], "removed": [], "altered": [], "cause": [], "change_class": "material", "document": "Terms"}
    moved = {"change_id": f"{slug}-{day}", "slug": slug, "stance_before": before, "stance_after": after}
    return {**empty, **moved, "reviewed_at": pd.Timestamp(day, tz="UTC"), **more}


def sides(clauses: list[dict[str, Any]], **answer: Any) -> list[tuple[str, str, str]]:
    columns = {**FINDINGS, "audience": "str"}
    named = [row["finding_id"] for row in clauses]
    told = analysis.training_clauses(
        given(ANSWERS, {"slug": "opal", "decided_by": [*named, "gone"], **answer}), given(columns, *clauses)
    )
    return list(zip(told["finding_id"], told["audience"], told["stance"].fillna(""), strict=True))


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


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [("does_not_train", "trains_with_opt_in", "more"), ("trains_by_default", "trains_with_opt_out", "less"),
     ("trains_by_default", "depends_on_plan", "by_plan"), ("depends_on_plan", "trains_by_default", "not_by_plan"),
     ("silent", "depends_on_plan", "answered"), ("trains_by_default", "silent", "silent"), ("silent", "perhaps", "unclear"),
     ("perhaps", "perhaps", "back"), ("undetermined", "does_not_train", "unclear"), ("silent", "undetermined", "unclear")],
)  # fmt: skip
def test_a_split_by_plan_and_silence_are_neither_more_nor_less(before: str, after: str, told: str) -> None:
    assert stance_direction(before, after) == told
    assert told in STANCE_DIRECTIONS


def test_documents_that_moved_at_once_are_one_change_with_its_training_clauses_only() -> None:
    other = {"surface": "human_review", "quote": "A person may look."}
    own = [{"surface": "training_use", "quote": f"We train {n}.", "id": f"f{n}"} for n in range(2)]
    rows = [
        change("2026-03-01", "silent", "trains_by_default", added=[own[0], other]),
        change("2026-03-01", "silent", "trains_by_default", document="Privacy", change_id="z", added=[own[1]]),
        change("2026-04-01", "trains_by_default", "trains_by_default"),
        change("2026-05-01", None, "silent"),
        change("2026-08-01", "trains_by_default", "silent"),
    ]
    told = analysis.stance_changes(given(CHANGES, *rows), "2026-01-01", "2026-08-01")
    assert told["document"].tolist() == ["Terms, Privacy"]
    assert told["added"].tolist() == [own]
    assert told["direction"].tolist() == ["answered"]


def test_moves_sum_to_and_fro_up_and_come_worst_first() -> None:
    rows = [
        change("2026-01-01", "does_not_train", "trains_by_default", "tarn"),
        change("2026-02-01", "trains_by_default", "does_not_train", "tarn", change_class="revert"),
        change("2026-02-01", "trains_by_default", "trains_with_opt_in", "quill"),
        change("2026-03-01", "trains_with_opt_in", "trains_by_default", "opal"),
    ]
    moves = analysis.stance_moves(analysis.stance_changes(given(CHANGES, *rows), "2026-01-01", "2026-08-01"))
    assert moves[["slug", "direction", "steps"]].values.tolist() == [
        ["opal", "more", 1], ["quill", "less", 1], ["tarn", "back", 2],
    ]  # fmt: skip


def test_shares_over_time_are_played_back_on_the_platforms_tracked_from_the_first() -> None:
    ends = [pd.Timestamp(day, tz="UTC") for day in ("2026-01-31", "2026-02-28", "2026-03-31")]
    tracked = [(slug, end) for slug in ("opal", "quill", "tarn") for end in ends]
    rows = [{"slug": slug, "date": end, "known": (slug, end) != ("tarn", ends[0])} for slug, end in tracked]
    rows.append({"slug": "late", "date": ends[2], "known": True})
    answers = [{"slug": slug, "stance": "trains_by_default"} for slug in ("opal", "quill", "tarn", "late")]
    changes = [
        change("2026-02-28T23:59:59", "silent", "does_not_train"),
        change("2026-03-01", "does_not_train", "trains_by_default"),
    ]
    course = analysis.stance_history(
        given(HISTORY, *rows), given(ANSWERS, *answers), given(CHANGES, *changes), "2026-03-10"
    )
    told = {(f"{row.date:%m-%d}", row.stance): (row.platforms, row.total, row.unknown) for row in course.itertuples()}
    assert told["01-31", "silent"] == (1, 2, 1)
    assert told["02-28", "does_not_train"] == (1, 3, 0)
    assert told["03-10", "trains_by_default"] == (3, 3, 0)
    assert ("03-31", "silent") not in told


def test_sentences_say_what_the_plan_changes_who_moved_and_what_is_not_known() -> None:
    answers = given(
        ANSWERS,
        {"slug": "opal", **BOTH},
        {"slug": "tarn", "stance": "silent", "consumer_stance": "silent"},
    )
    shares = analysis.stance_shares(answers)
    said = analysis.training_sentences(shares, answers, None, "in May")
    assert "1 makes it depend on the plan and 1 is silent" in said[0]
    assert said[1].startswith("1 platform answers apart")
    assert "1 of them (Opal) trains by default on what consumers give" in said[1]
    assert "not known" in said[2]
    moves = analysis.stance_moves(
        analysis.stance_changes(
            given(CHANGES, change("2026-05-02", "silent", "depends_on_plan")), "2026-05-01", "2026-06-01"
        )
    )
    assert analysis.training_sentences(shares, answers, moves, "in May")[2] == (
        "1 of 2 platforms moved in May: 1 from silence to an answer."
    )
    assert analysis.training_sentences(shares, answers, moves[:0], "in May")[2] == "No stance moved in May."
    assert "No platform answers apart" in analysis.training_sentences(shares, answers[1:], None, "in May")[1]


def test_a_lead_that_leaves_a_stance_open_stands_among_its_clauses_without_a_level() -> None:
    answers = given(ANSWERS, {"slug": "opal", "stance": "undetermined", "decided_by": ["found", "lead"]})
    found, lead = (given(FINDINGS, clause(name) | {"risk": "HIGH", "quote": name}) for name in ("found", "lead"))
    told = analysis.training_clauses(answers, found, lead)
    assert list(told["quote"]) == ["found", "lead"]
    assert list(told["clause_level"]) == ["HIGH", "UNKNOWN"]
    assert list(analysis.training_clauses(answers, found)["quote"]) == ["found"]
