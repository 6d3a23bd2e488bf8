"""Charts of the method show what their frames hold, and say what is not known."""

from __future__ import annotations

import json

import pandas as pd

from riskanalytics import analysis
from riskanalytics.frames import accuracy_frame
from riskanalytics.pages.figures import Chart
from riskanalytics.topics.method import chart as charts
from tests.frames_given import Market

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"


def drawn(market: Market) -> list[tuple[pd.DataFrame, Chart]]:
    """Every chart of the method, beside its frame as it was before."""
    frames = {
        "accuracy": analysis.accuracy(market.figures),
        "reliability": analysis.reliability(market.reliability),
        "change_noise": analysis.change_noise(market.changes),
    }
    made = []
    for name, frame in frames.items():
        before = frame.copy(deep=True)
        chart = getattr(charts, name)(frame)
        assert chart.name == name
        pd.testing.assert_frame_equal(frame, before)
        made.append((before, chart))
    return made


def test_classes_and_surfaces_cannot_smuggle_markup_into_a_figure() -> None:
    market = Market(3)
    market.changes["change_class"] = HOSTILE
    market.figures["surface"] = market.figures["surface"].replace("human_review", HOSTILE)
    for _, chart in drawn(market):
        text = json.dumps(json.loads(chart.figure.to_json()), ensure_ascii=False)
        assert "<img" not in text
        assert "</script" not in text
        assert "\u202e" not in text


def test_accuracy_shows_both_measures_with_their_intervals_and_leaves_the_unknown_out() -> None:
    market = Market(3)
    figure = charts.accuracy(analysis.accuracy(market.figures)).figure
    precision, recall = figure.data
    assert (precision.name, recall.name) == ("precision", "recall")
    place = list(figure.layout.yaxis.ticktext).index("Training use")
    assert recall.x[place] == 80.0
    assert (recall.error_x.arrayminus[place], recall.error_x.array[place]) == (20.0, 10.0)
    unknown = list(figure.layout.yaxis.ticktext).index("Human review")
    assert precision.x[unknown] is None
    assert "no share" in precision.customdata[unknown]
    assert figure.layout.xaxis.range[0] <= 60


def test_the_title_of_accuracy_says_what_was_scored() -> None:
    share = {"value": 0.9, "low": 0.8, "high": 0.95, "part": 9, "whole": 10}
    part = {"groups": {"all": {"precision": share, "recall": share}}}
    said = {name: charts.accuracy(analysis.accuracy(accuracy_frame({name: part}))).title for name in ("test", "given")}
    assert said["test"].endswith(" shown are right, and 90\u00a0% of the clauses that readers were sure of are found")
    assert said["test"].startswith("For vendors not used to develop the program, 90")
    assert said["given"].startswith("For the given labels, 90")


def test_reliability_draws_each_bin_against_the_line_and_names_the_error() -> None:
    figure = charts.reliability(analysis.reliability(Market(3).reliability)).figure
    line, by_hand, learned, whole = figure.data
    assert line.mode == "lines"
    assert (list(whole.x), list(whole.y)) == ([75.0, 95.0], [80.0, 80.0])
    assert list(whole.error_y.arrayminus) == [20.0, 20.0]
    assert (len(by_hand.x), len(learned.x)) == (1, 1)
    assert "by range of confidence, the two differ by 0.100 on average" in figure.layout.title.text.replace("<br>", " ")
    none = charts.reliability(analysis.reliability(Market(0).reliability)).figure
    assert "reports no accuracy by confidence" in none.layout.annotations[0].text.replace("<br>", " ")


def test_accuracy_without_figures_says_so() -> None:
    frame = analysis.accuracy(Market(0).figures)
    assert "reports no accuracy" in charts.accuracy(frame).figure.layout.annotations[0].text.replace("<br>", " ")
