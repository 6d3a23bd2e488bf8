"""Analyses: pure functions, frame in, frame out.

None changes its input, fetches or draws. Columns and dtypes of a result depend on the function only, never on
the rows, and stand in its docstring. What is not known stays apart: it is never counted as LOW.
`riskanalytics.charts` has a figure of the same name for most of them.
"""

from riskanalytics.analysis.accuracy import accuracy, accuracy_sentences, faults, reliability
from riskanalytics.analysis.changes import change_noise, changes_by_month, material_changes
from riskanalytics.analysis.comparison import (
    compared_platforms,
    comparison,
    comparison_changes,
    comparison_clauses,
)
from riskanalytics.analysis.comparison_words import comparison_sentences, comparison_title
from riskanalytics.analysis.contract import contract_drift
from riskanalytics.analysis.dossier import conflicts, course, peers, platform_changes, platform_moves
from riskanalytics.analysis.dossier_words import dossier_sentences, dossier_title
from riskanalytics.analysis.evidence import coverage, freshness, surface_coverage
from riskanalytics.analysis.explore import (
    Explored,
    clause_order,
    explore,
    surface_clauses,
    surface_matrix,
    surface_sentences,
    surface_title,
)
from riskanalytics.analysis.formula import rating_mean, rating_parts
from riskanalytics.analysis.matrix import level_counts, risk_matrix, worst_platforms
from riskanalytics.analysis.portfolio import PortfolioScope, portfolio_scope
from riskanalytics.analysis.ratings import rating_history, rating_mix, rating_moves
from riskanalytics.analysis.silence import quiet_platforms, quiet_surfaces
from riskanalytics.analysis.stances import (
    stance_changes,
    stance_history,
    stance_moves,
    training_clauses,
)
from riskanalytics.analysis.summary import Headline, headline, sentences, training_sentences
from riskanalytics.analysis.training import stance_shares, training_use, wilson_interval
from riskanalytics.analysis.transitions import rating_transitions
from riskanalytics.analysis.upkeep import (
    broken_captures,
    coverage_history,
    integrity,
    leads_by_platform,
    sample_findings,
    unsure_findings,
    unverified_platforms,
)
from riskanalytics.analysis.upkeep_words import coverage_sentences

__all__ = [
    "Explored",
    "Headline",
    "PortfolioScope",
    "accuracy",
    "accuracy_sentences",
    "broken_captures",
    "change_noise",
    "changes_by_month",
    "clause_order",
    "compared_platforms",
    "comparison",
    "comparison_changes",
    "comparison_clauses",
    "comparison_sentences",
    "comparison_title",
    "conflicts",
    "contract_drift",
    "course",
    "coverage",
    "coverage_history",
    "coverage_sentences",
    "dossier_sentences",
    "dossier_title",
    "explore",
    "faults",
    "freshness",
    "headline",
    "integrity",
    "leads_by_platform",
    "level_counts",
    "material_changes",
    "peers",
    "platform_changes",
    "platform_moves",
    "portfolio_scope",
    "quiet_platforms",
    "quiet_surfaces",
    "rating_history",
    "rating_mean",
    "rating_mix",
    "rating_moves",
    "rating_parts",
    "rating_transitions",
    "reliability",
    "risk_matrix",
    "sample_findings",
    "sentences",
    "stance_changes",
    "stance_history",
    "stance_moves",
    "stance_shares",
    "surface_clauses",
    "surface_coverage",
    "surface_matrix",
    "surface_sentences",
    "surface_title",
    "training_clauses",
    "training_sentences",
    "training_use",
    "unsure_findings",
    "unverified_platforms",
    "wilson_interval",
    "worst_platforms",
]
