"""What all widgets share: a live form where somebody can click, a static twin where nobody can."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import ipywidgets
from IPython import get_ipython
from IPython.display import display

from riskanalytics.charting.chart import Chart
from riskanalytics.pages.encoding import encode
from riskanalytics.pages.html import live_html_of
from riskanalytics.pages.section import Section
from riskanalytics.pages.values import PAGE_TYPE, Paragraph

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
