"""Widgets for JupyterLab: explore platforms and clauses, compare platforms, search clauses, ask questions.

If a person runs the notebook, the widgets are interactive. In a headless run, and on a page exported from the notebook, a
static copy takes the place of each widget: the charts, tables and quotes that the widget shows at first.
"""

from .asking import Ask, ClauseSearch, ask, clause_search
from .exploring import Comparison, comparison, explorer
from .panel import Explorer
from .parts import Live

__all__ = ["Ask", "ClauseSearch", "Comparison", "Explorer", "Live", "ask", "clause_search", "comparison", "explorer"]
