"""The explorer widget and its controls: search, filters, a clickable heatmap, lists to choose from, and clauses with sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import ipywidgets
import pandas as pd
import plotly.graph_objects as go
from plotly.callbacks import Points

from riskanalytics.dataset import Dataset
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS, stance_name
from riskanalytics.pages.figures import Chart
from riskanalytics.pages.rows import grouped
from riskanalytics.pages.section import Section, html_of
from riskanalytics.pages.values import Paragraph
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import plural
from riskanalytics.theme import PAGE
from riskanalytics.topics.quotes import snapshots
from riskanalytics.topics.ratings import chart, section
from riskanalytics.topics.ratings.matrix import LETTERS, cell_words, mark_of
from riskanalytics.topics.ratings.surface import clause_order, explore, surface_matrix
from riskanalytics.topics.shape import Record

from . import parts as ui
from .parts import ANY, plain

_BLANK: Final = "\u2007"
"""A space as wide as a digit."""
_SHOWN: Final = 25
_BEFORE: Final = 2
"""Columns of the heatmap before its first surface: the rating and a gap."""
_PURPOSE: Final = "Click a cell, or choose a platform and a surface, to read and check the clauses behind a level."
_OFFLINE: Final = "There is no service to fetch from: pass a client to explorer to verify quotes."
_NO_CLAUSE: Final = {
    "quiet": "No clause found on this surface. That is not a promise.",
    "found": "The service reports a level here, but no clause behind it.",
    "to_read": "Undetermined: the platform's dossier shows the clauses to read.",
    "unread": "Not read: a document is in a language that is not read, or could not be read.",
}
"""State of a cell -> why it has no clause."""


class ExplorerPanel:
    """The interactive controls that `Explorer` shows to a person; `root` is the ipywidget that contains all of them.

    Parameters
    ----------
    explored : Explorer
        The widget whose controls these are.
    """

    def __init__(self, explored: Explorer) -> None:
        self._data, self._matrix, self._wanted = explored.data, explored.matrix, explored.surface
        self._still = False
        self._typed, self._chosen = ui.Soon(0.4), ui.Soon(0.3)
        self._read: dict[str, dict[str, Any]] = {}
        self._make_controls()
        self.count, self.card, self.status = (ipywidgets.HTML() for _ in range(3))
        self.check = ipywidgets.Button(description="Verify now", button_style="primary")
        self.check.on_click(self.verify)
        self.heatmap = ui.FigureWidget(chart.surface_matrix(self._matrix, most=_SHOWN).figure)
        self.heatmap.update_layout(paper_bgcolor=PAGE["light"]["background"], width=580)
        for trace in self.heatmap.data:
            trace.on_click(self._clicked)
        self.root = self._laid_out()
        self.filter()

    def _make_controls(self) -> None:
        """Make the search and the filters, and the lists for the keyboard."""
        data, surfaces = self._data, list(self._matrix["surface"].unique())
        named = [(plain(surface_name(one), 40), one) for one in surfaces]
        marks = [(words, mark) for mark, words in chart.COUNTED.items()]
        self.search = ui.field("Search", "a platform, or words of its clauses")
        self.surface = ui.choice("Surface", [("all surfaces", ANY), *named], self._wanted if surfaces else ANY)
        self.filters = {
            "level": ui.choice("Level there", [("any", ANY), *marks]),
            "rating": ui.choice("Rating", _values(data.platforms["rating"])),
            "verification": ui.choice("Evidence", _values(data.platforms["verification"])),
            "stance": ui.choice("Stance", _values(data.training_use["stance"], stance_name)),
        }
        self.clear = ipywidgets.Button(description="Clear filters")
        self._hear(self.search, lambda _: self._typed(self.filter))
        self._hear(self.surface, self._reordered)
        for control in self.filters.values():
            self._hear(control, self.filter)
        self.clear.on_click(self._cleared)
        lists = {"Platform": 9, "Its surfaces": 9, "Its clauses there": 4}
        made = (ipywidgets.Select(description=title, rows=rows) for title, rows in lists.items())
        self.platform, self.on, self.clause = map(ui.growing, made)
        self._hear(self.platform, self._platform_chosen)
        self._hear(self.on, self._surface_chosen)
        self._hear(self.clause, self._clause_chosen)

    def _laid_out(self) -> ipywidgets.VBox:
        """Arrange all parts."""
        lists = [ui.row(self.platform, self.on), ui.row(self.clause), ui.row(self.check), self.status, self.card]
        drawn, side = ipywidgets.Box([self.heatmap]).add_class("ra-chart"), ipywidgets.VBox(lists).add_class("ra-side")
        filters = [ui.row(self.search, self.clear), ui.row(self.surface, *self.filters.values())]
        return ui.root("Explore", _PURPOSE, *filters, self.count, ui.row(drawn, side).add_class("ra-both"))

    def _hear(self, control: ipywidgets.Widget, act: Callable[[Any], None]) -> None:
        """Call a function when a person sets a control, but not when the program sets it."""
        control.observe(lambda change: None if self._still else act(change["new"]), "value")

    def _set(self, control: ipywidgets.Widget, value: str | None, options: object = None) -> None:
        """Set a control without calling its function."""
        self._still = True
        if options is not None:
            control.options = options
        control.value = value
        self._still = False

    def _offer(self, control: ipywidgets.Widget, options: dict[str, str], wanted: str | None) -> None:
        """Offer new options (value: words). The current choice stays if possible; otherwise the first option is chosen."""
        value = wanted if wanted in options else next(iter(options), None)
        self._set(control, value, [(words, value) for value, words in options.items()])

    def _cleared(self, _: object) -> None:
        """Clear all filters; the surface stays."""
        for control in (self.search, *self.filters.values()):
            self._set(control, ANY)
        self.filter()

    def _reordered(self, surface: str) -> None:
        """Order the platforms by another surface, and read its clauses."""
        self._wanted = surface or self._wanted
        self.filter()

    def filter(self, *_: object) -> None:
        """Show only the platforms and clauses that match the search and the filters, in the heatmap and in the lists.

        Arguments from ipywidgets are ignored.
        """
        data, controls = self._data, {"surface": self.surface, **self.filters}
        chosen: dict[str, Any] = {name: control.value or None for name, control in controls.items()}
        frames = (self._matrix, data.findings, data.platforms, data.training_use)
        found = explore(*frames, words=self.search.value, **chosen)
        cells = self._cells = grouped(rows_of(found.matrix), "slug")
        self._matching = set(found.clauses["finding_id"])
        total = plural(self._matrix["slug"].nunique(), "platform")
        counts = f"{len(cells):,} of {total} match, with {plural(len(found.clauses), 'clause')}."
        more = f" The worst {_SHOWN} are drawn; the list has all." if len(cells) > _SHOWN else ""
        self._draw(found.matrix)
        self._offer(self.platform, {slug: self._line(rows[0]) for slug, rows in cells.items()}, self.platform.value)
        self._platform_chosen()
        self.count.value = ui.live(Paragraph(counts + more, "note"))

    def _line(self, head: Record) -> str:
        """Return the line of a platform in the list: its name, and its mark on the surface or, without a surface, its rating."""
        mark = LETTERS[mark_of(head)] or _BLANK if self.surface.value else plain(head["rating"], 12) or "?"
        return f"{mark}  {plain(head['name'], 34)}"

    def _draw(self, matrix: pd.DataFrame) -> None:
        """Draw the worst of the matching platforms."""
        slugs = list(self._cells)[:_SHOWN]
        shown = matrix[matrix["slug"].isin(slugs)]
        self._drawn = slugs, list(shown["surface"].unique())
        figure = (chart.surface_matrix if self.surface.value else chart.risk_matrix)(shown).figure
        drawn = figure.data[0] if slugs else go.Heatmap(x=[], y=[], z=[], text=[], hovertext=[])
        with self.heatmap.batch_update():
            for trace in self.heatmap.data:
                trace.update({key: drawn[key] for key in ("x", "y", "z", "text", "hovertext")}, overwrite=True)
            self.heatmap.update_layout(
                title_text=figure.layout.title.text if slugs else "No platform matches",
                height=figure.layout.height,
                margin={**figure.layout.margin.to_plotly_json(), "r": 72},
                xaxis_visible=bool(slugs),
                yaxis_visible=bool(slugs),
            )

    def _platform_chosen(self, *_: object) -> None:
        """Show the surfaces of the chosen platform, and select the last chosen surface or one that matches the search."""
        findings, slug = self._data.findings, self.platform.value
        hits = findings[(findings["slug"] == slug) & findings["finding_id"].isin(self._matching)]["surface"]
        other = self.search.value.strip() and len(hits) and self._wanted not in set(hits)
        cells = {cell["surface"]: _surface_line(cell) for cell in self._cells.get(slug, [])}
        self._offer(self.on, cells, hits.iloc[0] if other else self._wanted)
        self._show_surface()

    def _surface_chosen(self, surface: str | None) -> None:
        """Show another surface of the platform, and remember it."""
        self._wanted = surface or self._wanted
        self._show_surface()

    def _show_surface(self) -> None:
        """Show the clauses of the platform on the chosen surface, and frame its cell if it is drawn.

        Clauses that match the search come first. Among these and among the others, near-copies come last; otherwise clauses are
        ordered by weight.
        """
        findings, slug, on = self._data.findings, self.platform.value, self.on.value

        def order(one: Record) -> tuple[object, ...]:
            return one["finding_id"] not in self._matching, not is_missing(one["duplicate_of"]), *clause_order(one)

        mine = sorted(rows_of(findings[(findings["slug"] == slug) & (findings["surface"] == on)]), key=order)
        self._clauses = {str(place): one for place, one in enumerate(mine)}
        lines = {}
        for key, one in self._clauses.items():
            again = "" if is_missing(one["duplicate_of"]) else "(again) "
            lines[key] = f"{LETTERS.get(one['level'], '?')}  {again}{plain(one['quote'], 90)}"
        self._offer(self.clause, lines, "0")
        (slugs, surfaces), shapes = self._drawn, []
        if slug in slugs and on in surfaces:
            x, y = _BEFORE + surfaces.index(on), slugs.index(slug)
            line = {"color": PAGE["light"]["text"], "width": 2.5}
            shapes = [{"type": "rect", "x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5, "line": line}]
        self.heatmap.layout.shapes = shapes
        self._clause_chosen()

    def _clause_chosen(self, *_: object) -> None:
        """Show the chosen clause, and its paragraph if the reader pauses on it."""
        client, one = self._data.client, self._clauses.get(self.clause.value)
        self.check.disabled = one is None or client is None
        self.status.value = ui.note(_OFFLINE) if one and client is None else ""
        if one is None:
            self.card.value = ui.note(self._why_none())
            return
        self.card.value = html_of(ui.clause_card(self._read.get(one["finding_id"], one)))
        if client is not None and one["finding_id"] not in self._read:
            self._chosen(lambda: self._fetched(one) if self._clauses.get(self.clause.value) is one else None)

    def _why_none(self) -> str:
        """Return why no clause is shown."""
        states = {cell["surface"]: cell["state"] for cell in self._cells.get(self.platform.value, [])}
        if not states:
            return "No platform matches: clear a filter, or search for fewer words."
        return _NO_CLAUSE.get(states[self.on.value], _NO_CLAUSE["unread"])

    def _fetched(self, one: dict[str, Any]) -> dict[str, Any] | None:
        """Fetch the snapshot of a clause, and verify the clause; if the request fails, show the error and return None."""
        try:
            (checked,) = rows_of(self._data.read(pd.DataFrame([one])))
        except RiskAnalyticsError as error:
            self.status.value = ui.live(ui.failure(error))
            return None
        self._read[one["finding_id"]] = checked
        self.card.value = html_of(ui.clause_card(checked))
        return checked

    def verify(self, *_: object) -> None:
        """Verify the clause that is shown: fetch its snapshot, compare the hash, and read the quote at its offsets.

        Arguments from ipywidgets are ignored.
        """
        self.check.disabled = True
        self.status.value = ui.note("Fetching the snapshot and verifying…")
        try:
            if checked := self._fetched(self._clauses[self.clause.value]):
                self.status.value = ui.live(*ui.check_steps(checked, datetime.now(UTC)))
        finally:
            self.check.disabled = False

    def _clicked(self, _trace: object, points: Points, _state: object) -> None:
        """Show the clauses of the clicked cell; for a rating, those of the platform's first surface."""
        slugs, surfaces = self._drawn
        for y, x in points.point_inds[:1]:
            self._set(self.platform, slugs[y])
            self._platform_chosen()
            if 0 <= x - _BEFORE < len(surfaces):
                self.on.value = surfaces[x - _BEFORE]


def _values(column: pd.Series[str], named: Callable[[str], str] = str) -> list[tuple[str, str]]:
    """Return the values of a column as options; values that differ only in hidden characters are separate options."""
    return [("any", ANY), *((plain(named(value), 40), value) for value in sorted(set(column.dropna())))]


def _surface_line(cell: Record) -> str:
    """Return a cell as a line of the list."""
    mark = mark_of(cell)
    known = f" ({cell['count']:,})" if mark in RATINGS else f": {cell_words(cell)}"
    return f"{LETTERS[mark] or _BLANK}  {plain(surface_name(cell['surface']), 30)}{known}"


@dataclass(eq=False)
class Explorer(ui.Live):
    """The widget that `explorer` makes: platforms, levels and clauses, searched and filtered together.

    Parameters
    ----------
    data : Dataset
        The data set that has the platforms and clauses.
    matrix : pandas.DataFrame
        Result of `analysis.risk_matrix` for the data set.
    surface : str
        Surface by which platforms are ordered at first.
    clauses : pandas.DataFrame
        Clauses that an exported page quotes: result of `analysis.surface_clauses`.
    """

    data: Dataset = field(repr=False)
    matrix: pd.DataFrame = field(repr=False)
    surface: str
    clauses: pd.DataFrame = field(repr=False)
    controls = ExplorerPanel

    def twin(self) -> Sequence[Section | Chart]:
        """Return what an exported page shows in place of the widget.

        It is a heatmap of the platforms with the highest risk on the surface, a table of all platforms with their levels on it,
        the clauses, and a table of the quoted texts.
        """
        matrix = surface_matrix(self.matrix, self.surface)
        return [
            chart.surface_matrix(matrix, most=40),
            section.surface_platforms(matrix, self.clauses),
            section.surface_clauses(matrix, self.clauses),
            snapshots(self.clauses),
        ]
