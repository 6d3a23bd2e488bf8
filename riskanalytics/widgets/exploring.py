"""Widgets to explore platforms, levels and clauses, and to compare platforms on one surface."""

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
"""Maximum number of compared platforms."""
_EACH: Final = 3
"""Maximum number of clauses shown for one platform; the number of others is stated."""
_PURPOSE: Final = f"Choose two to {MOST} platforms (Ctrl-click adds one) to compare what they say on one surface."


class ComparisonPanel:
    """The controls that `Comparison` shows: a list of platforms, a list of surfaces, and the clauses side by side.

    Parameters
    ----------
    compared : Comparison
        The widget whose controls these are.
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
        """Show the chosen platforms side by side; arguments from ipywidgets are ignored."""
        slugs = self.platforms.value
        if not 2 <= len(slugs) <= MOST:
            self.sides.value = note(f"Choose two to {MOST} platforms.")
            return
        self.sides.value = note("Working…")
        self.sides.value = self._compared.side_by_side(slugs, self.surface.value).html


@dataclass(eq=False)
class Comparison(Live):
    """The widget that `comparison` makes: clauses of some platforms side by side.

    Parameters
    ----------
    data : Dataset
        The data set that has the platforms and clauses.
    matrix : pandas.DataFrame
        Result of `analysis.risk_matrix` for the data set.
    slugs : list of str
        Slugs of the platforms to compare first.
    surface : str
        Identifier of the surface on which to compare them first.
    """

    data: Dataset = field(repr=False)
    matrix: pd.DataFrame = field(repr=False)
    slugs: list[str]
    surface: str
    controls = ComparisonPanel

    def twin(self) -> Sequence[Section]:
        """Return the section that a page shows instead of the widget: the platforms of `slugs` side by side."""
        return [self.side_by_side(self.slugs, self.surface)]

    def side_by_side(self, slugs: Sequence[str], surface: str) -> Section:
        """Return a section with the clauses of some platforms on a surface side by side, up to three clauses for each.

        The quotes are verified if the data set has a service; else they are marked as not checked.
        """
        chosen = surface_matrix(self.matrix[self.matrix["slug"].isin(slugs)], surface)
        clauses = surface_clauses(self.data.findings, chosen, surface)
        clauses = clauses[clauses["place"] <= _EACH].reset_index(drop=True)
        checked = unchecked(clauses) if self.data.client is None else self.data.verify(clauses)
        return section.side_by_side(chosen, checked)


def comparison(data: Source = None, surface: str = "training_use", slugs: Sequence[str] = ()) -> Comparison:
    """Make a widget that compares what some platforms say on one surface, clause by clause.

    Parameters
    ----------
    data : Dataset or Client, optional
        A data set (result of `ra.load`), or a client, whose newest data are loaded. By default the service in the settings, else
        the embedded demo. Quotes are verified with the service of the data set; if it has none, they are marked as not checked.
    surface : str
        Identifier of the surface to show first.
    slugs : sequence of str
        Two to eight platforms to show first. If empty, the two platforms with the highest level on the surface.

    Returns
    -------
    Comparison
        The widget. To show it, make it the last value of a notebook cell, or pass it to `display`.

    Raises
    ------
    ParameterError
        If the surface is unknown, or the platforms are too few, too many or unknown.

    Examples
    --------
    >>> widgets.comparison(data, "data_retention", ["alfisen-music", "orvewick-voice"])
    Comparison(slugs=['alfisen-music', 'orvewick-voice'], surface='data_retention')
    """
    dataset, matrix, chosen = loaded(data, surface)
    if slugs:
        return Comparison(dataset, matrix, slugs_of(slugs, dataset.platforms, dataset.day, least=2, most=MOST), chosen)
    found = surface_matrix(matrix, chosen).query("surface == @chosen")  # ordered by the surface
    worst = found.sort_values("state", key=lambda state: state != "found", kind="stable")["slug"]
    return Comparison(dataset, matrix, list(worst[:2]), chosen)


def explorer(data: Source = None, surface: str = "training_use", *, clauses: pd.DataFrame | None = None) -> Explorer:
    """Make a widget to explore platforms, their levels and the clauses behind them.

    Parameters
    ----------
    data : Dataset or Client, optional
        A data set (result of `ra.load`), or a client, whose newest data are loaded. By default the service in the settings, else
        the embedded demo. The service of the data set provides the snapshots with which the widget verifies a quote and shows
        its paragraph. A data set without a service shows the quote only, and the widget says so.
    surface : str
        Surface by which platforms are ordered at first.
    clauses : pandas.DataFrame, optional
        Clauses that an exported page quotes: result of `analysis.surface_clauses`, after `data.verify`. By default they are
        chosen from the data set, and the page says that its quotes were not checked.

    Returns
    -------
    Explorer
        The widget. To show it, make it the last value of a notebook cell, or pass it to `display`.

    Raises
    ------
    ParameterError
        If the surface is unknown.

    Examples
    --------
    >>> widgets.explorer(data, "data_retention")
    Explorer(surface='data_retention')
    """
    dataset, matrix, chosen = loaded(data, surface)
    if clauses is None:
        clauses = unchecked(surface_clauses(dataset.findings, surface_matrix(matrix, chosen), chosen))
    return Explorer(dataset, matrix, chosen, clauses)
