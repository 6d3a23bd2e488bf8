"""Two widgets that ask the service: clauses by their words, and questions answered with cited clauses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

import ipywidgets

from riskanalytics.client import Client
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.frames import rows_of
from riskanalytics.models import DISCLAIMER, SURFACE_NAMES
from riskanalytics.reporting.blocks.words import plural, text
from riskanalytics.reporting.display import Block
from riskanalytics.widgets.cards import clause_card, findings_of, source_card
from riskanalytics.widgets.parts import ANY, choice, failed, field, note, on_submit, plain, root, row
from riskanalytics.widgets.twin import Live

_MOST: Final = 20


class _Asking(Live):
    """A line to type in, a button, and what the service answers.

    Parameters
    ----------
    client : Client
    first : str
        What is asked at the beginning; where it is empty, a page shows nothing in the widget's place.
    """

    title, purpose, label, placeholder, action, by_surface = "", "", "", "", "", False

    def __init__(self, client: Client, first: str) -> None:
        self._client = client
        self.first = first.strip()

    def answered(self, asked: str, surface: str | None) -> str:
        """Return the answer as HTML; everything from outside escaped.

        Raises
        ------
        RiskAnalyticsError
        """
        raise NotImplementedError

    def twin(self) -> Sequence[Block]:
        """Return what was asked at the beginning with its answer; nothing where nothing was asked."""
        if not self.first:
            return []
        html = f"<section aria-label='{self.title}'><h3>{text(self.first)}</h3>{self.told(self.first)}</section>"
        return [Block(html, f"{self.title}: {plain(self.first)}")]

    def told(self, asked: str, surface: str | None = None) -> str:
        """Return the answer, or in one line why there is none."""
        if not asked.strip():
            return note("Type something first.")
        try:
            return self.answered(asked.strip(), surface)
        except RiskAnalyticsError as error:
            return failed(error)

    def _made(self) -> AskingPanel:
        return AskingPanel(self)


class AskingPanel:
    """The controls of `ClauseSearch` and `Ask`.

    Parameters
    ----------
    asking : ClauseSearch or Ask
    """

    def __init__(self, asking: _Asking) -> None:
        self._asking = asking
        self.line = field(asking.label, asking.placeholder, asking.first)
        options = [("any surface", ANY), *((words, surface) for surface, words in SURFACE_NAMES.items())]
        self.surface = choice("Surface", options, width="12rem")
        self.button = ipywidgets.Button(description=asking.action, button_style="primary")
        self.answer = ipywidgets.HTML(asking.told(asking.first) if asking.first else "")
        self.button.on_click(lambda _: self.submit())
        on_submit(self.line, self.submit)
        controls = [self.line, self.surface, self.button] if asking.by_surface else [self.line, self.button]
        self.root = root(asking.title, asking.purpose, row(*controls), self.answer)

    def submit(self) -> None:
        """Ask, showing that it is being asked."""
        self.button.disabled = True
        self.answer.value = note("Working…")
        try:
            self.answer.value = self._asking.told(self.line.value, self.surface.value or None)
        finally:
            self.button.disabled = False


class ClauseSearch(_Asking):
    """Full-text search over all verified clauses; see `clause_search`."""

    title, purpose = "Search clauses", "Finds the words anywhere in the verified clauses, best match first."
    label, placeholder, action, by_surface = "Words", "for example: perpetual, irrevocable", "Search", True

    def answered(self, asked: str, surface: str | None) -> str:
        """Return the best matches as quotes with their sources."""
        found = findings_of(islice(self._client.search_clauses(asked, surface), _MOST + 1))
        if found.empty:
            return note("No verified clause holds these words. Other words may: policies say one thing in many ways.")
        rows = rows_of(found)[:_MOST]
        head = f"The best {_MOST} matches:" if len(found) > _MOST else f"{plural(len(rows), 'clause')}:"
        return f"<p role=status>{head}</p>{''.join(map(clause_card, rows))}"


class Ask(_Asking):
    """Questions answered with cited clauses only; see `ask`."""

    title, purpose = "Ask", "Answers out of cited clauses only, and says so where the documents carry no answer."
    label, placeholder, action, by_surface = (
        "Question",
        "for example: which platforms sell personal data?",
        "Ask",
        False,
    )

    def answered(self, asked: str, surface: str | None) -> str:  # noqa: ARG002 (a question names its subject itself)
        """Return the answer with its clauses, or the refusal with its reason."""
        told = self._client.ask(asked)
        if told.get("refused") is not False:
            return f"<div role=status><p><strong>No answer.</strong> {_lines(told.get('answer'))}</p>{_refusal(told)}</div>"
        given = told.get("citations")
        cited = findings_of(one for one in (given if isinstance(given, list) else []) if isinstance(one, Mapping))
        listed = "".join(f"<li>{source_card(one, str(told.get('answer')))}</li>" for one in rows_of(cited))
        return f"<div role=status><p>{_lines(told.get('answer'))}</p><ol class=ra-cited>{listed}</ol></div>{note(DISCLAIMER)}"


def _lines(value: object) -> str:
    """Return a text of several lines."""
    return "<br>".join(text(line) for line in str(value or "").splitlines())


def _refusal(told: Mapping[str, Any]) -> str:
    """Return why a question was refused."""
    reason = str(told.get("reason") or "").replace("_", " ")
    return note(f"Reason: {reason}.") if reason else ""


def clause_search(client: Client, query: str = "") -> ClauseSearch:
    """Search all verified clauses by their words.

    Parameters
    ----------
    client : Client
        Its machine search is open: it needs no key.
    query : str
        What is searched at the beginning; a page shows its results, and nothing where it is empty.

    Returns
    -------
    ClauseSearch
        Last in a cell, or given to `display`.
    """
    return ClauseSearch(client, query)


def ask(client: Client, question: str = "") -> Ask:
    """Ask questions of the verified findings.

    Parameters
    ----------
    client : Client
        Its answers are open: they need no key.
    question : str
        What is asked at the beginning; a page shows its answer, and nothing where it is empty.

    Returns
    -------
    Ask
        Last in a cell, or given to `display`.
    """
    return Ask(client, question)
