"""Each family of vendors is scored with what the others justify."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskanalytics.accuracy import LabelledText, Span, as_vendor_table, leave_vendors_out, total
from riskanalytics.accuracy.vendors import count_rules
from riskanalytics.extraction import ClauseFinding


def finding(rule: str, start: int) -> ClauseFinding:
    surface = rule.partition(".")[0]
    return ClauseFinding(surface, start, start + 10, "x" * 10, "HIGH", "raises_risk", rule, 0.9, (0.8, 1.0))


def span(family: str, start: int, surface: str = "training_use") -> Span:
    return Span("", family, family, "Terms", family, start, start + 10, "x" * 10, surface, "HIGH")


def text(family: str, quotes: list[int], findings: list[ClauseFinding], negatives: list[int] = []) -> LabelledText:  # noqa: B006
    return LabelledText(
        family, family, family, "Terms", tuple(span(family, start) for start in quotes),
        tuple(span(family, start) for start in negatives), tuple(findings),
    )  # fmt: skip


SHARED, OWN = "training_use.shared", "training_use.own"
TEXTS = [
    text("ash", [0, 100], [finding(SHARED, 0), finding(OWN, 100)]),
    text("birch", [0], [finding(SHARED, 0)]),
    text("cedar", [0], [finding(SHARED, 0), finding(SHARED, 200)], negatives=[200]),
]


def test_a_rule_that_no_other_family_justifies_is_switched_off() -> None:
    left_out = leave_vendors_out(TEXTS)
    assert left_out.switched_off == {"ash": (OWN,), "birch": (), "cedar": ()}
    assert total(left_out.surfaces).recall == (3, 4)
    assert left_out.families["ash"].recall == (1, 2)


def test_a_rule_that_took_clauses_of_others_only_wrongly_is_switched_off() -> None:
    wrong = text("dogwood", [], [finding(OWN, 0)], negatives=[0])
    assert leave_vendors_out([*TEXTS, wrong]).switched_off["ash"] == (OWN,)


def test_families_are_pooled_with_every_judged_finding_of_the_rules_that_count() -> None:
    left_out = leave_vendors_out(TEXTS)
    assert left_out.surfaces["training_use"].precision == (3, 4)
    assert [prediction.right for prediction in left_out.predictions] == [True, True, True, False]
    assert left_out.share_right == 0.75


def test_the_confidence_is_the_one_that_the_other_families_give() -> None:
    without_error = leave_vendors_out([*TEXTS[:2], replace(TEXTS[2], negatives=(), findings=TEXTS[2].findings[:1])])
    of_ash, of_cedar = leave_vendors_out(TEXTS).predictions[0], leave_vendors_out(TEXTS).predictions[2]
    assert of_ash.confidence < of_cedar.confidence
    assert of_ash.confidence < without_error.predictions[0].confidence


def test_the_brier_score_is_the_mean_squared_distance() -> None:
    left_out = leave_vendors_out(TEXTS)
    squares = [(prediction.confidence - prediction.right) ** 2 for prediction in left_out.predictions]
    assert left_out.brier == pytest.approx(sum(squares) / 4)


def test_one_family_alone_justifies_nothing() -> None:
    left_out = leave_vendors_out(TEXTS[:1])
    assert total(left_out.surfaces).recall == (0, 2)
    assert left_out.predictions == ()
    assert (left_out.mean_confidence, left_out.share_right, left_out.brier) == (None, None, None)
    assert leave_vendors_out([]).families == {}


def test_rules_are_counted_by_what_was_judged() -> None:
    assert count_rules(TEXTS) == {OWN: (1, 1), SHARED: (3, 4)}


def test_the_table_fits_120_columns_whatever_a_family_is_called() -> None:
    long = replace(TEXTS[0], family="a very long name of a family " * 9)
    lines = as_vendor_table(leave_vendors_out([long, *TEXTS[1:]]))
    assert max(map(len, lines)) <= 120
    assert lines[-1].startswith("confidence, as the other vendors' clauses give it: mean 0.")
