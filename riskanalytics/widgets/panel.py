"""The controls of the explorer: a search, filters, a heatmap that is clicked, lists that the keyboard walks, and the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

import ipywidgets
import pandas as pd
import plotly.graph_objects as go
from plotly.callbacks import Points

from riskanalytics.dataset import Dataset
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.frames import is_missing, rows_of
from riskanalytics.models import RATINGS, stance_name, state_words
from riskanalytics.pages.figures import count
from riskanalytics.pages.html import html_of
from riskanalytics.pages.rows import Rows, grouped
from riskanalytics.pages.values import Paragraph
from riskanalytics.surfaces import surface_name
from riskanalytics.text.wording import plural
from riskanalytics.theme import PAGE, letter_of
from riskanalytics.topics.ratings import chart
from riskanalytics.topics.ratings.matrix import LETTERS, MARKS, cell_words, mark_of
from riskanalytics.topics.ratings.surface import clause_order, explore
from riskanalytics.widgets.cards import check_told, facts_of, quote_card
from riskanalytics.widgets.parts import (
    ANY,
    FigureWidget,
    Soon,
    choice,
    failed,
    field,
    listed_facts,
    note,
    plain,
    root,
    row,
    shown_over,
    spoken,
)

_BLANK: Final = "\u2007"
"""Of the width of a letter."""
_SHOWN: Final = 25
_WIDTH: Final = 580
_BEFORE: Final = 2
"""Columns of the heatmap before its first surface: the rating and a gap."""
_MARK_NAMES: Final = {mark: mark if mark in RATINGS else state_words(mark.lower()) for mark in MARKS}
_PURPOSE: Final = (
    "Click a cell, or choose a platform and a surface, to read the clauses behind a level and to check them."
)


class ExplorerPanel:
    """The live form of `Explorer`; `root` is the ipywidget that holds all others.

    Parameters
    ----------
    data : Dataset
    matrix : pandas.DataFrame
        As `analysis.risk_matrix` gives it.
    surface : str
        By which platforms are ordered at the beginning.
    """

    def __init__(self, data: Dataset, matrix: pd.DataFrame, surface: str) -> None:
        self._data, self._matrix = data, matrix
        self._still = False
        self._wanted = surface
        self._matching: set[str] = set()
        self._cells: dict[str, Rows] = {}
        self._clauses: dict[str, dict[str, object]] = {}
        self._drawn: tuple[list[str], list[str]] = ([], [])
        self._typed, self._chosen = Soon(0.4), Soon(0.3)
        self._read: dict[str, dict[str, object]] = {}
        self._make_filters(surface)
        self._make_lists()
        self.told, self.card, self.status, self.facts = (ipywidgets.HTML() for _ in range(4))
        self.check = ipywidgets.Button(description="Verify now", button_style="primary", disabled=data.client is None)
        self.check.on_click(lambda _: self.verify())
        self.heatmap = FigureWidget(chart.surface_matrix(matrix, most=_SHOWN).figure)
        self.heatmap.update_layout(paper_bgcolor=PAGE["light"]["background"], width=_WIDTH)
        for trace in self.heatmap.data:
            trace.on_click(self._clicked)
        self.root = self._laid_out()
        self.filter()

    def _make_filters(self, surface: str) -> None:
        """Make the search and the filters."""
        data = self._data
        surfaces = dict.fromkeys(self._matrix["surface"])
        self.search = field("Search", "a platform, or words of its clauses")
        named = [(plain(surface_name(one), 40), one) for one in surfaces]
        self.surface = choice(
            "Surface", [("all surfaces", ANY), *named], surface if surface in surfaces else ANY, "12rem"
        )
        self.level = choice("Level there", [("any", ANY), *((words, mark) for mark, words in _MARK_NAMES.items())])
        self.rating = choice("Rating", _values(data.platforms["rating"]))
        self.verification = choice("Evidence", _values(data.platforms["verification"]))
        self.stance = choice("Stance", _values(data.training_use["stance"], stance_name), width="13rem")
        self.clear = ipywidgets.Button(description="Clear filters")
        self.search.observe(lambda _: self._typed(self.filter), "value")
        self.surface.observe(lambda change: self._reordered(change["new"]), "value")
        for control in self._filters()[1:]:
            control.observe(lambda _: self.filter(), "value")
        self.clear.on_click(lambda _: self._cleared())

    def _make_lists(self) -> None:
        """Make the lists that the keyboard walks."""
        self.platform, self.on = (
            shown_over(ipywidgets.Select(description=title, rows=9), "11rem", grow=True)
            for title in ("Platform", "Its surfaces")
        )
        self.clause = shown_over(ipywidgets.Select(description="Its clauses there", rows=4), "calc(100% - 4px)")
        self.platform.observe(lambda _: self._platform_chosen(), "value")
        self.on.observe(lambda change: self._other_surface(change["new"]), "value")
        self.clause.observe(lambda _: self._clause_chosen(), "value")

    def _filters(self) -> tuple[ipywidgets.Dropdown, ...]:
        """Return the drop-down lists that filter."""
        return self.surface, self.level, self.rating, self.verification, self.stance

    def _laid_out(self) -> ipywidgets.VBox:
        """Put all parts in their places."""
        drawn = ipywidgets.Box(
            [self.heatmap], layout=ipywidgets.Layout(flex="1 1 34rem", min_width="20rem", overflow="hidden")
        )
        lists = [row(self.platform, self.on), self.clause, self.card, row(self.check), self.status, self.facts]
        side = ipywidgets.VBox(lists, layout=ipywidgets.Layout(flex="1 1 23.5rem", min_width="18rem"))
        layout = ipywidgets.Layout(flex_flow="row wrap", align_items="flex-start", grid_gap="0 1.5rem", width="100%")
        both = ipywidgets.Box([drawn, side], layout=layout)
        return root("Explore", _PURPOSE, row(self.search, self.clear), row(*self._filters()), self.told, both)

    @contextmanager
    def _unheard(self) -> Iterator[None]:
        """Change controls without hearing of it."""
        before, self._still = self._still, True
        try:
            yield
        finally:
            self._still = before

    def _cleared(self) -> None:
        """Take all filters back; the surface stays."""
        with self._unheard():
            self.search.value = ""
            for control in self._filters()[1:]:
                control.value = ANY
        self.filter()

    def _reordered(self, surface: str) -> None:
        """Order platforms by another surface, and read its clauses."""
        self._wanted = surface or self._wanted
        self.filter()

    def filter(self) -> None:
        """Show what matches the search and the filters."""
        if self._still:
            return
        data = self._data
        found = explore(
            self._matrix, data.findings, data.platforms, data.training_use, words=self.search.value,
            surface=self.surface.value or None, level=self.level.value or None, rating=self.rating.value or None,
            verification=self.verification.value or None, stance=self.stance.value or None,
        )  # fmt: skip
        cells = self._cells = grouped(rows_of(found.matrix), "slug")
        self._matching = set(found.clauses["finding_id"])
        total = self._matrix["slug"].nunique()
        words = f"{len(cells):,} of {plural(total, 'platform')} match, with {plural(len(found.clauses), 'clause')}."
        more = f" The worst {_SHOWN} are drawn; the list holds all." if len(cells) > _SHOWN else ""
        options = [(self._line(rows), slug) for slug, rows in cells.items()]
        self._draw(found.matrix)
        self._offer(self.platform, options, self.platform.value)
        self._platform_chosen()
        self.told.value = spoken(Paragraph(f"{words}{more}", "note"))

    def _line(self, rows: Rows) -> str:
        """Return a platform as a line of the list: its mark on the surface (its rating where there is none), its name."""
        head = rows[0]
        named = plain(head["name"], 34)
        if not self.surface.value:
            return f"{plain(head['rating'], 12) or '?'}  {named}"
        return f"{LETTERS[mark_of(head)] or _BLANK}  {named}"

    def _offer(self, control: ipywidgets.Widget, options: list[tuple[str, str]], wanted: str | None) -> None:
        """Offer other options; what was chosen stays where it is among them, else the first is."""
        with self._unheard():
            control.options = options
            values = [value for _, value in options]
            control.value = wanted if wanted in values else next(iter(values), None)

    def _draw(self, matrix: pd.DataFrame) -> None:
        """Draw the worst of what matches."""
        slugs = list(self._cells)[:_SHOWN]
        shown = matrix[matrix["slug"].isin(slugs)]
        self._drawn = slugs, list(dict.fromkeys(shown["surface"]))
        draw = chart.surface_matrix if self.surface.value else chart.risk_matrix
        figure = draw(shown).figure
        with self.heatmap.batch_update():
            for trace in self.heatmap.data:
                drawn = figure.data[0] if figure.data else go.Heatmap(x=[], y=[], z=[], text=[], hovertext=[])
                trace.update({key: drawn[key] for key in ("x", "y", "z", "text", "hovertext")}, overwrite=True)
            title = figure.layout.title.text if figure.data else "No platform matches"
            self.heatmap.layout.update(title={"text": title}, height=figure.layout.height)
            self.heatmap.layout.margin = {**figure.layout.margin.to_plotly_json(), "r": 72}
            self.heatmap.update_layout(xaxis_visible=bool(figure.data), yaxis_visible=bool(figure.data))

    def _platform_chosen(self) -> None:
        """Show the surfaces of the platform chosen."""
        if self._still:
            return
        rows = self._cells.get(self.platform.value, [])
        self._offer(self.on, [(_surface_line(cell), cell["surface"]) for cell in rows], self._surface_wanted())
        self._surface_chosen()

    def _other_surface(self, surface: str | None) -> None:
        """Show another surface of the platform, and keep to it."""
        if not self._still and surface is not None:
            self._wanted = surface
            self._surface_chosen()

    def _surface_wanted(self) -> str:
        """Return the surface that the reader chose last; one that has a match, where words are searched and it has none."""
        findings = self._data.findings
        mine = findings[(findings["slug"] == self.platform.value) & findings["finding_id"].isin(self._matching)]
        hits = list(dict.fromkeys(mine["surface"]))
        return hits[0] if self.search.value.strip() and hits and self._wanted not in hits else self._wanted

    def _surface_chosen(self) -> None:
        """Show the clauses of the platform on the surface chosen: those that match the search first."""
        if self._still:
            return
        findings = self._data.findings
        on, slug = self.on.value, self.platform.value
        mine = rows_of(findings[(findings["slug"] == slug) & (findings["surface"] == on)])
        mine.sort(key=self._place)
        self._clauses = {str(place): one for place, one in enumerate(mine)}
        self._offer(self.clause, [(_clause_line(one), key) for key, one in self._clauses.items()], "0")
        self._mark()
        self._clause_chosen()

    def _place(self, one: dict[str, object]) -> tuple[object, ...]:
        """Return the place of a clause in its list: those that match first, near-copies last, else the weightiest first."""
        return one["finding_id"] not in self._matching, not is_missing(one["duplicate_of"]), *clause_order(one)

    def _mark(self) -> None:
        """Frame the cell that is chosen, where it is drawn."""
        slugs, surfaces = self._drawn
        shapes = []
        if self.platform.value in slugs and self.on.value in surfaces:
            x, y = _BEFORE + surfaces.index(self.on.value), slugs.index(self.platform.value)
            line = {"color": PAGE["light"]["text"], "width": 2.5}
            shapes = [{"type": "rect", "x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5, "line": line}]
        self.heatmap.layout.shapes = shapes

    def _clause_chosen(self) -> None:
        """Show the clause chosen; its paragraph follows once the reader stays on it."""
        if self._still:
            return
        self.status.value = ""
        one = self._clauses.get(self.clause.value)
        self.check.disabled = one is None or self._data.client is None
        if one is None:
            self.card.value, self.facts.value = note(self._why_none()), ""
            return
        self._show(self._read.get(str(one["finding_id"]), one))
        if self._data.client is None:
            self.status.value = note(
                "Without a service at hand nothing can be fetched: give explorer a client to check quotes."
            )
        elif str(one["finding_id"]) not in self._read:
            self._chosen(lambda: self._show_paragraph(one))

    def _show(self, one: dict[str, object]) -> None:
        """Show a clause, and where it stands."""
        self.card.value, self.facts.value = html_of(quote_card(one)), listed_facts(facts_of(one))

    def _why_none(self) -> str:
        """Return why no clause is shown."""
        if not self._cells:
            return "No platform matches: clear a filter, or search for fewer words."
        cell = next((cell for cell in self._cells[self.platform.value] if cell["surface"] == self.on.value), None)
        if cell is not None and cell["state"] == "quiet":
            return "Its documents were read and nothing was found on this surface. That is no promise."
        if cell is not None and cell["state"] == "found":
            return "The service names a level here, and no clause behind it."
        if cell is not None and cell["state"] == "to_read":
            return f"Nothing is settled here: {cell_words(cell)}. The platform's dossier shows the clauses."
        return "Not read: a document is in a language that is not read, or could not be read."

    def _show_paragraph(self, one: dict[str, object]) -> None:
        """Show a clause in its paragraph, if it is still the one chosen."""
        if self._clauses.get(self.clause.value) is not one:
            return
        try:
            checked = self._fetched(one)
        except RiskAnalyticsError as error:
            self.status.value = failed(error)
            return
        self._show(checked)

    def _fetched(self, one: dict[str, object]) -> dict[str, object]:
        """Fetch the snapshot of a clause now, check the clause in it, and read its paragraph."""
        if self._data.client is None:
            return one
        findings = self._data.findings
        same = (findings["finding_id"] == one["finding_id"]) & (findings["slug"] == one["slug"])
        (checked,) = rows_of(self._data.read(findings[same & (findings["surface"] == one["surface"])].head(1)))
        self._read[str(one["finding_id"])] = checked
        return checked

    def verify(self) -> None:
        """Check the clause shown, now: fetch its snapshot, hash it, look at its offsets."""
        one = self._clauses.get(self.clause.value)
        if one is None:
            return
        self.check.disabled = True
        self.status.value = note("Fetching the snapshot and checking…")
        try:
            checked = self._fetched(one)
        except RiskAnalyticsError as error:
            self.status.value = failed(error)
        else:
            self._show(checked)
            self.status.value = spoken(*check_told(checked, datetime.now(UTC)))
        finally:
            self.check.disabled = False

    def _clicked(self, _trace: object, points: Points, _state: object) -> None:
        """Show the clauses of the cell that was clicked; of the platform's first surface where it is its rating."""
        if not points.point_inds:
            return
        y, x = points.point_inds[0]
        slugs, surfaces = self._drawn
        if not 0 <= y < len(slugs):
            return
        with self._unheard():
            self.platform.value = slugs[y]
        self._platform_chosen()
        if 0 <= (place := x - _BEFORE) < len(surfaces):
            self.on.value = surfaces[place]


def _values(column: pd.Series[str], named: Callable[[str], str] = str) -> list[tuple[str, str]]:
    """Return the values of a column as options; those alike once hidden characters are shown stay apart."""
    values = sorted({str(value) for value in column.dropna()})
    return [("any", ANY), *((plain(named(value), 40), value) for value in values)]


def _surface_line(cell: dict[str, object]) -> str:
    """Return a cell as a line of the list."""
    mark = mark_of(cell)
    told = (
        f" ({count(cell['count'])})" if mark in RATINGS and not is_missing(cell["count"]) else f": {cell_words(cell)}"
    )
    return f"{LETTERS[mark] or _BLANK}  {plain(surface_name(str(cell['surface'])), 30)}{told}"


def _clause_line(one: dict[str, object]) -> str:
    """Return a clause as a line of the list."""
    again = "" if is_missing(one["duplicate_of"]) else "(again) "
    return f"{letter_of(str(one['level']))}  {again}{plain(one['quote'], 90)}"
