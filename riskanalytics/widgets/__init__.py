"""Widgets for JupyterLab: explore platforms and clauses, compare them, search clauses, ask.

Each shows itself as a widget where somebody can click on it, and as its static twin (figures, tables and quotes of its
first state) where nobody can: in a headless run, and on the page that is exported from the notebook.
"""

from .asking import Ask, ClauseSearch, ask, clause_search
from .exploring import Comparison, comparison, explorer
from .panel import Explorer
from .parts import Live

__all__ = ["Ask", "ClauseSearch", "Comparison", "Explorer", "Live", "ask", "clause_search", "comparison", "explorer"]
