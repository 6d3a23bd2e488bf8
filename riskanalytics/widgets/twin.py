"""What all widgets share: their data set, plotly's figure as a widget, a live form for a person and a static twin for exports."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import ipywidgets
import pandas as pd
import plotly.graph_objects as go
from IPython import get_ipython
from IPython.display import display
from traitlets import List, Unicode

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset, load, surface_of
from riskanalytics.errors import ReportError
from riskanalytics.pages.charting.chart import Chart
from riskanalytics.pages.encoding import encode
from riskanalytics.pages.html import live_html_of
from riskanalytics.pages.section import Section
from riskanalytics.pages.values import PAGE_TYPE, Paragraph
from riskanalytics.topics.matrix import risk_matrix

Source = Dataset | Client | None
"""A data set; or the client of a service, for its newest data; or None, for the service that the settings name."""


def loaded(source: Source, surface: str) -> tuple[Dataset, pd.DataFrame, str]:
    """Return the data of a widget, their matrix, and the surface that the widget begins with.

    Raises
    ------
    ParameterError
        If there is no surface of that name.
    """
    data = source if isinstance(source, Dataset) else load(source)
    matrix = risk_matrix(data.findings, data.surfaces, data.platforms)
    return data, matrix, surface_of(surface, matrix["surface"].unique())


def client_of(source: Source) -> Client:
    """Return the client of the service that is asked.

    Raises
    ------
    ReportError
        If a data set has none.
    """
    client = source if isinstance(source, Client) else (source or load()).client
    if client is None:
        raise ReportError("this data set has no client, so there is no service to ask")
    return client


def verified(data: Dataset, clauses: pd.DataFrame) -> pd.DataFrame:
    """Return clauses with the status that a check of now found; marked as not checked where no service is at hand."""
    return unchecked(clauses) if data.client is None else data.verify(clauses)


def unchecked(clauses: pd.DataFrame) -> pd.DataFrame:
    """Return clauses marked as not checked."""
    return clauses.assign(verification_status=pd.Series(pd.NA, index=clauses.index, dtype="str"))


class FigureWidget(go.FigureWidget):
    """plotly's own widget, whose script is read after its model is ready."""

    _script = Unicode(str(go.FigureWidget._esm)).tag(sync=True)
    _told_by = List([name for name in go.FigureWidget.class_trait_names() if name.startswith("_py2js_")]).tag(sync=True)
    _esm = Path(__file__).with_name("figure.js")


_ELSEWHERE: Final = "A form to type in, where the notebook runs."


def is_attended() -> bool:
    """Say whether the cell that runs was sent by a front end with a person before it.

    Such a front end can answer a question of the kernel (`allow_stdin` of the execute request, Jupyter messaging
    protocol); papermill, nbconvert and nbval say that they cannot. So a headless run makes no widget, opens no
    comm and leaves no widget state in the notebook.
    """
    kernel = getattr(get_ipython(), "kernel", None)
    if kernel is None:
        return False
    return bool(kernel.get_parent("shell").get("content", {}).get("allow_stdin"))


class Live:
    """A widget with a static twin; last in a cell, or given to `display`."""

    @cached_property
    def panel(self) -> Any:
        """The controls, made when they are first asked for; `panel.root` is the ipywidget that holds them."""
        return self._made()

    @property
    def widget(self) -> ipywidgets.Widget:
        """The ipywidget, to be placed by hand (in Voila, in a layout of your own)."""
        return self.panel.root

    def twin(self) -> Sequence[Section | Chart]:
        """Return the sections and charts that a page shows in the widget's place: its first state."""
        raise NotImplementedError

    def _made(self) -> Any:
        """Make the controls."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        """Show the widget, carrying its twin for exporters; the twin alone where nobody could use the widget."""
        pieces = self.twin()
        if not is_attended():
            for piece in pieces:
                display(piece)
            return
        sections = [piece for piece in pieces if isinstance(piece, Section)]
        told = "\n".join(section.text for section in sections)
        html = "".join(piece.html for piece in pieces) or live_html_of((Paragraph(_ELSEWHERE, "note"),))
        shown = {**self.widget._repr_mimebundle_(), "text/plain": told or _ELSEWHERE, "text/html": html}
        parts = tuple(part for section in sections for part in section.parts)
        display({**shown, PAGE_TYPE: encode(parts)}, raw=True)
