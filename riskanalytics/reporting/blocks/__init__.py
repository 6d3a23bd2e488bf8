"""Pieces of a report: frame in, `Block` out. Semantic HTML, everything from data escaped."""

from riskanalytics.reporting.blocks.changes import changed_platforms, rating_moves
from riskanalytics.reporting.blocks.clauses import changed_clauses
from riskanalytics.reporting.blocks.evidence import evidence, snapshots
from riskanalytics.reporting.blocks.front import digest_of, headline, method, scope
from riskanalytics.reporting.blocks.matrix import risk_matrix
from riskanalytics.reporting.blocks.tables import freshness, training_use

__all__ = [
    "changed_clauses",
    "changed_platforms",
    "digest_of",
    "evidence",
    "freshness",
    "headline",
    "method",
    "rating_moves",
    "risk_matrix",
    "scope",
    "snapshots",
    "training_use",
]
