"""Clauses of a change: the same words are one clause, and words in common make a pair."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.topics.changes.clauses import changed_clauses, clause_pairs
from tests.topics.given import SHA, change, finding


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
    named = causing["id"]
    causes = ({"after": named, "moved": ["rating"]}, {"finding": named}, {"before": named, "moved": []})
    for cause, moved in zip(causes, (True, True, False), strict=True):
        [row] = change(added=[other, causing], cause=[cause]).to_dict("records")
        told = [(pair.sides[0].quote, pair.cause) for pair in clause_pairs(row)]
        assert dict(told) == {"Low words.": moved, "Other high words here.": False}
        assert told[0][0] == "Low words." or not moved


SAID = "We may keep and use what you upload."
Pairs = list[tuple[str, str, str, bool, tuple[str, ...]]]


@pytest.mark.parametrize(
    ("removed", "added", "pairs"),
    [([finding(SAID)], [finding(SAID[:-1] + " today.", "ads_tracking")],
      [("removed", "HIGH", "HIGH", False, ("content_license",)), ("added", "HIGH", "HIGH", False, ("ads_tracking",))]),
     ([finding("a b c d e")], [finding("a b v w x")], [("rewritten", "HIGH", "HIGH", False, ("content_license",))]),
     ([finding("a b c d e f g")], [finding("a b t u v w x")],
      [("removed", "HIGH", "HIGH", False, ("content_license",)), ("added", "HIGH", "HIGH", False, ("content_license",))]),
     ([finding("a b v w x", risk="LOW"), finding("a b c d y", risk="MED")], [finding("a b c d e")],
      [("rewritten", "MED", "HIGH", False, ("content_license",)), ("removed", "LOW", "LOW", False, ("content_license",))]),
     ([finding("Sell data.")], [finding("Sells data")], [("rewritten", "HIGH", "HIGH", False, ("content_license",))]),
     ([finding("WE MAY SELL IT ALL.")], [finding("We may sell it all.")],
      [("reread", "HIGH", "HIGH", False, ("content_license",))]),
     ([finding(SAID, risk="LOW"), finding(SAID, "ads_tracking", risk="MED")],
      [finding(SAID + " All.", risk="LOW"), finding(SAID + " All.", "ads_tracking")],
      [("rewritten", "MED", "HIGH", False, ("content_license", "ads_tracking"))]),
     ([finding("我们使用您的内容。")], [finding("我们不使用您的内容。")],
      [("rewritten", "HIGH", "HIGH", False, ("content_license",))]),
     ([finding(SAID, "human_review", risk="LOW")],
      [finding(SAID + " All.", "ads_tracking", risk="LOW"), finding(SAID + " All.", "human_review", risk="SEVERE")],
      [("rewritten", "LOW", "LOW", False, ("human_review", "ads_tracking"))]),
     ([], [finding("a", risk="LOW"), finding("b", risk="MED", polarity="mitigates_risk"),
           finding("c", risk="MED", polarity="neutral"), finding("d"),
           finding("d", "ip_liability", risk="LOW", polarity="mitigates_risk")],
      [("added", "HIGH", "HIGH", False, ("content_license", "ip_liability")), ("added", "MED", "MED", False, ("content_license",)),
       ("added", "MED", "MED", True, ("content_license",)), ("added", "LOW", "LOW", False, ("content_license",))]),
     ([finding(SAID, "human_review", risk="LOW")], [finding(SAID, "human_review"), finding("d", polarity="mitigates_risk")],
      [("added", "HIGH", "HIGH", True, ("content_license",)), ("reread", "LOW", "HIGH", False, ("human_review",))])],
)  # fmt: skip
def test_pairs_have_one_surface_in_common_and_the_weightiest_come_first(
    removed: list[dict[str, Any]], added: list[dict[str, Any]], pairs: Pairs
) -> None:
    [row] = change(removed=removed, added=added).to_dict("records")
    told = [(pair.kind, pair.risk_before, pair.risk, pair.protective, pair.surfaces) for pair in clause_pairs(row)]
    assert told == pairs


def test_a_rewritten_sentence_of_which_one_side_was_a_finding_is_kept_and_both_sides_are_verified() -> None:
    gone, came = (
        finding("You own all of it."),
        finding(SAID, id="now", lead_in={"quote": "You agree:", "start": -60, "end": 2}),
    )
    sentences = {"surface": "content_license", "before": "You own all of it.", "after": "You own some of it."}
    material = change(removed=[gone, finding(SAID + " Ever.", id="then")], added=[came], altered=[sentences])
    pairs = {pair.kind: pair for pair in clause_pairs(material.to_dict("records")[0])}
    assert set(pairs) == {"removed", "rewritten"}
    after = pairs["rewritten"].after
    assert after is not None
    assert (after.lead_in, after.provenance["slug"]) == ("You agree: ", "aurelia-chat")
    assert after.provenance["lead_in"] == "You agree:"
    far = change(added=[finding(SAID, lead_in={"quote": "You agree:", "start": -60, "end": -50})])
    (pair,) = clause_pairs(far.to_dict("records")[0])
    assert pair.after is not None and pair.after.lead_in == "You agree: […] "
    checked = changed_clauses(material).sort_values("finding_id")
    assert checked["finding_id"].tolist() == [gone["id"], "now", "then"]
    assert checked[["slug", "snapshot_sha256", "start", "end"]].values.tolist() == [["aurelia-chat", SHA, 3, 9]] * 3


def test_a_clause_added_on_one_surface_and_rewritten_on_another_is_one_rewritten_clause() -> None:
    sentences = {"surface": "ads_tracking", "before": "No adverts.", "after": SAID}
    material = change(
        removed=[finding(SAID + " Ever.")], added=[finding(SAID, "ads_tracking"), finding(SAID)], altered=[sentences]
    )
    (pair,) = clause_pairs(material.to_dict("records")[0])
    assert (pair.kind, pair.surfaces) == ("rewritten", ("content_license", "ads_tracking"))
    assert [side.quote for side in pair.sides] == [SAID + " Ever.", SAID]


def test_a_clause_that_is_the_cause_comes_first_also_if_it_did_not_move_anything() -> None:
    low = finding("Low words.", risk="LOW")
    added = [finding("Other high words here.", "ads_tracking"), low]
    (row,) = change(added=added, cause=[{"before": low["id"], "moved": []}]).to_dict("records")
    pairs = clause_pairs(row)
    assert [pair.after.quote for pair in pairs if pair.after] == ["Low words.", "Other high words here."]
