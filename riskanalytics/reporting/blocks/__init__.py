"""Pieces of a report: frame in, `Block` out. Semantic HTML, everything from data escaped."""

from riskanalytics.reporting.blocks.changes import changed_platforms, rating_moves
from riskanalytics.reporting.blocks.evidence import evidence
from riskanalytics.reporting.blocks.front import headline, method, scope
from riskanalytics.reporting.blocks.matrix import risk_matrix
from riskanalytics.reporting.blocks.tables import freshness, training_use

__all__ = [
    "changed_platforms",
    "evidence",
    "freshness",
    "headline",
    "method",
    "rating_moves",
    "risk_matrix",
    "scope",
    "training_use",
]
