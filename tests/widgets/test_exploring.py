"""Platforms beside each other."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics import widgets
from riskanalytics.client import Client
from riskanalytics.errors import ReportError
from tests.frames_given import CELLS, PLATFORMS, Market
from tests.frames_given import given as frame
from tests.widgets.given import TRAINING, given


def test_two_to_eight_platforms_are_chosen(client: Client) -> None:
    panel = widgets.comparison(client, "content_license", ["aurelia-chat", "cafe-lumiere"]).panel
    assert panel.platforms.options == (
        ("Aurelia Chat (aurelia-chat)", "aurelia-chat"), ("Café Lumière (cafe-lumiere)", "cafe-lumiere"),
        ("Northwind Draft (northwind-draft)", "northwind-draft"),
    )  # fmt: skip
    assert panel.sides.value.count("<h3>") == 2
    assert "perpetual, irrevocable" in panel.sides.value
    assert "not checked" not in panel.sides.value
    panel.platforms.value = [*panel.platforms.value, "northwind-draft"]
    assert panel.sides.value.count("<h3>") == 3
    assert "not read" in panel.sides.value
    panel.surface.value = "training_use"
    assert TRAINING in panel.sides.value
    panel.platforms.value = ["northwind-draft"]
    assert "Choose two to 8 platforms" in panel.sides.value
    with pytest.raises(ReportError, match="no platform 'nobody'"):
        widgets.comparison(client, slugs=["nobody", "aurelia-chat"])
    with pytest.raises(ReportError, match="give 2 to 8 slugs, not 1"):
        widgets.comparison(client, slugs=["aurelia-chat"])


def test_the_three_weightiest_clauses_of_each_platform_are_compared_and_the_others_counted() -> None:
    market = Market(2)
    many = pd.concat([market.findings.assign(finding_id=f"f{number}") for number in range(5)], ignore_index=True)
    html = widgets.comparison(given(market, findings=many)).twin()[0].html
    assert html.count("<blockquote>") == 6
    assert html.count("2 more clauses not shown") == 2


def test_eight_platforms_are_the_most() -> None:
    market = Market(30)
    panel = widgets.comparison(given(market)).panel
    panel.platforms.value = [slug for _, slug in panel.platforms.options[:8]]
    assert panel.sides.value.count("<h3>") == 8
    panel.platforms.value = [slug for _, slug in panel.platforms.options[:9]]
    assert "Choose two to 8 platforms" in panel.sides.value


def test_the_two_platforms_with_the_highest_level_are_compared_first_and_one_without_a_level_is_not() -> None:
    states = {"low": ("found", "LOW"), "read": ("to_read", None), "unread": ("unread", None), "med": ("found", "MED")}
    cells = [
        {"slug": slug, "surface": "training_use", "state": state, "risk": risk, "count": 1}
        for slug, (state, risk) in states.items()
    ]
    data = given(
        Market(0), platforms=frame(PLATFORMS, *({"slug": slug} for slug in states)), surfaces=frame(CELLS, *cells)
    )
    assert widgets.comparison(data).slugs == ["med", "low"]
