"""Charts of the method show what their frames hold, and say what is not known."""

from __future__ import annotations

import json

import pandas as pd

from riskanalytics import analysis
from riskanalytics.frames import accuracy_frame, reliability_frame
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
    assert figure.layout.xaxis.range == (58, 106)
    assert recall.customdata[place] == "Training use, recall<br>80\xa0% (8 of 10), interval 60\xa0% to 90\xa0%"
    figures = market.figures.assign(low=market.figures["low"].mask(market.figures["measure"] == "recall", 0.31))
    assert charts.accuracy(analysis.accuracy(figures)).figure.layout.xaxis.range[0] == 28
    said = charts.accuracy(analysis.accuracy(market.figures)).words
    assert said.startswith("Precision and recall of 12 surfaces with 95 % intervals. ")
    assert said.count(": precision 85\xa0%, recall 80\xa0%.") == 3


def test_the_share_of_material_changes_is_drawn_solid_and_the_noise_hatched() -> None:
    made = charts.change_noise(analysis.change_noise(Market(6).changes))
    assert made.title == "33\xa0% of 6 recorded changes are material"
    (bars,) = made.figure.data
    assert {name: bool(shape) for name, shape in zip(bars.y, bars.marker.pattern.shape, strict=True)} == {
        name: not name.lower().startswith("material") for name in bars.y
    }


def test_the_title_of_accuracy_says_what_was_scored() -> None:
    share = {"value": 0.9, "low": 0.8, "high": 0.95, "part": 9, "whole": 10}
    part = {"groups": {"all": {"precision": share, "recall": share | {"value": 0.7}}}}
    said = {name: charts.accuracy(analysis.accuracy(accuracy_frame({name: part}))).title for name in ("test", "given")}
    shares = (
        "90\u00a0% of all findings shown are right, and 70\u00a0% of the clauses that readers were sure of are found"
    )
    assert said["test"] == f"For vendors not used to develop the program, {shares}"
    assert said["given"] == f"For the given labels, {shares}"


def test_reliability_draws_each_bin_against_the_line_and_names_the_error() -> None:
    figure = charts.reliability(analysis.reliability(Market(3).reliability)).figure
    line, by_hand, learned, whole = figure.data
    assert line.mode == "lines"
    assert (list(whole.x), list(whole.y)) == ([75.0, 95.0], [80.0, 80.0])
    assert list(whole.error_y.arrayminus) == [20.0, 20.0]
    assert (list(by_hand.x), list(learned.x)) == ([95.0], [75.0])
    assert by_hand.error_y.array is learned.error_y.array is None
    right = "right 80\xa0% (8 of 10), interval 60\xa0% to 90\xa0%"
    assert [trace.customdata[0] for trace in (by_hand, whole)] == [
        f"Rules alone<br>stated 95\xa0% on average<br>{right}", f"All findings<br>stated 75\xa0% on average<br>{right}",
    ]  # fmt: skip
    assert figure.layout.xaxis.range == figure.layout.yaxis.range == (58, 102)
    assert (
        "grouped by stated confidence, the two shares differ by 10.0 percentage points on average"
        in figure.layout.title.text.replace("<br>", " ")
    )
    share = {"low": 0.1, "high": 1, "families": 4}
    bins = [
        {"stated": 0.9, "value": 0.8, "part": 8, "whole": 10},
        {"stated": 0.5, "value": 0.5, "part": 45, "whole": 90},
    ]
    counted = {"test": {"reliability": {"all": [share | one for one in bins]}}}
    assert charts.reliability(analysis.reliability(reliability_frame(counted))).title == (
        "Findings state 54\xa0% confidence on average, and 53\xa0% are right; grouped by stated confidence, the two shares differ "
        "by 1.0 percentage points on average"
    )
    none = charts.reliability(analysis.reliability(Market(0).reliability)).figure
    assert "reports no accuracy by confidence" in none.layout.annotations[0].text.replace("<br>", " ")


def test_accuracy_without_figures_says_so() -> None:
    frame = analysis.accuracy(Market(0).figures)
    assert "reports no accuracy" in charts.accuracy(frame).figure.layout.annotations[0].text.replace("<br>", " ")
