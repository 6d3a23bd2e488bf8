"""Charts of training use: they show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from riskanalytics.charting.chart import Chart
from riskanalytics.topics.training_use import chart
from riskanalytics.topics.training_use.analysis import stance_shares, training_use
from riskanalytics.topics.training_use.history import stance_history
from tests.frames_given import Market

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"
CHARTS: dict[str, Callable[..., Chart]] = {
    "training_use": chart.training_use, "stance_shares": chart.stance_shares, "stance_history": chart.stance_history
}  # fmt: skip


def frame_of(name: str, market: Market) -> pd.DataFrame:
    if name == "stance_history":
        return stance_history(market.history, market.answers, market.changes, "2026-07-31")
    stances = training_use(market.answers, market.findings)
    return stances if name == "training_use" else stance_shares(stances)


@pytest.mark.parametrize("name", CHARTS)
def test_names_and_stances_cannot_smuggle_markup_into_a_figure(name: str) -> None:
    market = Market(3)
    for frame in (market.answers, market.history):
        for column in frame.columns.intersection(["name", "rating", "stance"]):
            frame[column] = HOSTILE
    plot: Any = json.loads(CHARTS[name](frame_of(name, market)).figure.to_json())
    shown = json.dumps(plot, ensure_ascii=False)
    assert "<img" not in shown
    assert "</script" not in shown
    assert "\u202e" not in shown


def test_the_course_of_the_answers_is_drawn_from_the_same_platforms_and_tells_both_ends() -> None:
    figure = chart.stance_history(frame_of("stance_history", Market(30))).figure
    assert "tracked since August 2025" in figure.layout.title.text.replace("<br>", " ")
    assert len(figure.data) == 3 * len(figure.layout.annotations)
    assert all("→" in note.text for note in figure.layout.annotations)


def test_answers_that_nobody_gives_take_no_row() -> None:
    answers = Market(1).answers.assign(stance="silent", consumer_stance="silent", business_stance=None)
    stances = training_use(answers, Market(1).findings)
    for made in (chart.training_use(stances), chart.stance_shares(stance_shares(stances))):
        assert made.figure.layout.yaxis.ticktext[0] == "Documents are silent"
