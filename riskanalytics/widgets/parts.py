"""What all widgets share: controls, looks, clauses, their data set, a live form for a person and a static twin for exports."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any, ClassVar, Final

import anywidget
import ipywidgets
import pandas as pd
import plotly.graph_objects as go
from IPython import get_ipython
from IPython.display import display
from traitlets import List, Unicode

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset, load, surface_of
from riskanalytics.errors import ReportError, RiskAnalyticsError
from riskanalytics.frames import findings_frame, is_missing
from riskanalytics.pages import rows as show
from riskanalytics.pages.figures import Chart, label
from riskanalytics.pages.section import Figures, Section, encode, html_of, live_html_of, rendered
from riskanalytics.pages.values import BREAK, PAGE_TYPE, Listing, Paragraph, Part, Parts, Text, Words
from riskanalytics.surfaces import surface_name
from riskanalytics.text.page_words import plain_words
from riskanalytics.theme import LEVEL_COLOURS, LEVEL_STYLES, LEVEL_TEXT
from riskanalytics.topics.shape import Record

_FILLS: Final = "".join(
    f".ra .{letter}{{background:{LEVEL_COLOURS['light'][word]};color:{LEVEL_TEXT['light'][word]}}}"
    for letter, word in LEVEL_STYLES.items()
)


class Frame(anywidget.AnyWidget):
    """The looks of all widgets, and the keys inside them kept from the notebook around them."""

    _esm = Path(__file__).with_name("widgets.js")
    _css = Path(__file__).with_name("widgets.css").read_text(encoding="utf-8") + _FILLS


def root(title: str, purpose: str, *children: ipywidgets.Widget) -> ipywidgets.VBox:
    """Return a widget: its title, one line on what it is for, and its parts."""
    head = ipywidgets.HTML(html_of((Paragraph(title, "ra-title"), Paragraph(purpose, "ra-for"))))
    return ipywidgets.VBox([Frame(), head, *children]).add_class("ra")


def row(*children: ipywidgets.Widget) -> ipywidgets.Box:
    """Return controls side by side, on further lines if they do not fit."""
    return ipywidgets.Box(children).add_class("ra-row")


def growing(control: ipywidgets.DOMWidget) -> ipywidgets.Widget:
    """Return a control with its label above it, as wide as there is room."""
    return control.add_class("ra-over").add_class("ra-grow")


ANY: Final = ""
"""Value of the option that leaves everything in: a drop-down list shows nothing for None."""


def choice(title: str, options: Iterable[tuple[str, str]], value: str | None = ANY) -> ipywidgets.Dropdown:
    """Return a drop-down list with its label above it."""
    return ipywidgets.Dropdown(options=list(options), value=value, description=title).add_class("ra-over")


def field(title: str, placeholder: str, value: str = "") -> ipywidgets.Widget:
    """Return a line to type in."""
    return growing(ipywidgets.Text(value=value, placeholder=placeholder, description=title))


def plain(value: object, width: int = 60) -> str:
    """Return text from data for a label or an option: hidden characters shown, one line, cut with a mark."""
    return unescape(label(value, width))


def note(words: str) -> str:
    """Return a remark of ours as HTML."""
    return html_of((Paragraph(words, "note"),))


def failure(error: RiskAnalyticsError) -> Paragraph:
    """Return what went wrong in one line."""
    return Paragraph((Text("Did not work:", "strong"), f" {' '.join(str(error).split())}"))


def live(*parts: Part) -> str:
    """Return parts of a page as HTML that a screen reader reads out when they come.

    It has no addresses, as a notebook holds several widgets.
    """
    return rendered("widget.html.jinja", Figures(), shown=parts, once=lambda _: False)


class Soon:
    """Does the last thing that was asked of it, once nothing more is asked for a moment.

    Without a running loop (outside a kernel) it is done at once.

    Parameters
    ----------
    seconds : float
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: asyncio.TimerHandle | None = None

    def __call__(self, act: Callable[[], object]) -> None:
        """Do it soon, in place of what still waits."""
        if self._waiting:
            self._waiting.cancel()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            act()
            return
        self._waiting = loop.call_later(self._seconds, act)


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
    matrix = data.views.risk_matrix
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


def unchecked(clauses: pd.DataFrame) -> pd.DataFrame:
    """Return clauses marked as not checked."""
    return clauses.assign(verification_status=pd.Series(pd.NA, index=clauses.index, dtype="str"))


class FigureWidget(go.FigureWidget):
    """plotly's own widget, whose script is read after its model is ready."""

    _script = Unicode(str(go.FigureWidget._esm)).tag(sync=True)
    _synced = List([name for name in go.FigureWidget.class_trait_names() if name.startswith("_py2js_")]).tag(sync=True)
    _esm = Path(__file__).with_name("figure.js")


_ELSEWHERE: Final = "A form to type in, where the notebook runs."


def is_attended() -> bool:
    """Say whether the cell that runs was sent by a front end with a person before it.

    Such a front end can answer a question of the kernel (`allow_stdin` of the execute request, Jupyter messaging
    protocol); papermill, nbconvert and nbval say that they cannot. So a headless run makes no widget, opens no
    comm and leaves no widget state in the notebook.
    """
    kernel = getattr(get_ipython(), "kernel", None)
    return kernel is not None and bool(kernel.get_parent("shell").get("content", {}).get("allow_stdin"))


class Live:
    """A widget with a static twin; last in a cell, or given to `display`."""

    controls: ClassVar[Any]
    """Makes the controls of such a widget."""

    @cached_property
    def panel(self) -> Any:
        """The controls, made when they are first asked for; `panel.root` is the ipywidget that holds them."""
        return self.controls(self)

    def twin(self) -> Sequence[Section | Chart]:
        """Return the sections and charts that a page shows in the widget's place: its first state."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        """Show the widget, carrying its twin for exporters; the twin alone if nobody could use the widget."""
        pieces = self.twin()
        if not is_attended():
            for piece in pieces:
                display(piece)
            return
        sections = [piece for piece in pieces if isinstance(piece, Section)]
        text = "\n".join(section.text for section in sections) or _ELSEWHERE
        html = "".join(piece.html for piece in pieces) or live_html_of((Paragraph(_ELSEWHERE, "note"),))
        parts = tuple(part for section in sections for part in section.parts)
        shown = {"text/plain": text, "text/html": html, PAGE_TYPE: encode(parts)}
        display({**self.panel.root._repr_mimebundle_(), **shown}, raw=True)


_STEPS: Final = ("the snapshot could be fetched", "its bytes have the SHA-256 named", "the quote is at its offsets")
_HELD: Final = {"unavailable": 0, "hash_mismatch": 1, "missing": 2, "altered": 2, "moved": 2, "verified": 3}
"""How many of the steps held, by status."""


def findings_of(records: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Return clauses as a search or an answer gives them as a frame of findings."""
    return findings_frame({**record, "slug": record.get("slug", record.get("platform"))} for record in records)


def clause_card(row: Record) -> Parts:
    """Return one clause in its paragraph, as far as that is read, with its platform, surface, level and source."""
    sha256, rule = show.text(row["snapshot_sha256"]), show.text(row.get("rule"))
    facts = show.below(show.clause_facts(row)), show.below(("SHA-256 ", Text(sha256, "code")) if sha256 else "")
    more = (*facts, show.below(f"decided by {rule}" if rule else ""))
    return Paragraph(_whose(row)), show.quote(row, mark=show.level(row["level"]), more=more, alone=True)


def _whose(row: Record) -> tuple[Words, ...]:
    """Return the platform and the surface of a clause."""
    platform = show.name(row["slug"] if is_missing(row["name"]) else row["name"])
    return Text(platform, "strong"), " · ", surface_name(show.text(row["surface"]))


def source_line(row: Record, answer: str, mark: str = "") -> Words:
    """Return the source of a clause, its mark, and the clause if the answer that cites it does not hold its words."""
    quote = show.text(row["quote"])
    words = () if plain_words(quote) in answer else (BREAK, Text(show.in_paragraph(row), "quote"))
    return *_whose(row), " ", show.level(row["level"]), " ", show.source(row, alone=True), mark, *words


def check_steps(row: Record, moment: datetime) -> Parts:
    """Return what a check of a quote found, step by step.

    Parameters
    ----------
    row : mapping
        A finding, `verification_status` as the check found it.
    moment : datetime
        When, UTC.
    """
    status = row["verification_status"]
    steps = tuple(map(" ".join, zip("✓" * _HELD[status] + "✗––", _STEPS, strict=False)))
    return Paragraph((show.verification(status), f", checked {moment:%Y-%m-%d %H:%M:%S} UTC")), Listing(steps)
