"""The analyses: pure functions that take frames, such as findings, and return frames, or sentences made from frames.

No analysis changes its input, fetches data or draws. Columns and dtypes of a result depend on the function only, never
on the rows, and are listed in its docstring. What is not known is kept separate and never counted as LOW.
`riskanalytics.charts` has a chart with the same name for most analyses.
"""

from riskanalytics.topics.alerts import *  # noqa: F403
from riskanalytics.topics.appetite import *  # noqa: F403
from riskanalytics.topics.appetite.formats import *  # noqa: F403
from riskanalytics.topics.changes import *  # noqa: F403
from riskanalytics.topics.changes.clauses import *  # noqa: F403
from riskanalytics.topics.comparison import *  # noqa: F403
from riskanalytics.topics.comparison.words import *  # noqa: F403
from riskanalytics.topics.coverage import *  # noqa: F403
from riskanalytics.topics.coverage.documents import *  # noqa: F403
from riskanalytics.topics.dates import *  # noqa: F403
from riskanalytics.topics.decisions import *  # noqa: F403
from riskanalytics.topics.dossier import *  # noqa: F403
from riskanalytics.topics.method import *  # noqa: F403
from riskanalytics.topics.monthly import *  # noqa: F403
from riskanalytics.topics.portfolio import *  # noqa: F403
from riskanalytics.topics.portfolio.names import *  # noqa: F403
from riskanalytics.topics.ratings import *  # noqa: F403
from riskanalytics.topics.ratings.matrix import *  # noqa: F403
from riskanalytics.topics.ratings.surface import *  # noqa: F403
from riskanalytics.topics.shape import *  # noqa: F403
from riskanalytics.topics.training_use import *  # noqa: F403
from riskanalytics.topics.training_use.history import *  # noqa: F403

__all__ = [name for name in sorted(vars()) if not name.startswith("_") and name != "annotations"]
