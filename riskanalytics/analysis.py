"""Analyses of all topics: pure functions, frame in, frame out, and sentences made from frames.

None changes its input, fetches or draws. Columns and dtypes of a result depend on the function only, never on
the rows, and stand in its docstring. What is not known stays apart: it is never counted as LOW.
`riskanalytics.charts` has a chart of the same name for most of them.
"""

from __future__ import annotations

from riskanalytics.topics.changes.analysis import *  # noqa: F403
from riskanalytics.topics.changes.clauses import *  # noqa: F403
from riskanalytics.topics.changes.moves import *  # noqa: F403
from riskanalytics.topics.changes.periods import *  # noqa: F403
from riskanalytics.topics.comparison.analysis import *  # noqa: F403
from riskanalytics.topics.comparison.changes import *  # noqa: F403
from riskanalytics.topics.comparison.words import *  # noqa: F403
from riskanalytics.topics.coverage.analysis import *  # noqa: F403
from riskanalytics.topics.coverage.contract import *  # noqa: F403
from riskanalytics.topics.coverage.documents import *  # noqa: F403
from riskanalytics.topics.coverage.findings import *  # noqa: F403
from riskanalytics.topics.coverage.words import *  # noqa: F403
from riskanalytics.topics.dossier.analysis import *  # noqa: F403
from riskanalytics.topics.dossier.words import *  # noqa: F403
from riskanalytics.topics.matrix.analysis import *  # noqa: F403
from riskanalytics.topics.matrix.surface import *  # noqa: F403
from riskanalytics.topics.matrix.words import *  # noqa: F403
from riskanalytics.topics.method.analysis import *  # noqa: F403
from riskanalytics.topics.method.words import *  # noqa: F403
from riskanalytics.topics.monthly.portfolio import *  # noqa: F403
from riskanalytics.topics.monthly.words import *  # noqa: F403
from riskanalytics.topics.ratings.analysis import *  # noqa: F403
from riskanalytics.topics.ratings.formula import *  # noqa: F403
from riskanalytics.topics.shares import *  # noqa: F403
from riskanalytics.topics.training_use.analysis import *  # noqa: F403
from riskanalytics.topics.training_use.history import *  # noqa: F403
from riskanalytics.topics.training_use.words import *  # noqa: F403

__all__ = [name for name in sorted(vars()) if not name.startswith("_") and name != "annotations"]
