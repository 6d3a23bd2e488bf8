"""Decisions compared with the current clauses, and used as exceptions of rules."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from riskanalytics.topics.appetite import rule_results
from riskanalytics.topics.appetite.rules import Appetite, Exemption, Rule
from riskanalytics.topics.decisions import (
    DECISION_COLUMNS,
    accepted_results,
    decision_states,
    differ,
    latest_of,
    words_of,
)  # fmt: skip
from riskanalytics.topics.decisions.records import Decision
from tests.frames_given import ANSWERS, CELLS, DOCUMENTS, PLATFORMS, given

from .given import QUOTE, clause, found, made, read


def states(
    *decisions: Decision, findings: pd.DataFrame, leads: Any = None, documents: Any = None
) -> list[dict[str, Any]]:
    """The states of decisions as rows."""
    leads = found() if leads is None else leads
    frame = decision_states(decisions, findings, leads, read() if documents is None else documents)
    return frame.to_dict("records")


@pytest.mark.parametrize(
    "same",
    [
        QUOTE,
        "We keep all of it for 30 days",
        "WE KEEP\n\nALL of it: for 30\u00a0days!",
        "We _keep_ [all](https://vellumo.example/all) of “it” – for 30 days.",
        "\uff37e keep all of it, for \uff13\uff10 days.",
    ],
)
def test_a_decision_holds_over_new_versions_while_the_words_are_the_same(same: str) -> None:
    (row,) = states(made(), findings=found({"quote": "We sell it."}, {"quote": same}))
    assert (row["state"], row["finding_ids"], row["candidates"]) == ("holds", ["n1"], [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We keep it.", "We do not keep it."),
        ("We keep it for 30 days.", "We keep it for 90 days."),
        ("We keep 1.5 % of it.", "We keep 15 % of it."),
        ("A fee of 30 % is due.", "A fee of 30 is due."),
        ("A fee of €30 is due.", "A fee of $30 is due."),
        ("We may keep it.", "We keep it."),
        (
            "(30) days after you delete a file we delete it from our servers.",
            "(90) days after you delete a file we delete it from our servers.",
        ),
        (
            "We meet users of the service aged <13 with care and with respect.",
            "We meet users of the service aged >13 with care and with respect.",
        ),
        (
            "We keep your prompts for 30 days and your outputs for 90 days after that.",
            "We keep your outputs for 30 days and your prompts for 90 days after that.",
        ),
        (
            "We use your prompts, but never your uploads, to train the models that we offer.",
            "We use your uploads, but never your prompts, to train the models that we offer.",
        ),
        ("我们会保留。", "我们不会保留。"),
    ],
)
def test_a_decision_reopens_if_the_words_change_in_substance(before: str, after: str) -> None:
    (row,) = states(made(clause(before)), findings=found({"quote": after}))
    assert (row["state"], row["finding_ids"]) == ("reopened", [])
    assert words_of(before) != words_of(after)


def test_candidates_are_the_most_similar_clauses_of_the_same_surface() -> None:
    clauses = found(
        {"quote": "We sell data."},
        {"quote": "We keep all of it, for 90 days."},
        {"quote": "We keep some of it for 20 or 90 days."},
        {"quote": "We keep all of it, for 30 days and more.", "surface": "terms_changes"},
    )
    lead = found({"finding_id": "lead", "quote": "We keep all of it for 30 whole days."})
    (row,) = states(made(), findings=clauses, leads=lead)
    assert (row["state"], row["candidates"]) == ("reopened", ["lead", "n1", "n2"])


@pytest.mark.parametrize("elsewhere", [{"document": "Privacy Policy"}, {"surface": "terms_changes"}, {"slug": "other"}])
def test_the_same_words_elsewhere_are_another_clause(elsewhere: dict[str, str]) -> None:
    (row,) = states(made(), findings=found(elsewhere))
    assert (row["state"], row["finding_ids"]) == ("reopened", [])


def test_a_clause_holds_as_a_lead_too() -> None:
    (row,) = states(made(), findings=found(), leads=found({}))
    assert (row["state"], row["finding_ids"]) == ("holds", ["n0"])


@pytest.mark.parametrize(
    ("before", "after", "state"),
    [
        ("We never:", "We may:", "reopened"),
        ("We never:", None, "reopened"),
        ("", "We never:", "reopened"),
        ("**We never:**", "we never", "holds"),
        ("", "C.3.", "holds"),
    ],
)
def test_the_lead_in_is_part_of_the_clause_unless_it_is_a_number(before: str, after: Any, state: str) -> None:
    (row,) = states(made(clause(lead_in=before)), findings=found({"lead_in": after}))
    assert row["state"] == state


@pytest.mark.parametrize(
    ("label", "state"),
    [
        ("Your employer: ", "holds"), ("**Your employer:** ", "holds"), ("EMPLOYERS\n", "holds"), ("", "holds"),
        ("Former employers: ", "reopened"), ("We never do this: ", "reopened"),
    ],
)  # fmt: skip
def test_a_label_that_only_repeats_words_of_its_clause_may_come_and_go(label: str, state: str) -> None:
    sentence = "If you use the service through your employer, we may disclose your prompts to your employer."
    for before, after in ((label + sentence, sentence), (sentence, label + sentence)):
        (row,) = states(made(clause(quote=before)), findings=found({"quote": after}))
        assert row["state"] == state


@pytest.mark.parametrize(
    "documents",
    [
        read(state="broken"),
        read(read=False),
        read(document="Privacy Policy"),
        read(slug="other"),
        given(DOCUMENTS),
    ],
)
def test_a_document_that_was_not_read_leaves_the_decision_unknown(documents: pd.DataFrame) -> None:
    (row,) = states(made(), findings=found(), documents=documents)
    assert (row["state"], row["finding_ids"], row["candidates"]) == ("unknown", [], [])


def test_a_document_without_a_known_state_was_read_if_it_has_clauses() -> None:
    (row,) = states(made(), findings=found({"quote": "We sell data."}), documents=given(DOCUMENTS))
    assert row["state"] == "reopened"
    for documents in (read(state="stale"), read(read=None)):
        (row,) = states(made(), findings=found(), documents=documents)
        assert row["state"] == "reopened"


def test_an_unchanged_text_keeps_a_decision_even_if_it_is_read_in_another_way() -> None:
    (row,) = states(made(), findings=found(), documents=read(snapshot_sha256="ab" * 32))
    assert (row["state"], row["finding_ids"]) == ("holds", [])


def test_a_removed_clause_is_back_only_in_its_own_words() -> None:
    words = (
        "We keep what you send us in the archive of our own data centre, and the staff of the archive look after it."
    )
    gone = clause(words, removed=True, snapshot_sha256="ef" * 32)
    other = words.replace("data centre", "data center")
    for quote, state in ((words, "reopened"), (other, "holds")):
        (row,) = states(made(gone, change_id="c1"), findings=found({"quote": quote}))
        assert (row["state"], row["finding_ids"]) == (state, [])
    (row,) = states(made(clause(words)), findings=found({"quote": other}))
    assert (row["state"], row["finding_ids"]) == ("holds", ["n0"])


def test_a_change_holds_while_added_clauses_are_there_and_removed_ones_are_not() -> None:
    gone = clause("We delete it.", removed=True, snapshot_sha256="ef" * 32)
    change = made(clause(), gone, change_id="c1", decision="dispute")
    (row,) = states(change, findings=found({}))
    assert (row["state"], row["finding_ids"], row["change_id"]) == ("holds", ["n0"], "c1")
    (row,) = states(change, findings=found({}, {"quote": "We delete it."}))
    assert (row["state"], row["finding_ids"], row["candidates"]) == ("reopened", ["n0"], ["n1", "n0"])
    (row,) = states(change, findings=found({"quote": "We keep all of it, for 31 days."}))
    assert (row["state"], row["candidates"]) == ("reopened", ["n0"])
    (row,) = states(change, findings=found(), documents=read(snapshot_sha256="ef" * 32))
    assert row["state"] == "reopened"
    both = found({}, {"quote": "We delete it."})
    (row,) = states(change, findings=both, documents=read(snapshot_sha256="ab" * 32))
    assert (row["state"], row["finding_ids"]) == ("holds", ["n0"])
    wider = made(clause(surface="terms_changes"), clause(document="Cookies", surface="ads_tracking"), change_id="c2")
    (row,) = states(wider, findings=found({}))
    assert (row["state"], row["surfaces"]) == ("reopened", ["ads_tracking", "terms_changes"])


def test_a_row_says_who_decided_what_and_the_open_ones_come_first() -> None:
    there, gone = (
        made(),
        made(clause("We sell it.", surface="ads_tracking"), name="Bo", note="Why?", decision="ask_counsel"),
    )
    frame = decision_states([there, gone], found({}), found(), read())
    assert frame.dtypes.map(str).to_dict() == {name: str(kind) for name, kind in DECISION_COLUMNS.items()}
    first, second = frame.to_dict("records")
    assert [first["state"], second["state"]] == ["reopened", "holds"]
    assert first["decision_id"] == gone.hashed()
    assert (first["reviewer"], first["decision"], first["note"]) == ("Bo", "ask_counsel", "Why?")
    assert (first["slug"], first["document"], first["surfaces"]) == ("vellumo", "Terms", ["ads_tracking"])
    assert (first["quote"], first["change_id"], first["latest"], first["conflict"]) == ("We sell it.", "", True, False)
    assert (first["day"], first["decided_at"]) == (
        pd.Timestamp("2026-10-31", tz="UTC"),
        pd.Timestamp("2026-11-02T09:00:00.12Z"),
    )
    assert list(decision_states([], found(), found(), read()).columns) == list(DECISION_COLUMNS)
    others = [made(clause(document="Cookies")), made(clause(platform="arvo")), gone, made(clause("We sell it."))]
    listed = decision_states(
        [there, *others], found({}), found(), pd.concat([read(), read(slug="arvo", document="Terms")])
    )
    assert listed[["state", "slug", "document"]].values.tolist() == [
        ["reopened", "arvo", "Terms"], ["reopened", "vellumo", "Terms"], ["reopened", "vellumo", "Terms"],
        ["unknown", "vellumo", "Cookies"], ["holds", "vellumo", "Terms"],
    ]  # fmt: skip


def test_the_last_decision_of_a_reviewer_counts_and_reviewers_who_differ_are_in_conflict() -> None:
    first = made(decided_at="2026-11-01T09:00:00Z", decision="dispute")
    later = made(clause("we keep all of it for 30 days"), name="ann")
    other = made(name="Bo", decision="ask_counsel")
    rows = {row["decision_id"]: row for row in states(first, later, findings=found({}))}
    assert [(rows[one.hashed()]["latest"], rows[one.hashed()]["conflict"]) for one in (first, later)] == [
        (False, False),
        (True, False),
    ]
    rows = {row["decision_id"]: row for row in states(first, later, other, findings=found({}))}
    assert [rows[one.hashed()]["conflict"] for one in (first, later, other)] == [False, True, True]
    (group,) = latest_of([other, later, first])
    assert (group, differ(group)) == ({"ann": later, "bo": other}, True)


@pytest.mark.parametrize(
    "other",
    [{"change_id": "c1"}, *({"clauses": [clause(**one)]} for one in (
        {"surface": "ads_tracking"}, {"document": "Cookies"}, {"platform": "arvo"}, {"lead_in": "We never:"},
        {"quote": "We sell it."},
    ))],
)  # fmt: skip
def test_decisions_about_other_things_are_no_conflict(other: dict[str, Any]) -> None:
    groups = latest_of([made(), made(name="Bo", decision="dispute", **other)])
    assert [differ(group) for group in groups] == [False, False]


RULES = {
    "level": Rule(id="r", surface="data_retention", level="MED"),
    "rating": Rule(id="r", rating="MED"),
    "mean": Rule(id="r", mean=1.0),
    "stance": Rule(id="r", stances=("trains_by_default",)),
}


def judged(
    rule: str, findings: pd.DataFrame, *decisions: Decision, exceptions: tuple[Exemption, ...] = ()
) -> dict[str, Any]:
    """The result of a rule on one platform that breaks it, after decisions."""
    appetite = Appetite(rule=(RULES[rule],), weights={"data_retention": 1}, exception=exceptions)
    cell = {"slug": "vellumo", "surface": "data_retention", "risk": "HIGH", "state": "found", "decided_by": ["n0"]}
    answer = {"slug": "vellumo", "stance": "trains_by_default", "decided_by": ["n0"]}
    results = rule_results(
        appetite, given(PLATFORMS, {"slug": "vellumo", "name": "Vellumo", "rating": "HIGH"}),
        given({**CELLS, "decided_by": "object"}, cell), given(ANSWERS, answer), date(2026, 11, 2),
    )  # fmt: skip
    (row,) = accepted_results(
        results, appetite, decision_states(decisions, findings, found(), read()), findings
    ).to_dict("records")
    assert row["result"] == "fail"
    return row


@pytest.mark.parametrize("rule", RULES)
def test_a_result_is_excepted_if_every_clause_that_breaks_the_rule_is_accepted(rule: str) -> None:
    row = judged(rule, found({}), made(note="Free plan only."), made(name="Bo", note="Agreed."))
    assert (row["excepted"], row["exception"], row["decided_by"]) == (
        True,
        "Ann: Free plan only. and Bo: Agreed.",
        ["n0"],
    )
    assert pd.isna(row["expires"])
    again = judged(rule, found({}), made(decision="dispute", decided_at="2026-11-01T09:00:00Z"), made(note="Now."))
    assert (again["excepted"], again["exception"]) == (True, "Ann: Now.")


@pytest.mark.parametrize(
    "decisions",
    [
        [],
        [made(decision="dispute")],
        [made(), made(name="Bo", decision="ask_counsel")],
        [made(), made(decision="dispute", decided_at="2026-11-03T09:00:00Z")],
        [made(clause("We keep all of it, for 90 days."))],
        [made(clause(surface="ads_tracking"))],
        [made(), made(clause(), change_id="c1", decision="dispute", name="Bo")],
        [made(clause(), clause("We sell it."), change_id="c1")],
    ],
)
def test_no_other_decision_is_an_exception(decisions: list[Decision]) -> None:
    row = judged("level", found({}), *decisions)
    assert (row["excepted"], isinstance(row["exception"], str)) == (False, False)


def test_the_notes_of_an_exception_are_in_the_order_of_the_clauses_and_each_is_said_once() -> None:
    quotes = ["We keep it for ever.", "We keep it for a year.", "We keep it for a day."]
    known = [made(clause(quote), name=name, note=name) for quote, name in zip(quotes, ("Di", "Bo", "Cy"), strict=True)]
    findings = found({}, *({"quote": quote} for quote in quotes))
    assert judged("level", findings, made(note="Ann"), *known[:2])["exception"] == "3 of 4 clauses accepted"
    assert judged("level", findings, made(note="Ann"), *known)["exception"] == "Ann: Ann, Di: Di, Bo: Bo and 1 other"


@pytest.mark.parametrize(
    ("rule", "second", "breaks"),
    [
        ("level", {"risk": "HIGH"}, True),
        ("level", {"risk": "MED"}, False),
        ("level", {"risk": "HIGH", "polarity": "mitigates_risk"}, False),
        ("level", {"risk": "HIGH", "duplicate_of": "n0"}, False),
        ("level", {"risk": "HIGH", "surface": "ads_tracking"}, False),
        ("level", {"risk": "HIGH", "slug": "other"}, False),
        ("rating", {"risk": "HIGH", "surface": "ads_tracking"}, True),
        ("rating", {"risk": "MED", "surface": "ads_tracking"}, False),
        ("mean", {"risk": "MED"}, True),
        ("mean", {"risk": "LOW"}, False),
        ("mean", {"risk": "HIGH", "surface": "ads_tracking"}, False),
        ("stance", {"risk": "MED", "surface": "training_use"}, True),
        ("stance", {"risk": "HIGH"}, False),
    ],
)
def test_clauses_that_also_break_the_rule_must_be_accepted_too(rule: str, second: dict[str, Any], breaks: bool) -> None:
    findings = found({}, {"quote": "We keep it for ever.", **second})
    row = judged(rule, findings, made())
    assert (row["excepted"], row["exception"]) == (not breaks, "1 of 2 clauses accepted" if breaks else "Ann: Known.")
    place = {name: value for name, value in second.items() if name == "surface"}
    row = judged(rule, findings, made(), made(clause("We keep it for ever.", **place)))
    assert (row["excepted"], row["exception"]) == (True, "Ann: Known.")


def test_an_exception_of_the_rules_stays_and_open_results_come_first() -> None:
    rules = (Exemption(rule="r", platform="vellumo", owner="Cy", reason="Trial.", expires=date(2027, 1, 1)),)
    row = judged("level", found({}), made(), exceptions=rules)
    assert (row["excepted"], row["exception"], row["expires"]) == (
        True,
        "Cy: Trial.",
        pd.Timestamp("2027-01-01", tz="UTC"),
    )
    expired = (rules[0].model_copy(update={"expires": date(2026, 4, 1)}),)
    row = judged("level", found({}), made(), exceptions=expired)
    assert (row["excepted"], row["exception"]) == (True, "Ann: Known.")
    assert pd.isna(row["expires"])
    appetite = Appetite(rule=(Rule(id="r", rating="MED"),))
    platforms = given(PLATFORMS, *({"slug": slug, "rating": "HIGH"} for slug in ("vellumo", "other")))
    results = rule_results(
        appetite, platforms, given({**CELLS, "decided_by": "object"}), given(ANSWERS), date(2026, 11, 2)
    )
    findings = found({})
    after = accepted_results(results, appetite, decision_states([made()], findings, found(), read()), findings)
    assert after[["slug", "excepted"]].values.tolist() == [["other", False], ["vellumo", True]]
    assert after.dtypes.equals(results.dtypes)
    partly = made(clause(), clause("We sell it."))
    reworded = decision_states([partly], findings, found(), read(), partly.clauses)
    assert reworded["state"].tolist() == ["reworded"]
    assert not accepted_results(results, appetite, reworded, findings)["excepted"].any()
    for open_result in ("undetermined", "pass"):
        kept = accepted_results(
            results.assign(result=open_result, decided_by=[["n0"], ["n0"]]), appetite,
            decision_states([made()], findings, found(), read()), findings,
        )  # fmt: skip
        assert not kept["excepted"].any(), open_result


def test_a_decision_is_reworded_only_if_every_clause_that_reopens_it_is_found_in_other_words() -> None:
    kept, changed, gone = clause(), clause("We sell it."), clause("We lend it.")
    decision = made(kept, changed, gone)
    now = found({"quote": QUOTE}, {"quote": "We pass it on for money."})
    both = decision.clauses[1:]
    for some, state in (
        (both, "reworded"),
        (both[:1], "reopened"),
        (decision.clauses[:1], "reopened"),
        ((), "reopened"),
    ):
        (row,) = decision_states([decision], now, found(), read(), some).to_dict("records")
        assert (row["state"], row["finding_ids"]) == (state, ["n0"])
    (held,) = decision_states([made(kept)], now, found(), read(), both).to_dict("records")
    assert held["state"] == "holds"
