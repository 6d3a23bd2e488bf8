"""The explorer: platforms by surfaces, each level a way to its clauses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pandas as pd

from riskanalytics import analysis, charts
from riskanalytics.client import Client
from riskanalytics.reporting import blocks
from riskanalytics.reporting.display import Block, Shown, show
from riskanalytics.sources import Evidence, read_findings
from riskanalytics.widgets.loaded import loaded
from riskanalytics.widgets.panel import ExplorerPanel, Market
from riskanalytics.widgets.twin import Live

_WORST: Final = 40


class Explorer(Live):
    """Platforms, levels and clauses, searched and filtered together; see `explorer`.

    Parameters
    ----------
    market : Market
    surface : str
    clauses : pandas.DataFrame
        What the twin quotes: as `analysis.surface_clauses` gives it, checked again.
    """

    def __init__(self, market: Market, surface: str, clauses: pd.DataFrame) -> None:
        self.market = market
        self.surface = surface
        self.clauses = clauses

    def __repr__(self) -> str:
        return f"<Explorer of {self.market.matrix['slug'].nunique():,} platforms, {self.surface}>"

    def twin(self) -> Sequence[Block | Shown]:
        """Return the heatmap of the worst, all platforms on the surface as a table, and the clauses with their texts."""
        matrix = analysis.surface_matrix(self.market.matrix, self.surface)
        worst = matrix[matrix["slug"].isin(list(dict.fromkeys(matrix["slug"]))[:_WORST])]
        words = charts.alternative("surface_matrix", worst)
        counts = analysis.level_counts(matrix)
        return [
            show(
                charts.surface_matrix(worst, of=matrix["slug"].nunique()),
                "surface_matrix",
                alternative=words,
                table=counts,
            ),
            blocks.surface_platforms(matrix, self.clauses),
            blocks.surface_clauses(matrix, self.clauses),
            blocks.snapshots(self.clauses),
        ]

    def _made(self) -> ExplorerPanel:
        return ExplorerPanel(self.market, self.surface)


def explorer(
    client: Client | None = None,
    surface: str = "training_use",
    *,
    platforms: pd.DataFrame | None = None,
    evidence: Evidence | None = None,
    clauses: pd.DataFrame | None = None,
) -> Explorer:
    """Explore platforms, their levels and the clauses behind them.

    Parameters
    ----------
    client : Client, optional
        Where the frames are loaded from, and where snapshots are fetched to read a quote in its paragraph and to check it;
        without one neither is possible, and the widget says so.
    surface : str
        By which platforms are ordered at the beginning.
    platforms : pandas.DataFrame, optional
        As `load_platforms` gives it; loaded where it is not given.
    evidence : Evidence, optional
        As `load_evidence` gives it; loaded where it is not given.
    clauses : pandas.DataFrame, optional
        What a page quotes: as `analysis.surface_clauses` gives it, checked again. Where it is not given, a page says of
        its quotes that they were not checked.

    Returns
    -------
    Explorer
        Last in a cell, or given to `display`.

    Raises
    ------
    ReportError
        If there is neither a client nor both frames.
    ParameterError
        If there is no surface of that name.
    """
    platforms, evidence, matrix, chosen = loaded("explorer", client, platforms, evidence, surface)
    if clauses is None:
        ordered = analysis.surface_matrix(matrix, chosen)
        clauses = analysis.surface_clauses(evidence.findings, ordered, chosen)
        clauses["verification_status"] = pd.Series(pd.NA, index=clauses.index, dtype="str")
    read = None if client is None else partial(read_findings, client)
    market = Market(platforms, evidence.findings, evidence.training_use, matrix, read)
    return Explorer(market, chosen, clauses)
