"""A live form where somebody can click, a static twin where nobody can."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics import widgets
from riskanalytics.client import Client
from riskanalytics.pages.section import Section, decode, html_of
from riskanalytics.pages.values import PAGE_TYPE
from tests.widgets.given import TRAINING, Shell


def test_a_twin_shows_the_first_state_and_makes_no_widget(client: Client) -> None:
    view = widgets.explorer(client)
    figure, *sections = view.twin()
    assert figure.name == "surface_matrix"
    assert TRAINING in "".join(section.html for section in sections)
    assert "panel" not in vars(view)
    assert widgets.clause_search(client).twin() == []
    assert widgets.ask(client).twin() == []
    assert "irrevocable" in widgets.clause_search(client, "irrevocable").twin()[0].html
    assert "<h3>What is the weather?</h3>" in widgets.ask(client, "What is the weather?").twin()[0].html


@pytest.mark.parametrize("attended", [True, False])
def test_a_front_end_with_a_person_gets_the_widget_and_the_exporter_its_twin(
    client: Client, attended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("riskanalytics.widgets.parts.display", lambda piece, raw=False: shown.append(piece))
    monkeypatch.setattr("IPython.get_ipython", lambda: Shell(attended))
    view = widgets.comparison(client)
    view._ipython_display_()
    (piece,) = shown
    if attended:
        assert set(piece) == {"application/vnd.jupyter.widget-view+json", "text/html", "text/plain", PAGE_TYPE}
        assert TRAINING in html_of(decode(piece[PAGE_TYPE]))
        assert TRAINING in piece["text/html"]
        widgets.ask(client)._ipython_display_()
        assert "Interactive form" in shown[1]["text/html"]
        explorer = widgets.explorer(client)
        explorer._ipython_display_()
        chart, *sections = explorer.twin()
        assert shown[2]["text/html"] == chart.html + "".join(section.html for section in sections)
    else:
        assert isinstance(piece, Section)
        assert "panel" not in vars(view)
