"""The confidence of a rule: its measured precision, leaning on its surface where it was seldom judged."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import accuracy
from riskanalytics.extraction.confidence import confidence_of, shrunk, wilson
from riskanalytics.models import SURFACES

COUNTS = {"ads_tracking.a": (90, 100), "ads_tracking.b": (0, 1), "human_review.a": (10, 20)}


def test_a_rule_never_judged_is_as_sure_as_its_surface() -> None:
    confidence, (low, high) = shrunk("ads_tracking.never", COUNTS)
    over_all = 100.5 / 122
    assert confidence == pytest.approx((90 + 5 * over_all + 0.5) / 107, abs=0.001)
    assert low < 0.5 < confidence < high


def test_one_judged_clause_moves_a_rule_little_and_many_much() -> None:
    assert shrunk("ads_tracking.b", COUNTS)[0] == pytest.approx(0.74, abs=0.01)
    assert shrunk("ads_tracking.a", COUNTS)[0] == pytest.approx(0.9, abs=0.01)


def test_a_surface_never_judged_leans_on_all_rules() -> None:
    assert shrunk("terms_changes.a", COUNTS)[0] == pytest.approx((5 * 100.5 / 122 + 0.5) / 6, abs=0.001)
    assert shrunk("terms_changes.a", {})[0] == 0.5


def test_the_interval_narrows_with_what_was_judged() -> None:
    wide, narrow = shrunk("ads_tracking.b", COUNTS)[1], shrunk("ads_tracking.a", COUNTS)[1]
    assert narrow[1] - narrow[0] < wide[1] - wide[0]


def test_no_rule_is_sure_of_itself() -> None:
    confidence, (low, high) = confidence_of("training_use.not_used")
    assert 0 < low < confidence < high <= 1
    assert confidence < 1


def test_wilson_of_known_proportions() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)  # Wilson 1927; Newcombe 1998, table I
    assert wilson(0, 10) == pytest.approx((0.0, 0.278), abs=0.001)


def test_the_recorded_figures_are_of_whole_documents_and_the_older_ones_are_marked() -> None:
    figures = accuracy()
    told = figures["calibrate"]
    assert set(told["groups"]) == {"all", "hand_written", "learned", *SURFACES}
    whole = told["groups"]["all"]
    for measure in ("precision", "recall", "high", "level", "polarity", "sure"):
        assert whole[measure]["low"] <= whole[measure]["value"] <= whole[measure]["high"]
    assert whole["precision"]["whole"] == sum(told["groups"][name]["precision"]["whole"] for name in SURFACES)
    assert set(told["reliability"]) == {"all", "hand_written", "learned"}
    assert "somebody had judged" in figures["withdrawn"]["why"]
