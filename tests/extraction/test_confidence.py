"""The measured figures of accuracy."""

from __future__ import annotations

from riskanalytics.extraction import accuracy
from riskanalytics.extraction.learned import load_reader


def test_figures_are_measured_on_whole_documents_and_older_ones_are_marked_withdrawn() -> None:
    figures = accuracy()
    result = figures["calibrate"]
    measured = load_reader().surfaces
    assert set(result["groups"]) == {"all", "hand_written", "learned", *measured}
    whole = result["groups"]["all"]
    for measure in ("precision", "recall", "high", "level", "polarity", "sure"):
        assert whole[measure]["low"] <= whole[measure]["value"] <= whole[measure]["high"]
    assert whole["precision"]["whole"] == sum(result["groups"][name]["precision"]["whole"] for name in measured)
    assert set(result["reliability"]) == {"all", "hand_written", "learned"}
    assert "somebody had judged" in figures["withdrawn"]["why"]
