"""Widgets for JupyterLab: explore platforms and clauses, compare platforms, search clauses, ask questions.

With a person at the notebook, each is shown as a widget; in a headless run, and on the page exported from the notebook, as
a static twin: the figures, tables and quotes of its first state.
"""

from .asking import Ask, ClauseSearch, ask, clause_search
from .exploring import Comparison, comparison, explorer
from .panel import Explorer
from .parts import Live

__all__ = ["Ask", "ClauseSearch", "Comparison", "Explorer", "Live", "ask", "clause_search", "comparison", "explorer"]
