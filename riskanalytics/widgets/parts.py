"""Shared parts of the widgets: controls, styles, clauses, data, and the choice between an interactive and a static form."""

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
from riskanalytics.work import attended_shell

_FILLS: Final = "".join(
    f".ra .{letter}{{background:{LEVEL_COLOURS['light'][word]};color:{LEVEL_TEXT['light'][word]}}}"
    for letter, word in LEVEL_STYLES.items()
)


class Frame(anywidget.AnyWidget):
    """An invisible part of each widget: its styles, and a script that stops key presses in it from acting on the notebook."""

    _esm = Path(__file__).with_name("widgets.js")
    _css = Path(__file__).with_name("widgets.css").read_text(encoding="utf-8") + _FILLS


def root(title: str, purpose: str, *children: ipywidgets.Widget) -> ipywidgets.VBox:
    """Return the ipywidget that contains a whole widget: its title, its purpose in one line, and its `children`."""
    head = ipywidgets.HTML(html_of((Paragraph(title, "ra-title"), Paragraph(purpose, "ra-for"))))
    return ipywidgets.VBox([Frame(), head, *children]).add_class("ra")


def row(*children: ipywidgets.Widget) -> ipywidgets.Box:
    """Return controls side by side, wrapped if they do not fit."""
    return ipywidgets.Box(children).add_class("ra-row")


def growing(control: ipywidgets.DOMWidget) -> ipywidgets.Widget:
    """Style a control, so that its label is above it and it takes all available width, and return it."""
    return control.add_class("ra-over").add_class("ra-grow")


ANY: Final = ""
"""Value of the option that filters nothing; not None, which a drop-down list does not show."""


def choice(title: str, options: Iterable[tuple[str, str]], value: str | None = ANY) -> ipywidgets.Dropdown:
    """Return a drop-down list with its label `title` above it.

    Each option is a pair of its text and its value; `value` is the value of the option that is chosen at first.
    """
    return ipywidgets.Dropdown(options=list(options), value=value, description=title).add_class("ra-over")


def field(title: str, placeholder: str, value: str = "") -> ipywidgets.Widget:
    """Return a text field with its label `title` above it.

    `placeholder` is the hint in an empty field, `value` the text that the field contains at first.
    """
    return growing(ipywidgets.Text(value=value, placeholder=placeholder, description=title))


def plain(value: object, width: int = 60) -> str:
    """Return a value as text for a label or an option: one line of at most `width` characters.

    Invisible characters, such as controls, are replaced by visible marks.
    """
    return unescape(label(value, width))


def note(words: str) -> str:
    """Return a text as an HTML paragraph in the style of a note."""
    return html_of((Paragraph(words, "note"),))


def failure(error: RiskAnalyticsError) -> Paragraph:
    """Return a paragraph that shows an error in one line."""
    return Paragraph((Text("Failed:", "strong"), f" {' '.join(str(error).split())}"))


def live(*parts: Part) -> str:
    """Return parts of a page as HTML that screen readers announce when they appear.

    The HTML has no anchors, because a notebook may contain several widgets.
    """
    return rendered("widget.html.jinja", Figures(), shown=parts, once=lambda _: False)


class Soon:
    """Delays calls (debounce): of several calls in quick succession only the last one runs, after a pause.

    Without a running event loop (outside a kernel) every call runs at once.

    Parameters
    ----------
    seconds : float
        Length of the pause.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: asyncio.TimerHandle | None = None

    def __call__(self, act: Callable[[], object]) -> None:
        """Schedule a call; it replaces a call that is still waiting."""
        if self._waiting:
            self._waiting.cancel()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            act()
            return
        self._waiting = loop.call_later(self._seconds, act)


Source = Dataset | Client | None
"""Source of a widget's data: a data set; a client, for its newest data; or None, for the service of the settings."""


def loaded(source: Source, surface: str) -> tuple[Dataset, pd.DataFrame, str]:
    """Return the data set of a widget, its risk matrix, and `surface`, after checking that this surface exists.

    `surface` is the identifier of the surface that the widget shows first, such as `data_retention`; spaces around it are removed.

    `source` is a data set; or a client, whose newest data are loaded; or None for the service in the settings.

    Raises
    ------
    ParameterError
        If the surface is unknown.
    """
    data = source if isinstance(source, Dataset) else load(source)
    matrix = data.views.risk_matrix
    return data, matrix, surface_of(surface, matrix["surface"].unique())


def client_of(source: Source) -> Client:
    """Return the client with which a widget sends queries to its service.

    `source` is that client, a data set that has a client, or None for the service in the settings.

    Raises
    ------
    ReportError
        If the data set has no client.
    """
    client = source if isinstance(source, Client) else (source or load()).client
    if client is None:
        raise ReportError(
            "this data set has no client, so no service can answer questions: load it with ra.load(ra.connect(...))"
        )
    return client


def unchecked(clauses: pd.DataFrame) -> pd.DataFrame:
    """Return all `clauses` with an empty column `verification_status`, so that pages show them as not checked."""
    return clauses.assign(verification_status=pd.Series(pd.NA, index=clauses.index, dtype="str"))


class FigureWidget(go.FigureWidget):
    """plotly's `FigureWidget`, but ready at once: its own small script is loaded first, and plotly's large script after it."""

    _script = Unicode(str(go.FigureWidget._esm)).tag(sync=True)
    _synced = List([name for name in go.FigureWidget.class_trait_names() if name.startswith("_py2js_")]).tag(sync=True)
    _esm = Path(__file__).with_name("figure.js")


_ELSEWHERE: Final = "Interactive form, available in the running notebook."


class Live:
    """Base class of widgets. A notebook shows a widget if it is the last value of a cell, or is passed to `display`.

    A page, or a run without a person, shows its static form instead: what the method `twin` returns.
    """

    controls: ClassVar[Any]
    """Class of the widget's controls, called with the widget."""

    @cached_property
    def panel(self) -> Any:
        """The interactive controls, made on first use; `panel.root` is the ipywidget that contains them."""
        return self.controls(self)

    def twin(self) -> Sequence[Section | Chart]:
        """Return the sections and charts that a page shows instead of the widget: what the widget shows at first."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        """Show the widget, with its twin for exporters; if no person can use the widget, show only the twin.

        So a headless run makes no widget, opens no comm and leaves no widget state in the notebook.
        """
        pieces = self.twin()
        if attended_shell() is None:
            for piece in pieces:
                display(piece)
            return
        sections = [piece for piece in pieces if isinstance(piece, Section)]
        text = "\n".join(section.text for section in sections) or _ELSEWHERE
        html = "".join(piece.html for piece in pieces) or live_html_of((Paragraph(_ELSEWHERE, "note"),))
        parts = tuple(part for section in sections for part in section.parts)
        shown = {"text/plain": text, "text/html": html, PAGE_TYPE: encode(parts)}
        display({**self.panel.root._repr_mimebundle_(), **shown}, raw=True)


_STEPS: Final = ("the snapshot could be fetched", "its bytes have the stated SHA-256", "the quote is at its offsets")
_HELD: Final = {"unavailable": 0, "hash_mismatch": 1, "missing": 2, "altered": 2, "moved": 2, "verified": 3}
"""Verification status -> number of steps that succeeded."""


def findings_of(records: Iterable[Mapping[str, object]]) -> pd.DataFrame:
    """Return clauses as a frame of findings; `records` are the clauses in a service's response to a search or question."""
    return findings_frame({**record, "slug": record.get("slug", record.get("platform"))} for record in records)


def clause_card(row: Record) -> Parts:
    """Return a finding as parts of a page: its quote (in its paragraph if known), platform, surface, level and source."""
    sha256, rule = show.text(row["snapshot_sha256"]), show.text(row.get("rule"))
    facts = show.below(show.clause_facts(row)), show.below(("SHA-256 ", Text(sha256, "code")) if sha256 else "")
    more = (*facts, show.below(f"decided by {rule}" if rule else ""))
    return Paragraph(_whose(row)), show.quote(row, mark=show.level(row["level"]), more=more, alone=True)


def _whose(row: Record) -> tuple[Words, ...]:
    """Return the platform and the surface of a clause."""
    platform = show.name(row["slug"] if is_missing(row["name"]) else row["name"])
    return Text(platform, "strong"), " · ", surface_name(show.text(row["surface"]))


def source_line(row: Record, answer: str, mark: str = "") -> Words:
    """Return the line for a clause that an answer cites: its platform, surface, level and source.

    A remark on the clause, `mark`, follows, such as `, to be read, not a finding`. If `answer`, the text of the answer, does not
    contain the words of the clause, they are added at the end.
    """
    quote = show.text(row["quote"])
    words = () if plain_words(quote) in answer else (BREAK, Text(show.in_paragraph(row), "quote"))
    return *_whose(row), " ", show.level(row["level"]), " ", show.source(row, alone=True), mark, *words


def check_steps(row: Record, moment: datetime) -> Parts:
    """Return the result of verifying a quote as parts of a page: its status, the time, and each step with a tick or a cross.

    Parameters
    ----------
    row : mapping
        A finding, with its new `verification_status`.
    moment : datetime
        Time of the verification, UTC.
    """
    status = row["verification_status"]
    steps = tuple(map(" ".join, zip("✓" * _HELD[status] + "✗––", _STEPS, strict=False)))
    return Paragraph((show.verification(status), f", checked {moment:%Y-%m-%d %H:%M:%S} UTC")), Listing(steps)
