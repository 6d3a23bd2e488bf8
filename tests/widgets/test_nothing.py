"""The explorer where nothing is there."""

from __future__ import annotations

import pandas as pd

from riskanalytics import widgets
from tests.frames_given import Market
from tests.widgets.given import given


def test_no_widget_fails_without_rows() -> None:
    market = Market(0)
    view = widgets.explorer(given(market))
    assert "0 of 0 platforms match" in view.panel.count.value
    assert all(view.twin())
    assert "Choose two to 8" in widgets.comparison(given(market)).panel.sides.value
    assert isinstance(market.platforms, pd.DataFrame)
