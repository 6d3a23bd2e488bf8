"""Heatmaps and counted levels show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from riskanalytics.topics.matrix import analysis, chart
from tests.frames_given import CELLS, FINDINGS, PLATFORMS, Market, given
from tests.topics.matrix.test_analysis import frames

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"
CHARTS = {draw.__name__: draw for draw in (chart.risk_matrix, chart.surface_matrix, chart.level_counts)}


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_draws_none_one_and_many_rows_without_touching_its_frame(name: str, size: int) -> None:
    frame = frames(Market(size))[name]
    before = frame.copy(deep=True)
    made = CHARTS[name](frame)
    assert made.name == name
    assert made.figure.layout.title.text
    assert len(made.figure.to_json()) < 20_000
    assert made.words.endswith(".")
    assert (made.words == "No data for this chart.") == (size == 0)
    pd.testing.assert_frame_equal(frame, before)


def test_the_matrix_sets_quiet_apart_from_unread_and_unknown_apart_from_low() -> None:
    cells = given(
        CELLS,
        {"slug": "aurelia-chat", "surface": "training_use", "risk": "LOW", "state": "found", "count": 2},
        {"slug": "aurelia-chat", "surface": "output_rights", "risk": None, "state": "quiet", "count": 0},
        {"slug": "aurelia-chat", "surface": "ip_liability", "risk": "SEVERE", "state": "found", "count": 1},
    )
    figure = chart.risk_matrix(analysis.risk_matrix(given(FINDINGS), cells), rating=False).figure
    (heat,) = figure.data
    shown = dict(zip(heat.x, zip(heat.z[0], heat.text[0], heat.hovertext[0], strict=True), strict=True))
    assert shown["Training use"] == (1, "L", "LOW, 2 clauses")
    assert shown["Output rights"] == (None, "", "read, nothing found")
    assert shown["Human review"] == (0, "?", "not read")
    assert shown["IP liability"] == (0, "?", "not known (SEVERE), 1 clause")


def test_a_heatmap_of_the_worst_says_of_how_many() -> None:
    ratings = {"opal": "LOW", "tarn": "HIGH", "quill": "MED"}
    platforms = given(PLATFORMS, *({"slug": slug, "rating": rating} for slug, rating in ratings.items()))
    matrix = analysis.risk_matrix(given(FINDINGS), platforms=platforms)
    whole, surface = chart.risk_matrix(matrix, most=2), chart.surface_matrix(matrix, most=2)
    assert whole.title.startswith("Where is the risk? The worst 2 of 3 platforms, 1 rated HIGH")
    assert "the worst 2 of 3 platforms, 0 at HIGH" in surface.title
    for made in (whole, surface):
        assert list(made.figure.data[0].y) == ["Tarn", "Quill"]
        assert made.words.startswith("Heatmap of 2 platforms by 12 surfaces, worst first, beginning with Tarn.")
        pd.testing.assert_frame_equal(made.table, analysis.level_counts(matrix))
    assert chart.risk_matrix(matrix, most=3).title == "Where is the risk? 3 platforms, 1 rated HIGH, worst first"


def test_two_platforms_of_one_name_keep_two_rows() -> None:
    platforms = given(PLATFORMS, {"slug": "lumen", "name": "Lumen"}, {"slug": "lumen-2", "name": "Lumen"})
    figure = chart.risk_matrix(analysis.risk_matrix(given(FINDINGS), platforms=platforms)).figure
    assert list(figure.data[0].y) == ["Lumen (lumen)", "Lumen (lumen-2)"]


def test_names_and_ratings_cannot_smuggle_markup_into_a_figure() -> None:
    market = Market(3)
    market.platforms["name"] = market.cells["name"] = market.platforms["rating"] = HOSTILE
    told = frames(market)
    for name, draw in CHARTS.items():
        text = json.dumps(json.loads(draw(told[name]).figure.to_json()), ensure_ascii=False)
        assert "<img" not in text
        assert "</script" not in text
        assert "\u202e" not in text
