"""A chart: a figure together with what it shows in words and the numbers behind it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from riskanalytics.pages.encoding import encode
from riskanalytics.pages.rows import frame_table
from riskanalytics.pages.section import Section
from riskanalytics.pages.svg import NotDrawnError, drawn
from riskanalytics.pages.values import FIGURE_TYPE, PAGE_TYPE, Figure


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
        """The chart as HTML without scripts: its drawing; nothing where there is none."""
        return _drawing(json.loads(self.figure.to_json()))

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Return the figure's JSON for front ends, a drawing for pages without scripts, and the value of a page."""
        plot = json.loads(self.figure.to_json())
        bundle = {FIGURE_TYPE: plot, PAGE_TYPE: encode((self.value,)), "text/plain": self.words}
        if Section.for_others and (drawing := _drawing(plot)):
            bundle["image/svg+xml"] = drawing
        return bundle


def _drawing(plot: dict[str, Any]) -> str:
    """Return a figure's JSON as SVG; nothing where it holds what cannot be drawn."""
    try:
        return drawn(plot, alone=True)[0]
    except NotDrawnError:
        return ""
