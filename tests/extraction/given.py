"""Findings and documents by hand, for what is made of findings."""

from __future__ import annotations

from typing import Any

from riskanalytics.extraction import ClauseFinding, DocumentReading, Reading

LEVELS = {"HIGH": "raises_risk", "MED": "raises_risk", "LOW": "mitigates_risk"}


def finding(rule: str, quote: str, risk: str, start: int = 0, **more: Any) -> ClauseFinding:
    """A clause that a rule takes."""
    surface = rule.partition(".")[0]
    return ClauseFinding(
        surface, start, start + len(quote), quote, risk, LEVELS[risk], rule, 0.95, (0.9, 0.98), **more
    )  # fmt: skip


def document(number: int, *findings: ClauseFinding) -> DocumentReading:
    """A document with these findings."""
    return DocumentReading(
        f"Document {number}", f"{number:064x}", "2026-01-01T00:00:00+00:00", Reading(findings, "en", len(findings))
    )  # fmt: skip
