"""Figures as measured, and the interval of a share."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import accuracy
from riskanalytics.extraction.deciding import wilson
from riskanalytics.extraction.learned import load_reader


def test_wilson_of_known_proportions() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)  # Wilson 1927; Newcombe 1998, table I
    assert wilson(0, 10) == pytest.approx((0.0, 0.278), abs=0.001)


def test_the_recorded_figures_are_of_whole_documents_and_the_older_ones_are_marked() -> None:
    figures = accuracy()
    told = figures["calibrate"]
    measured = load_reader().surfaces
    assert set(told["groups"]) == {"all", "hand_written", "learned", *measured}
    whole = told["groups"]["all"]
    for measure in ("precision", "recall", "high", "level", "polarity", "sure"):
        assert whole[measure]["low"] <= whole[measure]["value"] <= whole[measure]["high"]
    assert whole["precision"]["whole"] == sum(told["groups"][name]["precision"]["whole"] for name in measured)
    assert set(told["reliability"]) == {"all", "hand_written", "learned"}
    assert "somebody had judged" in figures["withdrawn"]["why"]
