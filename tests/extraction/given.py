"""Make findings, documents and comparisons directly, for tests that need no reading."""

from __future__ import annotations

from typing import Any

from riskanalytics.extraction import ClauseFinding, Comparison, DocumentReading, Reading, Walk

FILLER = "This policy tells how our service handles personal data under these terms. You have rights. " * 4
BASE = f"{FILLER}\n\nWe keep conversations for 30 days. We do not sell personal data.\n\nContact us at any time."
TRAIN = "We use your conversations to train our models."
NO_TRAIN = "We do not use your conversations to train our models."
PROMISE = {"surface": "sensitive_data", "risk": "LOW", "polarity": "mitigates_risk"}
LEVELS = {"HIGH": "raises_risk", "MED": "raises_risk", "LOW": "mitigates_risk"}


def finding(rule: str, quote: str, risk: str, start: int = 0, **more: Any) -> ClauseFinding:
    """Return a finding of a rule."""
    surface = rule.partition(".")[0]
    return ClauseFinding(
        surface, start, start + len(quote), quote, risk, LEVELS[risk], rule, 0.95, (0.9, 0.98), **more
    )  # fmt: skip


def document(number: int, *findings: ClauseFinding) -> DocumentReading:
    """Return a document with these findings."""
    return DocumentReading(
        f"Document {number}", f"{number:064x}", "2026-01-01T00:00:00+00:00", Reading(findings, "en", len(findings))
    )  # fmt: skip


def stated(text: str, quote: str, **values: Any) -> ClauseFinding:
    """Return a finding at the place of its quote, with the given values."""
    start = text.index(quote)
    given = {"surface": "sensitive_data", "risk": "HIGH", "polarity": "raises_risk", "rule": "made.by_hand"} | values
    return ClauseFinding(
        start=start, end=start + len(quote), quote=quote, confidence=0.9, confidence_interval=(0.8, 1.0), **given
    )


def compare(before: str, after: str, earlier: str = "", readings: tuple[Reading, Reading] | None = None) -> Comparison:
    """Compare two texts of a document, given what the package finds in them and an earlier text."""
    walk, (first, second) = Walk(), readings or (None, None)
    if earlier:
        walk.step("2026-01-01", "1", earlier)
    walk.step("2026-01-02", "2", before, first)
    taken = walk.step("2026-01-03", "3", after, second)
    return taken.comparison or Comparison("capture_failure")


def compared(before: str, after: str, *sides: dict[str, dict[str, Any]]) -> Comparison:
    """Compare two texts, given the findings of the earlier and of the later text by their quotes."""
    first, second = (
        Reading(tuple(stated(text, quote, **values) for quote, values in side.items()))
        for text, side in zip((before, after), sides, strict=True)
    )
    return compare(before, after, readings=(first, second))
