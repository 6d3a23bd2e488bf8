"""Heatmaps and counted levels show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import pandas as pd

from riskanalytics.topics.ratings import chart
from riskanalytics.topics.ratings import matrix as analysis
from tests.frames_given import CELLS, FINDINGS, PLATFORMS, given

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"
CHARTS = {draw.__name__: draw for draw in (chart.risk_matrix, chart.surface_matrix, chart.level_counts)}


def test_the_matrix_distinguishes_quiet_from_unread_and_unknown_from_low() -> None:
    cells = given(
        CELLS,
        {"slug": "aurelia-chat", "surface": "training_use", "risk": "LOW", "state": "found", "count": 2},
        {"slug": "aurelia-chat", "surface": "output_rights", "risk": None, "state": "quiet", "count": 0},
        {"slug": "aurelia-chat", "surface": "ip_liability", "risk": "SEVERE", "state": "found", "count": 1},
        {"slug": "aurelia-chat", "surface": "ads_tracking", "state": "to_read", "count": 0, "to_read": 2},
    )
    figure = chart.risk_matrix(analysis.risk_matrix(given(FINDINGS), cells)).figure
    (heat,) = figure.data
    shown = dict(zip(heat.x, zip(heat.z[0], heat.text[0], heat.hovertext[0], strict=True), strict=True))
    assert shown["Training use"] == (1, "L", "LOW, 2 clauses")
    assert shown["Output rights"] == (None, "", "no clause found")
    assert shown["Human review"] == (0, "–", "not read")
    assert shown["Ads and tracking"] == (0, "?", "to be read (2 clauses)")
    assert shown["IP liability"] == (0, "?", "level not known: SEVERE; to be read (1 clause)")


def test_a_heatmap_of_the_worst_says_of_how_many() -> None:
    ratings = {"opal": "LOW", "tarn": "HIGH", "quill": "MED"}
    platforms = given(PLATFORMS, *({"slug": slug, "rating": rating} for slug, rating in ratings.items()))
    matrix = analysis.risk_matrix(given(FINDINGS), given(CELLS), platforms)
    whole, surface = chart.risk_matrix(matrix, most=2), chart.surface_matrix(matrix, most=2)
    assert whole.title.startswith("1 of 3 platforms is rated HIGH; the 2 worst are shown")
    assert "0 of 3 platforms are rated HIGH; the 2 worst are shown" in surface.title
    for made in (whole, surface):
        assert list(made.figure.data[0].y) == ["Tarn", "Quill"]
        assert made.words.startswith("Heatmap of 2 platforms by 12 surfaces, worst first.")
        pd.testing.assert_frame_equal(made.table, analysis.level_counts(matrix))
    assert chart.risk_matrix(matrix, most=3).title == "1 of 3 platforms is rated HIGH"


def test_two_platforms_of_one_name_keep_two_rows() -> None:
    platforms = given(PLATFORMS, {"slug": "lumen", "name": "Lumen"}, {"slug": "lumen-2", "name": "Lumen"})
    figure = chart.risk_matrix(analysis.risk_matrix(given(FINDINGS), given(CELLS), platforms)).figure
    assert list(figure.data[0].y) == ["Lumen (lumen)", "Lumen (lumen-2)"]
