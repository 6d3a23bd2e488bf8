"""A chart: its figure, what it shows in words, the numbers behind it, and what it asks of its frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, Final

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.errors import ReportError
from riskanalytics.pages.figures import NO_ROW, empty
from riskanalytics.pages.rows import frame_table
from riskanalytics.pages.section import Section, encode
from riskanalytics.pages.svg import NotDrawnError, drawn
from riskanalytics.pages.values import FIGURE_TYPE, PAGE_TYPE, Figure, Paragraph


@dataclass(frozen=True)
class Chart:
    """A chart, last in a cell or given to `display`.

    Parameters
    ----------
    name : str
        Of the function that drew it.
    figure : plotly Figure
        To be changed or saved by the reader.
    words : str
        What it shows, in words, for readers who do not see it.
    table : pandas.DataFrame
        The numbers behind it; any columns, nested ones are not shown.
    most : int
        Rows of the table that a page shows.
    """

    name: str
    figure: go.Figure
    words: str
    table: pd.DataFrame
    most: int = 400

    @property
    def title(self) -> str:
        """Its title, on one line."""
        words = str(self.figure.layout.title.text or self.name)
        return words.replace("<br>", " ")

    @property
    def value(self) -> Figure:
        """The chart as a value of a page."""
        return Figure(self.name, self.title, self.words, frame_table(self.table, most=self.most))

    @property
    def html(self) -> str:
        """The chart as HTML without scripts: its drawing, or nothing."""
        try:
            return drawn(json.loads(self.figure.to_json()), alone=True)[0]
        except NotDrawnError:
            return ""

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Return the figure's JSON for front ends, a drawing for pages without scripts, and the value of a page."""
        plot = json.loads(self.figure.to_json())
        bundle = {FIGURE_TYPE: plot, PAGE_TYPE: encode((self.value,)), "text/plain": self.words}
        if Section.for_others and (drawing := self.html):
            bundle["image/svg+xml"] = drawing
        return bundle


NO_DATA: Final = "No data for this chart."

Mark = tuple[int | None, str, str]
"""A cell of a grid of levels: its place on the colour axis (None: no filling), its words, and its hint."""


def draws(
    columns: Iterable[str],
    question: str,
    why: str = NO_ROW,
    *,
    table: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame,
    view: str = "",
    unknown: str = "",
) -> Callable[[Callable[..., Chart]], Callable[..., Chart]]:
    """Return a decorator of charts, each of which draws what the analysis of its own name returned.

    The function is called with a frame that has these columns and at least one row. Any other frame is refused in one
    line that names the analysis; a frame without rows gives a chart that says so. Of a data set, its view of the chart's
    name is drawn (`data.views`).

    Parameters
    ----------
    columns : iterable of str
        Of the frame.
    question : str
        Title of the chart where the frame has no rows.
    why : str
        Said there.
    table : callable, optional
        Gives the numbers behind a chart out of its frame, where they are not the frame.
    view : str
        The view of a data set that is drawn, where it has another name.
    unknown : str
        Shown instead of a chart where that view is not known; nothing is shown where empty.
    """
    wanted = tuple(columns)

    def decorated(draw: Callable[..., Chart]) -> Callable[..., Chart]:
        name, form = draw.__name__, signature(draw)

        @wraps(draw)
        def chart(*args: Any, **kwargs: Any) -> Chart:
            frame = next(iter(form.bind(*args, **kwargs).arguments.values()))
            if hasattr(type(frame), "views"):
                known = getattr(frame.views, view or name)
                said: Any = Section((Paragraph(unknown),) if unknown else (), unknown or NO_DATA)
                return said if known is None else chart(known, **kwargs)
            wants = f"it draws what analysis.{name} returns"
            if not isinstance(frame, pd.DataFrame):
                raise ReportError(f"charts.{name}: a frame is needed, not {type(frame).__name__}; {wants}")
            if missing := [column for column in wanted if column not in frame]:
                raise ReportError(f"charts.{name}: the frame lacks the column(s) {', '.join(missing)}; {wants}")
            return draw(*args, **kwargs) if len(frame) else Chart(name, empty(question, why), NO_DATA, table(frame))

        return chart

    return decorated


def add_grid(
    figure: go.Figure, columns: Sequence[str], rows: Sequence[str], marks: Sequence[Sequence[Mark]], **more: object
) -> None:
    """Draw a grid of levels, row by row.

    Parameters
    ----------
    figure : plotly Figure
    columns, rows : sequence of str
        Their names, as a figure may hold them.
    marks : sequence of sequence of Mark
        A mark for each column, of each row.
    **more : object
        Of plotly's heatmap; `%{hovertext}` in a `hovertemplate` is the hint of a mark.
    """
    codes, texts, hints = ([[mark[part] for mark in line] for line in marks] for part in range(3))
    usual = {"texttemplate": "%{text}", "textfont": {"size": 11}, "coloraxis": "coloraxis", "xgap": 1, "ygap": 1}
    figure.add_heatmap(x=columns, y=rows, z=codes, text=texts, hovertext=hints, **usual | more)
    figure.update_layout(coloraxis={"cmin": -0.5, "cmax": 3.5})
