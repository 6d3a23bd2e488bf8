"""Figures show what their frames hold, and nothing a name smuggles in."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from riskanalytics import analysis, charts
from riskanalytics.errors import ReportError
from riskanalytics.frames import accuracy_frame
from riskanalytics.surfaces import SURFACES
from riskanalytics.theme import LEVEL_COLOURS
from tests.frames_given import ANSWERS, CELLS, FINDINGS, PLATFORMS, Market, given

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"


def frames(market: Market) -> dict[str, pd.DataFrame]:
    matrix = analysis.risk_matrix(market.findings, market.cells, market.platforms)
    training = analysis.training_use(market.answers, market.findings)
    compared = analysis.comparison(
        matrix, market.dated_cells, market.findings, market.answers, list(matrix["slug"].unique()[:8])
    )
    return {
        "comparison": compared,
        "rating_mix": analysis.rating_mix(market.platforms),
        "rating_history": analysis.rating_history(market.history),
        "rating_transitions": analysis.rating_transitions(market.history),
        "risk_matrix": matrix,
        "surface_matrix": analysis.surface_matrix(matrix, "training_use"),
        "level_counts": analysis.level_counts(matrix),
        "training_use": training,
        "stance_shares": analysis.stance_shares(training),
        "stance_history": analysis.stance_history(market.history, market.answers, market.changes, "2026-07-31"),
        "stance_changes": analysis.stance_changes(market.changes, "2025-08-01", "2026-08-01"),
        "stance_moves": analysis.stance_moves(analysis.stance_changes(market.changes, "2025-08-01", "2026-08-01")),
        "training_clauses": analysis.training_clauses(market.answers, market.findings),
        "changes_by_month": analysis.changes_by_month(market.changes),
        "coverage": analysis.coverage(market.coverage),
        "freshness": analysis.freshness(market.documents, "2026-07-31"),
        "peers": analysis.peers(matrix, market.slugs[0] if market.slugs else ""),
        "course": analysis.course(market.states, market.dated_cells),
        "accuracy": analysis.accuracy(market.figures),
        "reliability": analysis.reliability(market.reliability),
        "quiet_surfaces": analysis.quiet_surfaces(market.cells),
        "coverage_history": analysis.coverage_history(market.coverage),
        "change_noise": analysis.change_noise(market.changes),
    }


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("name", [name for name in charts.__all__ if name != "alternative"])
def test_every_chart_draws_none_one_and_many_rows_without_touching_its_frame(name: str, size: int) -> None:
    frame = frames(Market(size))[name]
    before = frame.copy(deep=True)
    figure = getattr(charts, name)(frame)
    assert figure.layout.title.text
    assert len(figure.to_json()) < 20_000
    assert charts.alternative(name, frame).endswith(".")
    pd.testing.assert_frame_equal(frame, before)


def test_the_matrix_sets_quiet_apart_from_unread_and_unknown_apart_from_low() -> None:
    cells = given(
        CELLS,
        {"slug": "aurelia-chat", "surface": "training_use", "risk": "LOW", "state": "found", "count": 2},
        {"slug": "aurelia-chat", "surface": "output_rights", "risk": None, "state": "quiet", "count": 0},
        {"slug": "aurelia-chat", "surface": "ip_liability", "risk": "SEVERE", "state": "found", "count": 1},
    )
    figure = charts.risk_matrix(analysis.risk_matrix(given(FINDINGS), cells), rating=False)
    (heat,) = figure.data
    shown = dict(zip(heat.x, zip(heat.z[0], heat.text[0], heat.hovertext[0], strict=True), strict=True))
    assert shown["Training use"] == (1, "L", "LOW, 2 clauses")
    assert shown["Output rights"] == (None, "", "read, nothing found")
    assert shown["Human review"] == (0, "?", "not read")
    assert shown["IP liability"] == (0, "?", "not known (SEVERE), 1 clause")


def test_a_heatmap_of_the_worst_says_of_how_many() -> None:
    worst = analysis.risk_matrix(given(FINDINGS), platforms=given(PLATFORMS, {"slug": "opal"}, {"slug": "tarn"}))
    titles = [
        draw(worst, of=9).layout.title.text.replace("<br>", " ") for draw in (charts.risk_matrix, charts.surface_matrix)
    ]
    assert titles[0].startswith("Where is the risk? The worst 2 of 9 platforms, 0 rated HIGH")
    assert "the worst 2 of 9 platforms, 0 at HIGH" in titles[1]


def test_two_platforms_of_one_name_keep_two_rows() -> None:
    platforms = given(PLATFORMS, {"slug": "lumen", "name": "Lumen"}, {"slug": "lumen-2", "name": "Lumen"})
    figure = charts.risk_matrix(analysis.risk_matrix(given(FINDINGS), platforms=platforms))
    assert list(figure.data[0].y) == ["Lumen (lumen)", "Lumen (lumen-2)"]


def test_names_and_ratings_cannot_smuggle_markup_into_a_figure() -> None:
    market = Market(3)
    for frame in (market.platforms, market.cells, market.answers, market.history, market.states, market.dated_cells):
        frame["name"] = HOSTILE
        for column in ("rating", "stance"):
            if column in frame:
                frame[column] = HOSTILE
    for name, frame in frames(market).items():
        if name not in charts.__all__:
            continue
        text = json.dumps(json.loads(getattr(charts, name)(frame).to_json()), ensure_ascii=False)
        assert "<img" not in text
        assert "</script" not in text
        assert "\u202e" not in text


def test_a_rating_never_seen_is_hatched_and_not_low() -> None:
    platforms = given(PLATFORMS, {"slug": "opal", "rating": "CRITICAL"}, {"slug": "tarn", "rating": "LOW"})
    bars = {bar.y[0]: bar for bar in charts.rating_mix(analysis.rating_mix(platforms)).data}
    assert bars["CRITICAL"].marker.color == LEVEL_COLOURS["light"]["UNKNOWN"]
    assert bars["CRITICAL"].marker.pattern.shape == "/"
    assert bars["LOW"].marker.pattern.shape is None


def test_an_alternative_of_no_chart_is_refused_by_name() -> None:
    with pytest.raises(ReportError, match="no chart named 'pie'"):
        charts.alternative("pie", pd.DataFrame())


def test_accuracy_shows_both_measures_with_their_intervals_and_leaves_the_unknown_out() -> None:
    market = Market(3)
    figure = charts.accuracy(analysis.accuracy(market.figures))
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
    said = {
        name: charts.accuracy(analysis.accuracy(accuracy_frame({name: part}))).layout.title.text.replace("<br>", " ")
        for name in ("test", "given")
    }
    assert said["test"].startswith("Of all findings shown 90")
    assert said["test"].endswith("vendors that nothing was made from")
    assert said["given"].endswith("the labels given")


def test_reliability_draws_each_bin_against_the_line_and_names_the_error() -> None:
    figure = charts.reliability(frames(Market(3))["reliability"])
    line, by_hand, learned, whole = figure.data
    assert line.mode == "lines"
    assert (list(whole.x), list(whole.y)) == ([75.0, 95.0], [80.0, 80.0])
    assert list(whole.error_y.arrayminus) == [20.0, 20.0]
    assert (len(by_hand.x), len(learned.x)) == (1, 1)
    assert "expected calibration error 0.100" in figure.layout.title.text.replace("<br>", " ")
    none = charts.reliability(frames(Market(0))["reliability"])
    assert "does not tell what became" in none.layout.annotations[0].text.replace("<br>", " ")


def test_the_course_of_the_answers_is_drawn_from_the_same_platforms_and_tells_both_ends() -> None:
    figure = charts.stance_history(frames(Market(30))["stance_history"])
    assert "tracked since August 2025" in figure.layout.title.text.replace("<br>", " ")
    assert len(figure.data) == 3 * len(figure.layout.annotations)
    assert all("→" in note.text for note in figure.layout.annotations)


def test_answers_that_nobody_gives_take_no_row() -> None:
    answers = Market(1).answers.assign(stance="silent", consumer_stance="silent", business_stance=None)
    training = analysis.training_use(answers, Market(1).findings)
    for figure in (charts.training_use(training), charts.stance_shares(analysis.stance_shares(training))):
        assert figure.layout.yaxis.ticktext[0] == "Documents are silent"


def test_accuracy_without_figures_says_so() -> None:
    frame = analysis.accuracy(Market(0).figures)
    assert "tells no figures" in charts.accuracy(frame).layout.annotations[0].text.replace("<br>", " ")


def test_quiet_surfaces_are_drawn_with_counts_and_intervals_the_quietest_first() -> None:
    figure = charts.quiet_surfaces(frames(Market(30))["quiet_surfaces"])
    (dots,) = figure.data
    assert list(dots.x) == sorted(dots.x, reverse=True)
    assert figure.layout.title.text.startswith(figure.layout.yaxis.ticktext[0].partition("  ")[0])
    assert all(low <= share for low, share in zip(dots.error_x.arrayminus, dots.x, strict=True))


def test_the_course_of_coverage_tells_both_ends_and_has_a_row_for_each_state_that_is_not_verified() -> None:
    days = pd.concat([Market(10).coverage.assign(as_of=pd.Timestamp("2026-06-30", tz="UTC")), Market(20).coverage])
    figure = charts.coverage_history(analysis.coverage_history(days))
    assert "8 of 10 (80" in figure.layout.title.text
    assert [note.text.partition("  ")[0] for note in figure.layout.annotations] == [
        "<b>Stale</b>", "<b>Partial</b>", "<b>Unverified</b>",
    ]  # fmt: skip


def test_no_bar_of_the_ages_stands_on_both_sides_of_the_day_that_flags() -> None:
    for limit in (30, 365, 1000):
        figure = charts.freshness(analysis.freshness(Market(30).documents, "2026-07-31", limit))
        bins = figure.data[0].xbins
        assert ((limit + 0.5 - bins.start) / bins.size) % 1 == pytest.approx(0, abs=1e-9)


def test_a_comparison_marks_each_platform_once_a_surface_at_its_level_and_names_none_twice() -> None:
    told = [("a", "ads_tracking", "HIGH", "found"), ("b", "ads_tracking", "LOW", "found"),
            ("a", "training_use", None, "quiet"), ("b", "training_use", "SEVERE", "found")]  # fmt: skip
    names = [dict(zip(("slug", "surface", "risk", "state"), row, strict=True), name="Lumen", count=1) for row in told]
    cells = given(CELLS, *names)
    matrix = analysis.risk_matrix(given(FINDINGS), cells)
    figure = charts.comparison(analysis.comparison(matrix, cells, given(FINDINGS), given(ANSWERS), ["a", "b"]))
    assert (
        figure.layout.title.text.replace("<br>", " ")
        == f"Different levels on 1 of {len(SURFACES)} surfaces, most on Ads and tracking"
    )
    first = [note for note in figure.layout.annotations if note.y == figure.layout.yaxis.tickvals[0]]
    assert {(note.x, note.text) for note in first} == {(2, "1"), (0, "2")}
    assert figure.layout.annotations[-1].text == "<b>1</b>  Lumen (a)<br><b>2</b>  Lumen (b)"
    assert list(figure.layout.xaxis.ticktext) == ["LOW", "MED", "HIGH", "nothing<br>found", "not<br>known"]
