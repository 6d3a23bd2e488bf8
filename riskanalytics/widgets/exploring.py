"""The explorer: platforms by surfaces, each level a way to its clauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pandas as pd

from riskanalytics.dataset import Dataset
from riskanalytics.pages.charting.chart import Chart
from riskanalytics.pages.section import Section
from riskanalytics.topics.matrix import chart, section
from riskanalytics.topics.matrix.surface import surface_clauses, surface_matrix
from riskanalytics.topics.quotes import snapshots
from riskanalytics.widgets.panel import ExplorerPanel
from riskanalytics.widgets.twin import Live, Source, loaded, unchecked

_WORST: Final = 40


class Explorer(Live):
    """Platforms, levels and clauses, searched and filtered together; see `explorer`.

    Parameters
    ----------
    data : Dataset
    matrix : pandas.DataFrame
        As `analysis.risk_matrix` gives it.
    surface : str
    clauses : pandas.DataFrame
        What the twin quotes: as `analysis.surface_clauses` gives it, checked again.
    """

    def __init__(self, data: Dataset, matrix: pd.DataFrame, surface: str, clauses: pd.DataFrame) -> None:
        self.data, self.matrix = data, matrix
        self.surface = surface
        self.clauses = clauses

    def __repr__(self) -> str:
        return f"<Explorer of {self.matrix['slug'].nunique():,} platforms, {self.surface}>"

    def twin(self) -> Sequence[Section | Chart]:
        """Return the heatmap of the worst, all platforms on the surface as a table, and the clauses with their texts."""
        matrix = surface_matrix(self.matrix, self.surface)
        return [
            chart.surface_matrix(matrix, most=_WORST),
            section.surface_platforms(matrix, self.clauses),
            section.surface_clauses(matrix, self.clauses),
            snapshots(self.clauses),
        ]

    def _made(self) -> ExplorerPanel:
        return ExplorerPanel(self.data, self.matrix, self.surface)


def explorer(data: Source = None, surface: str = "training_use", *, clauses: pd.DataFrame | None = None) -> Explorer:
    """Make a widget to explore platforms, their levels and the clauses behind them.

    Parameters
    ----------
    data : Dataset or Client, optional
        What `ra.load` gives; or a client, for its newest data; or nothing, for the service that the settings name. Its
        service gives the snapshots to read a quote in its paragraph and to check it; where it has none, neither is
        possible, and the widget says so.
    surface : str
        By which platforms are ordered at the beginning.
    clauses : pandas.DataFrame, optional
        What a page quotes: as `analysis.surface_clauses` gives it, checked again. Where it is not given, a page says of
        its quotes that they were not checked.

    Returns
    -------
    Explorer
        Last in a cell, or given to `display`.

    Raises
    ------
    ParameterError
        If there is no surface of that name.

    Examples
    --------
    >>> widgets.explorer(data, "data_retention")
    <Explorer of 320 platforms, data_retention>
    """
    dataset, matrix, chosen = loaded(data, surface)
    if clauses is None:
        clauses = unchecked(surface_clauses(dataset.findings, surface_matrix(matrix, chosen), chosen))
    return Explorer(dataset, matrix, chosen, clauses)
