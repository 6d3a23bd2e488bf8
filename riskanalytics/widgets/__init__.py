"""Widgets for JupyterLab: explore platforms and clauses, compare platforms, search clauses, ask questions.

If a person runs the notebook, each is a live widget. In a headless run, and on a page exported from the notebook, a static
twin shows the figures, tables and quotes of the widget's first state.
"""

from .asking import Ask, ClauseSearch, ask, clause_search
from .exploring import Comparison, comparison, explorer
from .panel import Explorer
from .parts import Live

__all__ = ["Ask", "ClauseSearch", "Comparison", "Explorer", "Live", "ask", "clause_search", "comparison", "explorer"]
