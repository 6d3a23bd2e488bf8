"""What the doors offer: every analysis keeps its columns, every chart draws any number of rows, whatever the names hold."""

from __future__ import annotations

import json
from inspect import signature

import pandas as pd
import pytest

from riskanalytics import analysis, charts, sections
from riskanalytics.charting.chart import Chart
from riskanalytics.errors import ReportError
from tests.frames_given import Market
from tests.topics.given import HOSTILE


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
        "worst_platforms": analysis.worst_platforms(matrix),
        "training_use": training,
        "stance_shares": analysis.stance_shares(training),
        "stance_history": analysis.stance_history(market.history, market.answers, market.changes, "2026-07-31"),
        "stance_changes": analysis.stance_changes(market.changes, "2025-08-01", "2026-08-01"),
        "stance_moves": analysis.stance_moves(analysis.stance_changes(market.changes, "2025-08-01", "2026-08-01")),
        "training_clauses": analysis.training_clauses(market.answers, market.findings),
        "changes_by_month": analysis.changes_by_month(market.changes),
        "coverage": analysis.coverage(market.coverage),
        "freshness": analysis.freshness(market.documents, "2026-07-31"),
        "peer_levels": analysis.peer_levels(matrix, market.slugs[0] if market.slugs else ""),
        "platform_history": analysis.platform_history(market.states, market.dated_cells),
        "accuracy": analysis.accuracy(market.figures),
        "reliability": analysis.reliability(market.reliability),
        "quiet_surfaces": analysis.quiet_surfaces(market.cells),
        "coverage_history": analysis.coverage_history(market.coverage),
        "change_noise": analysis.change_noise(market.changes),
    }


@pytest.mark.parametrize("door", [analysis, charts, sections])
def test_a_door_offers_public_functions_of_the_topics_alone(door: object) -> None:
    for name in vars(door)["__all__"]:
        assert getattr(door, name).__module__.startswith("riskanalytics.topics."), name


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("name", charts.__all__)
def test_every_chart_draws_none_one_and_many_rows_without_touching_its_frame(name: str, size: int) -> None:
    frame = frames(Market(size))[name]
    before = frame.copy(deep=True)
    chart = getattr(charts, name)(frame)
    assert isinstance(chart, Chart)
    assert (chart.name, bool(chart.title)) == (name, True)
    assert len(chart.figure.to_json()) < 20_000
    assert chart.words.endswith(".")
    assert (chart.words == "No data for this chart.") == frame.empty
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("name", charts.__all__)
def test_a_chart_refuses_a_frame_that_is_none_of_its_own_in_one_line_with_the_analysis_it_wants(name: str) -> None:
    draw, frame = getattr(charts, name), frames(Market(3))[name]
    wants = f"; it draws what analysis.{name} returns"
    for column in frame.columns:
        with pytest.raises(ReportError) as refused:
            draw(frame.drop(columns=column))
        assert str(refused.value) == f"charts.{name}: the frame lacks the column(s) {column}{wants}"
    with pytest.raises(ReportError) as refused:
        draw(Market(3))
    assert str(refused.value) == f"charts.{name}: a frame is needed, not Market{wants}"
    first = next(iter(signature(draw).parameters))
    assert draw(**{first: frame}).title == draw(frame).title
    assert name in analysis.__all__


def test_names_and_ratings_cannot_smuggle_markup_into_a_figure() -> None:
    market = Market(3)
    for frame in (market.platforms, market.cells, market.answers, market.history, market.states, market.dated_cells):
        frame["name"] = HOSTILE
        for column in ("rating", "stance"):
            if column in frame:
                frame[column] = HOSTILE
    made = frames(market)
    for name in charts.__all__:
        text = json.dumps(json.loads(getattr(charts, name)(made[name]).figure.to_json()), ensure_ascii=False)
        assert "<img" not in text
        assert "</script" not in text
        assert "\u202e" not in text


def test_columns_and_dtypes_do_not_depend_on_the_rows() -> None:
    none, one, many = (frames(Market(size)) for size in (0, 1, 60))
    for name in many:
        assert none[name].dtypes.to_dict() == one[name].dtypes.to_dict() == many[name].dtypes.to_dict()
        assert isinstance(many[name].index, pd.RangeIndex)


def test_inputs_are_left_as_they_were_and_order_of_rows_does_not_matter() -> None:
    market = Market(40)
    before = {name: frame.copy(deep=True) for name, frame in vars(market).items() if hasattr(frame, "columns")}
    first = frames(market)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(vars(market)[name], frame)
        setattr(market, name, frame.iloc[::-1].reset_index(drop=True))
    for name, frame in frames(market).items():
        pd.testing.assert_frame_equal(frame, first[name])
