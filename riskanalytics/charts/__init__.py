"""Charts: each takes the frame that the analysis of the same name returned and gives a plotly Figure.

None computes, fetches, shows or saves. Figures carry the theme's slim template; words that come from data are
escaped. `alternative(name, frame)` tells in words what a figure shows.
"""

from riskanalytics.charts.accuracy import accuracy, change_noise, reliability
from riskanalytics.charts.alternatives import alternative
from riskanalytics.charts.comparison import comparison
from riskanalytics.charts.dossier import course, peers
from riskanalytics.charts.evidence import changes_by_month, coverage, freshness
from riskanalytics.charts.matrix import level_counts, risk_matrix, surface_matrix
from riskanalytics.charts.ratings import rating_history, rating_mix, rating_transitions
from riskanalytics.charts.training import stance_history, stance_shares, training_use
from riskanalytics.charts.upkeep import coverage_history, quiet_surfaces

__all__ = [
    "accuracy",
    "alternative",
    "change_noise",
    "changes_by_month",
    "comparison",
    "course",
    "coverage",
    "coverage_history",
    "freshness",
    "level_counts",
    "peers",
    "quiet_surfaces",
    "rating_history",
    "rating_mix",
    "rating_transitions",
    "reliability",
    "risk_matrix",
    "stance_history",
    "stance_shares",
    "surface_matrix",
    "training_use",
]
