"""The sections that pages are made of: each function takes frames and returns a `Section`.

A notebook shows a section if it is the last value of a cell.
"""

from riskanalytics.topics.appetite.section import *  # noqa: F403
from riskanalytics.topics.changes.section import *  # noqa: F403
from riskanalytics.topics.comparison.section import *  # noqa: F403
from riskanalytics.topics.coverage.section import *  # noqa: F403
from riskanalytics.topics.dates.section import *  # noqa: F403
from riskanalytics.topics.decisions.section import *  # noqa: F403
from riskanalytics.topics.dossier.section import *  # noqa: F403
from riskanalytics.topics.method.section import *  # noqa: F403
from riskanalytics.topics.portfolio.section import *  # noqa: F403
from riskanalytics.topics.quotes import *  # noqa: F403
from riskanalytics.topics.ratings.section import *  # noqa: F403
from riskanalytics.topics.training_use.section import *  # noqa: F403

__all__ = [name for name in sorted(vars()) if not name.startswith("_") and name != "annotations"]
