"""Widgets that query the service: a search for clauses, and questions answered with cited clauses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

import ipywidgets

from riskanalytics.client import Client
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.frames import rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.rows import separated
from riskanalytics.pages.section import Section, section
from riskanalytics.pages.values import BREAK, Heading, Listing, Paragraph, Parts, Text
from riskanalytics.surfaces import SURFACE_NAMES
from riskanalytics.text.wording import plural

from . import parts as ui
from .parts import Live, Source, plain

_MOST: Final = 20
_TO_READ: Final = ", to be read, not a finding"


class AskingPanel:
    """The controls that `ClauseSearch` and `Ask` show: a text field, a button and the answer.

    Parameters
    ----------
    asking : ClauseSearch or Ask
        The widget whose controls these are; it answers the queries.
    """

    def __init__(self, asking: _Asking) -> None:
        self._asking = asking
        self.line = ui.field(asking.label, asking.placeholder, asking.first)
        options = [("any surface", ui.ANY), *((words, surface) for surface, words in SURFACE_NAMES.items())]
        self.surface = ui.choice("Surface", options)
        self.button = ipywidgets.Button(description=asking.action, button_style="primary")
        self.answer = ipywidgets.HTML()
        self.button.on_click(self.submit)
        self.line.on_msg(lambda _, content, __: self.submit() if content.get("event") == "submit" else None)
        controls = [self.line, *([self.surface] if asking.by_surface else []), self.button]
        self.root = ui.root(asking.title, asking.purpose, ui.row(*controls), self.answer)
        if asking.first:
            self.submit()

    def submit(self, *_: object) -> None:
        """Send the query in the text field to the service, and show the answer; arguments from ipywidgets are ignored."""
        question = self.line.value.strip()
        if not question:
            self.answer.value = ui.note("Type something first.")
            return
        self.button.disabled = True
        self.answer.value = ui.note("Working…")
        try:
            self.answer.value = ui.live(*self._asking.shown(question, self.surface.value or None))
        finally:
            self.button.disabled = False


class _Asking(Live):
    """A text field, a button, and the answer of the service.

    Parameters
    ----------
    client : Client
    first : str
        First query. If empty, an exported page leaves the widget out.
    """

    title, purpose, label, placeholder, action, by_surface = "", "", "", "", "", False
    controls = AskingPanel

    def __init__(self, client: Client, first: str) -> None:
        self._client = client
        self.first = first.strip()

    def answered(self, question: str, surface: str | None) -> Parts:
        """Return the answer of the service as parts of a page.

        Raises
        ------
        RiskAnalyticsError
        """
        raise NotImplementedError

    def shown(self, question: str, surface: str | None) -> Parts:
        """Return the answer, or one line that says why it is missing."""
        try:
            return self.answered(question, surface)
        except RiskAnalyticsError as error:
            return (ui.failure(error),)

    def twin(self) -> Sequence[Section]:
        """Return the first query with its answer; empty without a query."""
        if not self.first:
            return []
        parts = Heading(self.first), *self.shown(self.first, None)
        return [section(self.title, *parts, text=f"{self.title}: {plain(self.first)}")]


class ClauseSearch(_Asking):
    """The widget that `clause_search` makes: full-text search over all verified clauses."""

    title, purpose = "Search clauses", "Finds words anywhere in the verified clauses, best match first."
    label, placeholder, action, by_surface = "Words", "perpetual, irrevocable", "Search", True

    def answered(self, question: str, surface: str | None) -> Parts:
        """Return the clauses that match the words in `question` best, as parts of a page: quotes with their sources.

        `surface` is the surface on which to search; None for all.
        """
        found = rows_of(ui.findings_of(islice(self._client.search_clauses(question, surface), _MOST + 1)))
        if not found:
            words = "No verified clause contains these words. Try other words."
            return (Paragraph(words, "note"),)
        head = f"The best {_MOST} matches:" if len(found) > _MOST else f"{plural(len(found), 'match', 'matches')}:"
        return Paragraph(head), *(part for row in found[:_MOST] for part in ui.clause_card(row))


class Ask(_Asking):
    """The widget that `ask` makes: it answers questions with cited clauses only."""

    title, purpose = "Ask", "Answers with cited clauses, or says that the documents do not answer the question."
    label, placeholder, action = "Question", "Which platforms sell personal data?", "Ask"

    def answered(self, question: str, surface: str | None) -> Parts:  # noqa: ARG002 (a question names its subject itself)
        """Return the answer to `question` with its clauses, or the refusal with its reason; `surface` is ignored."""
        response = self._client.ask(question)
        answer, cited = str(response.get("answer") or ""), records_of(response.get("citations"))
        lines = separated(answer.splitlines(), BREAK)
        leads = {one.get("id") for one in cited if one.get("to_read") is True}
        marked = ((row, _TO_READ if row["finding_id"] in leads else "") for row in rows_of(ui.findings_of(cited)))
        sources = tuple(ui.source_line(row, answer, mark) for row, mark in marked)
        listed = (Listing(sources, ordered=True),) if sources else ()
        if response.get("refused") is False:
            return Paragraph(lines), *listed, Paragraph(DISCLAIMER, "note")
        reason = str(response.get("reason") or "").replace("_", " ")
        why = Paragraph(f"Reason: {reason}." if reason else "", "note")
        return Paragraph((Text("No answer.", "strong"), " ", lines)), why, *listed


def clause_search(data: Source = None, query: str = "") -> ClauseSearch:
    """Make a widget that searches all verified clauses for words.

    Parameters
    ----------
    data : Dataset or Client, optional
        The data set or client whose service is searched. By default the service in the settings, else the embedded demo. No key
        is needed.
    query : str
        First search, whose results an exported page shows. If empty, the page leaves the widget out.

    Returns
    -------
    ClauseSearch
        The widget. To show it, make it the last value of a notebook cell, or pass it to `display`.

    Examples
    --------
    >>> widgets.clause_search(data).answered("irrevocable", "content_license")[0].words
    'The best 20 matches:'
    """
    return ClauseSearch(ui.client_of(data), query)


def ask(data: Source = None, question: str = "") -> Ask:
    """Make a widget that answers questions from the verified findings.

    Parameters
    ----------
    data : Dataset or Client, optional
        The data set or client whose service answers. By default the service in the settings, else the embedded demo. No key is
        needed.
    question : str
        First question, whose answer an exported page shows. If empty, the page leaves the widget out.

    Returns
    -------
    Ask
        The widget. To show it, make it the last value of a notebook cell, or pass it to `display`.

    Examples
    --------
    >>> answer = widgets.ask(data).answered("Does Orvewick Voice train on my data?", None)
    >>> answer[0].words[0]
    'Orvewick Voice, recorded stance on training use: trains on user content by default [1].'
    """
    return Ask(ui.client_of(data), question)
