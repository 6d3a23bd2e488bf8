"""The explorer of platforms, levels and clauses, and some platforms beside each other on one surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import ipywidgets
import pandas as pd

from riskanalytics.dataset import Dataset
from riskanalytics.dataset.scope import slugs_of
from riskanalytics.pages.section import Section
from riskanalytics.surfaces import SURFACES, surface_name
from riskanalytics.topics.ratings import section
from riskanalytics.topics.ratings.surface import surface_clauses, surface_matrix

from .panel import Explorer
from .parts import Live, Source, choice, growing, loaded, note, plain, root, row, unchecked

MOST: Final = 8
"""Platforms compared at most."""
_EACH: Final = 3
"""Clauses shown of one platform; how many more it has is said."""
_PURPOSE: Final = f"Choose two to {MOST} platforms (Ctrl and a click adds one) and read what each says on one surface."


class ComparisonPanel:
    """The controls of `Comparison`.

    Parameters
    ----------
    compared : Comparison
    """

    def __init__(self, compared: Comparison) -> None:
        self._compared = compared
        matrix, first = compared.matrix, compared.slugs
        heads = matrix.drop_duplicates("slug").set_index("slug")["name"].items()
        named = [(f"{plain(name, 40)} ({plain(slug, 40)})", slug) for slug, name in heads]
        named.sort(key=lambda option: (option[1] not in first, option[0].casefold()))
        surfaces = [(plain(surface_name(one), 40), one) for one in dict.fromkeys((*SURFACES, *matrix["surface"]))]
        chosen = ipywidgets.SelectMultiple(options=named, value=first, description="Platforms", rows=6)
        self.platforms = growing(chosen)
        self.surface = choice("Surface", surfaces, compared.surface)
        self.sides = ipywidgets.HTML()
        for control in (self.platforms, self.surface):
            control.observe(self.show, "value")
        self.root = root("Compare", _PURPOSE, row(self.platforms, self.surface), self.sides)
        self.show()

    def show(self, *_: object) -> None:
        """Show the platforms beside each other."""
        slugs = self.platforms.value
        if not 2 <= len(slugs) <= MOST:
            self.sides.value = note(f"Choose two to {MOST} platforms.")
            return
        self.sides.value = note("Working…")
        self.sides.value = self._compared.side_by_side(slugs, self.surface.value).html


@dataclass(eq=False)
class Comparison(Live):
    """Clauses side by side; see `comparison`.

    Parameters
    ----------
    data : Dataset
    matrix : pandas.DataFrame
        As `analysis.risk_matrix` gives it.
    slugs : list of str
    surface : str
    """

    data: Dataset = field(repr=False)
    matrix: pd.DataFrame = field(repr=False)
    slugs: list[str]
    surface: str
    controls = ComparisonPanel

    def twin(self) -> Sequence[Section]:
        """Return the platforms beside each other."""
        return [self.side_by_side(self.slugs, self.surface)]

    def side_by_side(self, slugs: Sequence[str], surface: str) -> Section:
        """Return some platforms beside each other on a surface, their quotes checked if a service is at hand."""
        chosen = surface_matrix(self.matrix[self.matrix["slug"].isin(slugs)], surface)
        clauses = surface_clauses(self.data.findings, chosen, surface)
        clauses = clauses[clauses["place"] <= _EACH].reset_index(drop=True)
        checked = unchecked(clauses) if self.data.client is None else self.data.verify(clauses)
        return section.side_by_side(chosen, checked)


def comparison(data: Source = None, surface: str = "training_use", slugs: Sequence[str] = ()) -> Comparison:
    """Make a widget that compares what some platforms say on one surface, clause beside clause.

    Parameters
    ----------
    data : Dataset or Client, optional
        What `ra.load` gives; or a client, for its newest data; or nothing, for the service that the settings name. Quotes
        are checked by its service, and marked as not checked where it has none.
    surface : str
    slugs : sequence of str
        Two to eight platforms to begin with; empty: the two worst on the surface.

    Returns
    -------
    Comparison
        Last in a cell, or given to `display`.

    Raises
    ------
    ParameterError
        If there is no surface of that name, or the platforms are too few, too many or not there.

    Examples
    --------
    >>> widgets.comparison(data, "data_retention", ["alfisen-music", "orvewick-voice"])
    Comparison(slugs=['alfisen-music', 'orvewick-voice'], surface='data_retention')
    """
    dataset, matrix, chosen = loaded(data, surface)
    if slugs:
        return Comparison(dataset, matrix, slugs_of(slugs, dataset.platforms, dataset.day, least=2, most=MOST), chosen)
    found = surface_matrix(matrix, chosen).query("surface == @chosen")  # in the order of the surface
    worst = found.sort_values("state", key=lambda state: state != "found", kind="stable")["slug"]
    return Comparison(dataset, matrix, list(worst[:2]), chosen)


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
    Explorer(surface='data_retention')
    """
    dataset, matrix, chosen = loaded(data, surface)
    if clauses is None:
        clauses = unchecked(surface_clauses(dataset.findings, surface_matrix(matrix, chosen), chosen))
    return Explorer(dataset, matrix, chosen, clauses)
