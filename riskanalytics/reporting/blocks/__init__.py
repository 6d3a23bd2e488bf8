"""Pieces of a report: frame in, `Block` out. Semantic HTML, everything from data escaped."""

from riskanalytics.reporting.blocks.changes import changed_platforms, rating_moves
from riskanalytics.reporting.blocks.clauses import changed_clauses
from riskanalytics.reporting.blocks.comparison import (
    compared_platforms,
    compared_surfaces,
    comparison,
    comparison_changes,
    comparison_shown,
)
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
from riskanalytics.reporting.blocks.leads import leads_by_platform, worth_reading
from riskanalytics.reporting.blocks.matrix import risk_matrix
from riskanalytics.reporting.blocks.measured import accuracy_told
from riskanalytics.reporting.blocks.one_surface import side_by_side, surface_clauses, surface_platforms
from riskanalytics.reporting.blocks.stances import stance_moves, stance_table, training_clauses
from riskanalytics.reporting.blocks.tables import freshness, training_use
from riskanalytics.reporting.blocks.trust import contract_drift, extraction_told, integrity, unsure_findings
from riskanalytics.reporting.blocks.upkeep import (
    broken_captures,
    course_not_known,
    not_policies,
    quiet_surfaces_by_name,
    unchanged_documents,
    unverified_platforms,
)

__all__ = [
    "accuracy_told",
    "broken_captures",
    "changed_clauses",
    "changed_platforms",
    "clauses",
    "compared_platforms",
    "compared_surfaces",
    "comparison",
    "comparison_changes",
    "comparison_shown",
    "conflicts",
    "contract_drift",
    "course_not_known",
    "digest_of",
    "documents",
    "evidence",
    "extraction_told",
    "fault_gallery",
    "freshness",
    "headline",
    "integrity",
    "leads_by_platform",
    "levels",
    "limits",
    "method",
    "noise_told",
    "not_policies",
    "platform_changes",
    "platform_moves",
    "quiet_surfaces",
    "quiet_surfaces_by_name",
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
    "unchanged_documents",
    "unsure_findings",
    "unverified_platforms",
    "worth_reading",
]
