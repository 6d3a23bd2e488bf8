"""Charts of all topics: each takes the frame that the analysis of the same name returned and gives a `Chart`.

A `Chart` holds the plotly figure, what it shows in words, and the numbers behind it; last in a cell it is shown. None
computes, fetches or saves. Words that come from data are escaped.
"""

from riskanalytics.topics.changes.chart import *  # noqa: F403
from riskanalytics.topics.comparison.chart import *  # noqa: F403
from riskanalytics.topics.coverage.chart import *  # noqa: F403
from riskanalytics.topics.dossier.chart import *  # noqa: F403
from riskanalytics.topics.method.chart import *  # noqa: F403
from riskanalytics.topics.ratings.chart import *  # noqa: F403
from riskanalytics.topics.training_use.chart import *  # noqa: F403

__all__ = [name for name in sorted(vars()) if not name.startswith("_") and name != "annotations"]
