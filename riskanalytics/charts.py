"""The charts: each function takes the frame that the analysis with the same name returns, or a data set, and returns a `Chart`.

A `Chart` contains the plotly figure, a description in words, and the numbers behind the figure. A notebook shows it if it
is the last value of a cell. No function computes, fetches or saves anything. Words that come from data are escaped.
"""

from riskanalytics.topics.changes.chart import *  # noqa: F403
from riskanalytics.topics.comparison.chart import *  # noqa: F403
from riskanalytics.topics.coverage.chart import *  # noqa: F403
from riskanalytics.topics.dossier.chart import *  # noqa: F403
from riskanalytics.topics.method.chart import *  # noqa: F403
from riskanalytics.topics.portfolio.chart import *  # noqa: F403
from riskanalytics.topics.ratings.chart import *  # noqa: F403
from riskanalytics.topics.training_use.chart import *  # noqa: F403

__all__ = [name for name in sorted(vars()) if not name.startswith("_") and name != "annotations"]
