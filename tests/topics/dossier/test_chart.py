"""Charts of one platform show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from riskanalytics.charting.chart import Chart
from riskanalytics.topics.dossier import analysis, chart
from riskanalytics.topics.matrix.analysis import risk_matrix
from tests.frames_given import Market

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"


def drawn(market: Market) -> list[Chart]:
    """Return every chart of a dossier; none may change its frame."""
    matrix = risk_matrix(market.findings, market.cells, market.platforms)
    frames = {
        "peer_levels": analysis.peer_levels(matrix, market.slugs[0] if market.slugs else ""),
        "platform_history": analysis.platform_history(market.states, market.dated_cells),
    }
    made = []
    for name, frame in frames.items():
        before = frame.copy(deep=True)
        made.append(getattr(chart, name)(frame))
        assert made[-1].name == name
        pd.testing.assert_frame_equal(frame, before)
        pd.testing.assert_frame_equal(made[-1].table, before)
    return made


@pytest.mark.parametrize("size", [0, 1, 30])
def test_every_chart_draws_none_one_and_many_rows_without_touching_its_frame(size: int) -> None:
    for made in drawn(Market(size)):
        assert made.figure.layout.title.text
        assert len(made.figure.to_json()) < 20_000
        assert made.words.endswith(".")


def test_names_and_ratings_cannot_smuggle_markup_into_a_figure() -> None:
    market = Market(3)
    for frame in (market.platforms, market.cells, market.states, market.dated_cells):
        frame["name"] = HOSTILE
        for column in {"rating", "stance"} & set(frame.columns):
            frame[column] = HOSTILE
    for made in drawn(market):
        text = json.dumps(json.loads(made.figure.to_json()), ensure_ascii=False)
        assert "<img" not in text
        assert "</script" not in text
        assert "\u202e" not in text


def test_the_words_of_a_course_tell_each_rating_with_its_first_day() -> None:
    _, course = drawn(Market(1))
    assert "Rating: LOW from 2026-03-31, then HIGH from 2026-06-30." in course.words
