"""Heatmaps and counted levels show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import pandas as pd

from riskanalytics.theme import LEVEL_COLOURS
from riskanalytics.topics.ratings import chart
from riskanalytics.topics.ratings import matrix as analysis
from riskanalytics.topics.ratings.surface import surface_matrix
from tests.frames_given import CELLS, FINDINGS, PLATFORMS, given
from tests.topics.ratings import given as five

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
    clause = {"slug": "aurelia-chat", "surface": "training_use", "captured_at": "2026-07-30"}
    figure = chart.risk_matrix(analysis.risk_matrix(given(FINDINGS, clause), cells)).figure
    (heat,) = figure.data
    shown = dict(zip(heat.x, zip(heat.z[0], heat.text[0], heat.hovertext[0], strict=True), strict=True))
    assert shown["Rating"] == (0, "?", "not known")
    assert shown["Training use"] == (1, "L", "LOW, 2 clauses, newest of 2026-07-30")
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
    every = chart.risk_matrix(matrix, most=3)
    assert every.title == "1 of 3 platforms is rated HIGH"
    (heat,) = every.figure.data
    assert [(z[0], text[0], words[0]) for z, text, words in zip(heat.z, heat.text, heat.hovertext, strict=True)] == [
        (3, "H", "HIGH"), (2, "M", "MED"), (1, "L", "LOW"),
    ]  # fmt: skip


def test_two_platforms_of_one_name_keep_two_rows() -> None:
    platforms = given(PLATFORMS, {"slug": "lumen", "name": "Lumen"}, {"slug": "lumen-2", "name": "Lumen"})
    figure = chart.risk_matrix(analysis.risk_matrix(given(FINDINGS), given(CELLS), platforms)).figure
    assert list(figure.data[0].y) == ["Lumen (lumen)", "Lumen (lumen-2)"]


def test_a_heatmap_of_one_surface_counts_and_names_who_is_high_on_it_and_counts_only_the_cells_shown() -> None:
    made = chart.surface_matrix(surface_matrix(five.matrix(), "data_retention"), most=2)
    assert made.title == "Data retention: 1 of 5 platforms is rated HIGH; the 2 worst are shown"
    cells = "1 HIGH, 1 MED, 0 LOW, 0 no clause found, 0 to be read, 22 not read"
    assert f" Cells: {cells}. " in made.words
    assert made.words.endswith(". HIGH: Opal.")
    training = chart.surface_matrix(surface_matrix(five.matrix(), "training_use"), most=1)
    assert training.words.endswith(". HIGH: Lumen.")
    assert (made.figure.layout.yaxis.autorange, made.figure.layout.xaxis.side) == ("reversed", "top")


def test_the_levels_of_each_surface_are_stacked_with_their_letters_and_silence_is_unfilled() -> None:
    made = chart.level_counts(analysis.level_counts(five.matrix()))
    assert made.title == "Data retention is rated HIGH most often: 1 of 5 platforms"
    most = "Data retention 1, Training use 1, Web data training 0"
    assert made.words == f"Levels of 5 platforms on each surface. Most often HIGH: {most}."
    bars = {bar.name: (list(bar.x[:2]), list(bar.text[:2]), bar.customdata[0], bar.marker) for bar in made.figure.data}
    colours, share = LEVEL_COLOURS["light"], "20\u00a0%"
    looks = {
        "HIGH": ([1, 1], ["H 1", "H 1"], share, colours["HIGH"], None),
        "MED": ([1, 0], ["M 1", ""], share, colours["MED"], None),
        "LOW": ([1, 0], ["L 1", ""], share, colours["LOW"], None),
        "no clause found": ([1, 0], ["", ""], share, "rgba(0,0,0,0)", None),
        "to be read": ([0, 0], ["", ""], "0\u00a0%", colours["UNKNOWN"], "/"),
        "not read": ([1, 4], ["– 1", "– 4"], share, colours["UNKNOWN"], "/"),
    }
    assert {name: (*bar[:3], bar[3].color, bar[3].pattern.shape) for name, bar in bars.items()} == looks
    assert list(bars) == list(looks)
    mild = five.matrix().assign(level="LOW")
    assert chart.level_counts(analysis.level_counts(mild)).title == "No surface of 5 platforms is rated HIGH"
    odd = given(CELLS, *({"slug": "opal", "surface": "training_use", "risk": risk, "state": state, "count": 1}
                         for risk, state in (("SEVERE", "found"), (None, "to_read"))))  # fmt: skip
    grids = [analysis.risk_matrix(given(FINDINGS), odd[place : place + 1]) for place in (0, 1)]
    both = pd.concat([grids[0], grids[1].assign(slug="tarn")], ignore_index=True)
    (read,) = (bar for bar in chart.level_counts(analysis.level_counts(both)).figure.data if bar.name == "to be read")
    assert read.x[list(read.y).index("Training use")] == 2
