"""The explorer of platforms, levels and clauses, and some platforms beside each other on one surface."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import ipywidgets
import pandas as pd

from riskanalytics.dataset import Dataset
from riskanalytics.errors import ReportError
from riskanalytics.pages.figures import Chart
from riskanalytics.pages.section import Section
from riskanalytics.surfaces import SURFACES, surface_name
from riskanalytics.topics.quotes import snapshots
from riskanalytics.topics.ratings import chart, section
from riskanalytics.topics.ratings.surface import surface_clauses, surface_matrix
from riskanalytics.widgets.panel import ExplorerPanel
from riskanalytics.widgets.parts import Live, Source, choice, loaded, note, plain, root, row, unchecked

MOST: Final = 8
"""Platforms compared at most."""
_EACH: Final = 3
"""Clauses shown of one platform; how many more it has is said."""
_PURPOSE: Final = f"Add two to {MOST} platforms and read what each says on one surface."


class Comparison(Live):
    """Clauses side by side; see `comparison`.

    Parameters
    ----------
    data : Dataset
    matrix : pandas.DataFrame
        As `analysis.risk_matrix` gives it.
    slugs : sequence of str
    surface : str
    """

    def __init__(self, data: Dataset, matrix: pd.DataFrame, slugs: Sequence[str], surface: str) -> None:
        self.data, self.matrix = data, matrix
        self.slugs, self.surface = list(slugs), surface

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(self.slugs)}, {self.surface}>"

    def twin(self) -> Sequence[Section]:
        """Return the platforms beside each other."""
        return [self.side_by_side(self.slugs, self.surface)]

    def side_by_side(self, slugs: Sequence[str], surface: str) -> Section:
        """Return some platforms beside each other on a surface, their quotes checked where a service is at hand."""
        chosen = surface_matrix(self.matrix[self.matrix["slug"].isin(slugs)], surface)
        clauses = surface_clauses(self.data.findings, chosen, surface)
        clauses = clauses[clauses["place"] <= _EACH].reset_index(drop=True)
        checked = unchecked(clauses) if self.data.client is None else self.data.verify(clauses)
        return section.side_by_side(chosen, checked)

    @cached_property
    def panel(self) -> ComparisonPanel:
        """The controls; `panel.root` is the ipywidget that holds them."""
        return ComparisonPanel(self)


class ComparisonPanel:
    """The controls of `Comparison`.

    Parameters
    ----------
    compared : Comparison
    """

    def __init__(self, compared: Comparison) -> None:
        self._compared = compared
        self.slugs = list(compared.slugs)
        matrix = compared.matrix
        named = matrix.drop_duplicates("slug").set_index("slug")["name"].items()
        by_name = sorted(named, key=lambda one: str(one[1]).casefold())
        self._names = {str(slug): plain(name, 40) for slug, name in by_name}
        options = [(f"{name} ({plain(slug, 40)})", slug) for slug, name in self._names.items()]
        surfaces = [(plain(surface_name(one), 40), one) for one in dict.fromkeys((*SURFACES, *matrix["surface"]))]
        self.platform = choice("Platform", options, options[0][1] if options else None, "18rem")
        self.add = ipywidgets.Button(description="Add", button_style="primary")
        self.surface = choice("Surface", surfaces, compared.surface, "12rem")
        self.taken = row()
        self.told, self.sides = ipywidgets.HTML(), ipywidgets.HTML()
        self.add.on_click(lambda _: self._added())
        self.surface.observe(lambda _: self.show(), "value")
        controls = row(self.platform, self.add, self.surface)
        self.root = root("Compare", _PURPOSE, controls, self.taken, self.told, self.sides)
        self.show()

    def _added(self) -> None:
        """Add the platform chosen."""
        slug = self.platform.value
        if slug is None or slug in self.slugs:
            self.told.value = note("It stands there already.")
        elif len(self.slugs) >= MOST:
            self.told.value = note(f"{MOST} platforms are the most; take one away first.")
        else:
            self.slugs.append(slug)
            self.show()

    def _taken_away(self, slug: str) -> None:
        """Take a platform away."""
        self.slugs.remove(slug)
        self.show()

    def show(self) -> None:
        """Show the platforms beside each other."""
        self.taken.children = [self._button(slug) for slug in self.slugs]
        self.told.value = note("Working…")
        if len(self.slugs) < 2:
            self.sides.value = ""
            self.told.value = note("Add at least two platforms.")
            return
        self.sides.value = self._compared.side_by_side(self.slugs, self.surface.value).html
        self.told.value = ""

    def _button(self, slug: str) -> ipywidgets.Button:
        """Return the button that takes a platform away."""
        words, layout = f"Remove {self._names.get(slug, plain(slug))}", ipywidgets.Layout(width="auto")
        button = ipywidgets.Button(description=words, icon="times", layout=layout)
        button.on_click(lambda _: self._taken_away(slug))
        return button


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
    ReportError
        If the platforms are too few, too many or not there.
    ParameterError
        If there is no surface of that name.

    Examples
    --------
    >>> widgets.comparison(data, "data_retention", ["alfisen-music", "orvewick-voice"])
    <Comparison of alfisen-music, orvewick-voice, data_retention>
    """
    dataset, matrix, chosen = loaded(data, surface)
    ranked = list(dict.fromkeys(surface_matrix(matrix, chosen)["slug"]))
    wanted = list(dict.fromkeys(slugs)) or _worst(matrix, ranked, chosen)
    unknown = [slug for slug in wanted if slug not in ranked]
    if unknown:
        raise ReportError(f"no platform {unknown[0][:60]!r} is among those loaded")
    if slugs and not 2 <= len(wanted) <= MOST:
        raise ReportError(f"comparison takes 2 to {MOST} platforms, not {len(wanted)}")
    return Comparison(dataset, matrix, wanted, chosen)


def _worst(matrix: pd.DataFrame, ranked: Sequence[str], surface: str) -> list[str]:
    """Return the two platforms worst on a surface; those of which something was found before all others."""
    found = set(matrix.loc[(matrix["surface"] == surface) & (matrix["state"] == "found"), "slug"])
    return sorted(ranked, key=lambda slug: slug not in found)[:2]


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

    @cached_property
    def panel(self) -> ExplorerPanel:
        """The controls; `panel.root` is the ipywidget that holds them."""
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
