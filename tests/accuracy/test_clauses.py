"""Findings beside labels, by hand: what counts as right, found, sure, and worth reading."""

from __future__ import annotations

import pytest

from riskanalytics.accuracy.clauses import JudgedDocument, figures, overlaps, score_clauses
from riskanalytics.accuracy.labels import WholeDocument, WholeLabel
from riskanalytics.extraction import ClauseFinding


def finding(start: int, risk: str = "HIGH", rule: str = "training_use.a", confidence: float = 0.9) -> ClauseFinding:
    words = "x" * 10
    return ClauseFinding("training_use", start, start + 10, words, risk, "raises_risk", rule, confidence, (0.0, 1.0))


def label(start: int, *risks: str, sure: bool = True, surface: str = "training_use") -> WholeLabel:
    first, second = (*risks, *(None, None))[:2]
    confidence = "high" if sure else "low"
    return WholeLabel(start, start + 10, surface, first or "HIGH", "raises_risk", confidence, None, second, None, "")


def judged(
    family: str, labels: list[WholeLabel], findings: list[ClauseFinding], leads: list[ClauseFinding] | None = None
) -> JudgedDocument:
    document = WholeDocument(platform=family, sha256="0" * 64, readers=1, clauses=9, labels=())
    return JudgedDocument(document, "x" * 999, tuple(labels), tuple(findings), tuple(leads or ()))


def shares(*documents: JudgedDocument, group: str = "all") -> dict[str, tuple[int, int]]:
    result = score_clauses(documents)[group].shares
    return {name: (share.part, share.whole) for name, share in result.items()}


def test_a_finding_shown_as_high_is_right_only_where_the_label_is_high() -> None:
    document = judged("ash", [label(0), label(100, "MED")], [finding(0), finding(100), finding(200)])
    assert shares(document)["high"] == (1, 3)
    assert shares(document)["precision"] == (2, 3)
    assert shares(document)["level"] == (1, 2)


def test_the_polarity_of_either_reader_is_right() -> None:
    other = label(0)._replace(polarity="neutral", polarity_other="raises_risk")
    wrong = label(100)._replace(polarity="neutral")
    assert shares(judged("ash", [other, wrong], [finding(0), finding(100)]))["polarity"] == (1, 2)


def test_a_label_on_another_surface_confirms_nothing() -> None:
    document = judged("ash", [label(0, surface="human_review")], [finding(0)])
    assert shares(document)["precision"] == (0, 1)
    assert shares(document)["recall"] == (0, 1)


def test_a_finding_over_two_labels_is_judged_by_the_label_with_the_larger_overlap() -> None:
    wide = ClauseFinding("training_use", 2, 30, "x" * 28, "LOW", "raises_risk", "training_use.a", 0.9, (0.0, 1.0))
    document = judged("ash", [label(0, "HIGH"), label(20, "LOW")], [wide])
    assert shares(document)["level"] == (1, 1)
    assert shares(document)["recall"] == (2, 2)


def test_decisions_of_rules_and_of_the_model_are_counted_separately() -> None:
    document = judged("ash", [label(0), label(100)], [finding(0), finding(100, rule="training_use.learned.high")])
    assert shares(document, group="hand_written")["recall"] == (1, 2)
    assert shares(document, group="learned")["precision"] == (1, 1)
    assert shares(document)["recall"] == (2, 2)


def test_missed_clauses_may_be_among_the_leads_and_found_clauses_are_not_counted_there() -> None:
    document = judged("ash", [label(0), label(100), label(200)], [finding(0)], [finding(0), finding(100)])
    assert shares(document)["leads"] == (1, 2)
    assert shares(document)["precision"] == (1, 1)
    other = label(300, surface="human_review")
    both = judged("ash", [label(0), label(100), other], [finding(0)], [finding(100)])
    assert [shares(both, group=name)["leads"] for name in ("training_use", "human_review", "all")] == [
        (1, 1),
        (0, 1),
        (1, 2),
    ]


def test_the_calibration_error_is_the_gap_between_stated_and_right_weighed_by_findings() -> None:
    result = figures(
        [
            judged("ash", [label(0)], [finding(0, confidence=0.95), finding(100, confidence=0.95)]),
            judged("elm", [], [finding(0, confidence=0.2), finding(100, confidence=1.0)]),
        ]
    )
    assert [(one.low, one.right.part, one.right.whole) for one in result.bins if one.stated is not None] == [
        (0.2, 0, 1), (0.9, 1, 3),
    ]  # fmt: skip
    assert result.error == pytest.approx((0.2 + abs(0.95 + 0.95 + 1.0 - 1)) / 4)
    assert (result.shares["sure"].part, result.shares["sure"].whole) == (1, 3)
    assert figures([]).error is None
    assert result.bins[2].right.counts == {"ash": (0, 0), "elm": (0, 1)}  # each family, also without a finding there
    modest = judged("ash", [label(0), label(100)], [finding(0, confidence=0.2), finding(200, confidence=0.9)])
    assert figures([modest]).error == pytest.approx(
        (0.8 + 0.9) / 2
    )  # too low and too high do not make up for each other


def test_spans_hit_by_half_of_the_shorter() -> None:
    span = label(10)
    assert overlaps(15, 100, span)
    assert not overlaps(16, 100, span)
    assert overlaps(0, 100, span)
    assert not overlaps(20, 30, span)
