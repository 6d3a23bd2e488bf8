"""Clauses of a change: the same words are one clause, and words in common make a pair."""

from __future__ import annotations

from riskanalytics.topics.changes.clauses import changed_clauses, clause_pairs
from tests.topics.given import change, finding


def test_the_same_words_on_two_surfaces_are_one_clause() -> None:
    words = "We may keep and use what you upload."
    [row] = change(added=[finding(words), finding(words, "data_retention")]).to_dict("records")
    [pair] = clause_pairs(row)
    assert pair.surfaces == ("content_license", "data_retention")


def test_clauses_are_paired_by_their_words_not_by_their_place() -> None:
    gone = ["We never sell your files to anyone at all.", "Nobody looks at your uploads without asking you first."]
    came = ["Nobody looks at your uploads without telling you first.", "Your files serve our adverts.", gone[0]]
    [row] = change(
        removed=[finding(words, risk="LOW") for words in gone], added=[finding(words) for words in came]
    ).to_dict("records")
    result = {(pair.kind, pair.risk_before, pair.risk, pair.sides[-1].quote) for pair in clause_pairs(row)}
    assert result == {
        ("rewritten", "LOW", "HIGH", came[0]),
        ("added", "HIGH", "HIGH", came[1]),
        ("reread", "LOW", "HIGH", came[2]),
    }


def test_a_removed_and_an_added_clause_without_shared_words_are_not_a_pair() -> None:
    [row] = change(
        removed=[finding("We never sell your files.")], added=[finding("Outputs belong to whoever asked.")]
    ).to_dict("records")
    assert sorted(pair.kind for pair in clause_pairs(row)) == ["added", "removed"]


def test_a_service_that_reports_less_is_read_as_far_as_possible() -> None:
    rows = [{"quote": "We may share what you type."}, "no record", {"id": "f2", "quote": None, "provenance": "none"}]
    material = change(added=rows)
    result = [(pair.kind, pair.risk, pair.sides[0].quote) for pair in clause_pairs(material.to_dict("records")[0])]
    assert result == [("added", "", "We may share what you type."), ("added", "", "")]
    named = changed_clauses(material)
    assert named["finding_id"].tolist() == ["f2"]
    assert named[["captured_at", "start", "snapshot_sha256"]].isna().all(axis=None)


def test_the_changes_that_moved_the_platform_come_first_at_any_level() -> None:
    causing, other = finding("Low words.", risk="LOW"), finding("Other high words here.", "ads_tracking")
    [row] = change(added=[other, causing], cause=[{"after": causing["id"], "moved": ["rating"]}]).to_dict("records")
    assert [(pair.cause, pair.sides[0].quote) for pair in clause_pairs(row)] == [
        (True, "Low words."),
        (False, "Other high words here."),
    ]
