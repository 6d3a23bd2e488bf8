"""The upload button of plotly, which sends a chart to another company, is not shown to readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import plotly.express as px
import plotly.graph_objects as go
import plotly.io as pio
import pytest

from riskanalytics import analysis, charts, theme
from riskanalytics.pages.values import FIGURE_TYPE
from tests.frames_given import Market


@pytest.fixture
def figure() -> go.Figure:
    return charts.freshness(analysis.freshness(Market(3).documents, "2026-07-31")).figure


def buttons(browser: Any, page: Path) -> list[str]:
    """Return the names of the buttons over a figure of a page."""
    view = browser.new_page()
    view.goto(page.as_uri())
    view.wait_for_selector(".modebar-btn", state="attached")
    names = view.evaluate("[...document.querySelectorAll('.modebar-btn')].map(one => one.dataset.title)")
    view.close()
    return [str(name) for name in names]


@pytest.mark.slow
@pytest.mark.browser
def test_our_saved_figures_have_no_upload_button(
    browser: Any, figure: go.Figure, tmp_path: Path
) -> None:
    theirs = go.Figure(figure).update_layout(modebar=None)
    theirs.write_html(tmp_path / "theirs.html")
    assert "Share chart..." in buttons(browser, tmp_path / "theirs.html")
    figure.update_layout(template="plotly_white").write_html(tmp_path / "ours.html", config={"scrollZoom": True})
    shown = buttons(browser, tmp_path / "ours.html")
    assert "Download plot as a PNG" in shown
    assert "Share chart..." not in shown


def test_charts_and_widgets_disable_the_button_in_the_figure(figure: go.Figure) -> None:
    empty = charts.rating_mix(analysis.rating_mix(Market(0).platforms))
    for layout in (empty._repr_mimebundle_()[FIGURE_TYPE]["layout"], go.FigureWidget(figure).layout):
        assert layout["modebar"]["remove"] == theme.UPLOAD


def test_a_readers_own_plotly_figures_have_no_button_unless_chosen() -> None:
    renderers = dict(pio.renderers.items())
    result = renderers["plotly_mimetype"].to_mimebundle(px.bar(x=[1], y=[1]).to_dict())
    assert result[FIGURE_TYPE]["config"] == {"showSendToCloud": False}
    assert all(one.config["showSendToCloud"] is False for one in renderers.values() if hasattr(one, "config"))
    renderers["browser"].config = {"showSendToCloud": True, "scrollZoom": True}
    try:
        theme.register()
        assert renderers["browser"].config == {"showSendToCloud": True, "scrollZoom": True}
    finally:
        renderers["browser"].config = {"showSendToCloud": False}
