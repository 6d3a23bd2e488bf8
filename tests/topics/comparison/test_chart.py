"""The chart of a comparison: it shows what its frame holds, and nothing that a name smuggles in."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from riskanalytics.surfaces import SURFACES
from riskanalytics.topics.comparison import chart, comparison
from riskanalytics.topics.ratings.matrix import risk_matrix
from tests.frames_given import ANSWERS, CELLS, FINDINGS, Market, given
from tests.topics.comparison.given import AURELIA, OPAL, cell, compared_from

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"


def frame_of(market: Market) -> pd.DataFrame:
    matrix = risk_matrix(market.findings, market.cells, market.platforms)
    slugs = list(matrix["slug"].unique()[:8])
    return comparison(matrix, market.dated_cells, market.findings, market.answers, slugs)


@pytest.mark.parametrize("size", [0, 1, 30])
def test_the_chart_draws_none_one_and_many_rows_without_touching_its_frame(size: int) -> None:
    frame = frame_of(Market(size))
    before = frame.copy(deep=True)
    made = chart.comparison(frame)
    assert made.figure.layout.title.text
    assert len(made.figure.to_json()) < 20_000
    assert made.words.endswith(".")
    assert list(made.table)[:3] == ["surface", "relation", "label"]
    pd.testing.assert_frame_equal(frame, before)


def test_names_cannot_smuggle_markup_into_a_figure() -> None:
    market = Market(3)
    for frame in (market.platforms, market.cells, market.answers, market.dated_cells):
        frame["name"] = HOSTILE
    shown = json.dumps(json.loads(chart.comparison(frame_of(market)).figure.to_json()), ensure_ascii=False)
    assert "<img" not in shown
    assert "</script" not in shown
    assert "\u202e" not in shown


def test_a_comparison_marks_each_platform_once_a_surface_at_its_level_and_names_none_twice() -> None:
    rows = [("a", "ads_tracking", "HIGH", "found"), ("b", "ads_tracking", "LOW", "found"),
            ("a", "training_use", None, "quiet"), ("b", "training_use", "SEVERE", "found")]  # fmt: skip
    names = [dict(zip(("slug", "surface", "risk", "state"), row, strict=True), name="Lumen", count=1) for row in rows]
    cells = given(CELLS, *names)
    matrix = risk_matrix(given(FINDINGS), cells)
    figure = chart.comparison(comparison(matrix, cells, given(FINDINGS), given(ANSWERS), ["a", "b"])).figure
    assert (
        figure.layout.title.text.replace("<br>", " ")
        == f"Different levels on 1 of {len(SURFACES)} surfaces; {len(SURFACES) - 1} cannot be compared"
    )
    first = [note for note in figure.layout.annotations if note.y == figure.layout.yaxis.tickvals[0]]
    assert {(note.x, note.text) for note in first} == {(2, "1"), (0, "2")}
    lines, spots = figure.data
    assert list(lines.x) == [0, 2, None]  # marks without a level are not joined
    assert {words.partition("<br>")[2] for words in spots.hovertext[:2]} == {"1 Lumen (a)", "2 Lumen (b)"}
    assert figure.layout.annotations[-1].text == "<b>1</b>  Lumen (a)<br><b>2</b>  Lumen (b)"
    assert list(figure.layout.xaxis.ticktext) == [
        "LOW",
        "MED",
        "HIGH",
        "nothing<br>found",
        "to be<br>read",
        "not<br>read",
    ]


def test_more_than_three_platforms_at_one_level_take_several_lines_and_a_higher_row() -> None:
    slugs = tuple(f"p{n}" for n in range(5))
    frame = compared_from(
        *(cell(slug, "ads_tracking", "LOW" if slug == "p4" else "HIGH") for slug in slugs), slugs=slugs
    )
    layout = chart.comparison(frame).figure.layout
    first, second = layout.yaxis.tickvals[:2]
    assert {(note.x, note.text) for note in layout.annotations if note.y == first} == {(2, "1 2 3<br>4"), (0, "5")}
    # two lines in each row: of the second surface, five platforms are not read
    assert [first, second] == pytest.approx([1.55, 3.1 + 1.55])


def test_a_surface_unknown_or_silent_for_one_platform_is_not_described_as_the_same() -> None:
    alike = [cell(slug, "ads_tracking", "LOW") for slug in (AURELIA, OPAL)]
    silent = [cell(AURELIA, "human_review", "MED"), cell(OPAL, "human_review")]
    unread = [cell(AURELIA, "ip_liability", "MED"), cell(OPAL, "ip_liability", state="unread", count=None)]
    made = chart.comparison(compared_from(*alike, *silent, *unread))
    assert made.title == "The same level on the one surface that can be compared"
    assert made.words.startswith(f"{made.title}. Their levels are the same on the one surface")
    assert chart.comparison(compared_from(*silent, *unread)).title.startswith("No surface can be compared")
    apart = [cell(AURELIA, "training_use", "HIGH"), cell(OPAL, "training_use", "LOW")]
    assert chart.comparison(compared_from(*apart, *alike, *silent)).title.endswith(
        "on 1 of 12 surfaces; 10 cannot be compared"
    )
    third = compared_from(*apart, *alike, cell("tarn", "ads_tracking"), slugs=(AURELIA, OPAL, "tarn"))
    assert chart.comparison(third).title.endswith("on 1 of 12 surfaces; 11 cannot be compared")
    every = compared_from(*(cell(slug, surface, "LOW") for slug in (AURELIA, OPAL) for surface in SURFACES))
    assert chart.comparison(every).title.endswith(f"same level on all {len(SURFACES)} surfaces that can be compared")
