"""Pieces of a report: frame in, `Block` out. Semantic HTML, everything from data escaped."""

from riskanalytics.reporting.blocks.changes import changed_platforms, rating_moves
from riskanalytics.reporting.blocks.clauses import changed_clauses
from riskanalytics.reporting.blocks.dossier import (
    clauses,
    conflicts,
    documents,
    platform_changes,
    platform_moves,
    quiet_surfaces,
)
from riskanalytics.reporting.blocks.evidence import evidence, snapshots
from riskanalytics.reporting.blocks.explained import (
    fault_gallery,
    limits,
    noise_told,
    rating_formula,
    rating_made,
    surfaces,
)
from riskanalytics.reporting.blocks.front import digest_of, headline, levels, method, reproduction, scope
from riskanalytics.reporting.blocks.matrix import risk_matrix
from riskanalytics.reporting.blocks.measured import accuracy_told
from riskanalytics.reporting.blocks.one_surface import side_by_side, surface_clauses, surface_platforms
from riskanalytics.reporting.blocks.stances import stance_moves, stance_table, training_clauses
from riskanalytics.reporting.blocks.tables import freshness, training_use

__all__ = [
    "accuracy_told",
    "changed_clauses",
    "changed_platforms",
    "clauses",
    "conflicts",
    "digest_of",
    "documents",
    "evidence",
    "fault_gallery",
    "freshness",
    "headline",
    "levels",
    "limits",
    "method",
    "noise_told",
    "platform_changes",
    "platform_moves",
    "quiet_surfaces",
    "rating_formula",
    "rating_made",
    "rating_moves",
    "reproduction",
    "risk_matrix",
    "scope",
    "side_by_side",
    "snapshots",
    "stance_moves",
    "stance_table",
    "surface_clauses",
    "surface_platforms",
    "surfaces",
    "training_clauses",
    "training_use",
]
