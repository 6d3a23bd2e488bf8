"""Clauses of a change: the same words are one clause, and words in common make a pair."""

from __future__ import annotations

from riskanalytics.topics.changes.clauses import clause_pairs
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
    told = {(pair.kind, pair.risk_before, pair.risk, (pair.after or {}).get("quote")) for pair in clause_pairs(row)}
    assert told == {
        ("rewritten", "LOW", "HIGH", came[0]),
        ("added", "HIGH", "HIGH", came[1]),
        ("reread", "LOW", "HIGH", came[2]),
    }
