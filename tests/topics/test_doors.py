"""What the doors offer: every analysis keeps its columns, every chart draws any number of rows, whatever the names hold."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from inspect import get_annotations, signature

import pandas as pd
import pytest

from riskanalytics import analysis, charts, sections
from riskanalytics.errors import ReportError
from riskanalytics.frames import CONTRACT_COLUMNS, FAULTS_COLUMNS, LEVEL_DTYPE, dates_frame
from riskanalytics.pages.figures import Chart
from riskanalytics.topics.appetite.rules import Appetite, Rule
from riskanalytics.topics.shape import dtypes, shaped
from tests.frames_given import Market
from tests.topics.given import HOSTILE

RULES = Appetite(rule=(Rule(id="training", surface="training_use", level="LOW"),))
FRAME = "pd.DataFrame"
"""Annotation of what an analysis returns."""


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
        "portfolio_exposure": analysis.portfolio_exposure(
            analysis.portfolio_uses(None, market.platforms, market.changes, date(2026, 7, 1))
        ),
    }


def frame_of(name: str, size: int) -> pd.DataFrame:
    """Return the frame that a chart draws, of a market of some size; a copy, since the frames are made once."""
    return _made(size)[name].copy(deep=True)


@cache
def _made(size: int) -> dict[str, pd.DataFrame]:
    return frames(Market(size))


def lists(market: Market, made: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the frames of the analyses that no chart draws."""
    compared, slugs = made["comparison"], market.slugs
    material = analysis.material_changes(market.changes)
    moved = analysis.comparison_changes(market.changes, compared)
    checked = market.findings.assign(verification_status="verified")
    formula = {"weights": {"training_use": 3}, "points": {"HIGH": 2, "MED": 1, "LOW": 0}}
    empty = {
        name: shaped([], dtypes(columns, *columns))
        for name, columns in (("contract", CONTRACT_COLUMNS), ("faults", FAULTS_COLUMNS))
    }
    results = analysis.rule_results(RULES, market.platforms, market.cells, market.answers, date(2026, 7, 31))
    decided = analysis.decision_states([], market.findings, market.findings, market.documents)
    return {
        "material_changes": material,
        "alerts": analysis.alerts(material, analysis.changed_clauses(material), date(2026, 7, 31)),
        "tracked_platforms": analysis.tracked_platforms(market.platforms),
        "changed_clauses": analysis.changed_clauses(material),
        "comparison_changes": moved,
        "comparison_shown": analysis.comparison_shown(moved),
        "comparison_clauses": analysis.comparison_clauses(compared, market.dated_cells, market.findings),
        "compared_platforms": analysis.compared_platforms(
            compared, market.platforms, market.answers, made["freshness"]
        ),
        "surface_clauses": analysis.surface_clauses(market.findings, made["surface_matrix"], "training_use"),
        "rating_moves": analysis.rating_moves(market.platforms, market.platforms[1:].assign(rating="LOW")),
        "rating_parts": analysis.rating_parts(
            market.cells[market.cells["slug"].isin(slugs[:1])], market.findings, formula
        ),
        "finding_moves": analysis.finding_moves(market.findings[1:], market.findings[:-1]),
        "stance_differences": analysis.stance_differences(market.answers, market.answers[1:]),
        "equal_periods": analysis.equal_periods(market.changes, "2026-07-01", "2026-08-01"),
        "platform_changes": analysis.platform_changes(market.changes),
        "platform_moves": analysis.platform_moves(market.states, market.changes),
        "conflicts": analysis.conflicts(market.findings),
        "broken_captures": analysis.broken_captures(made["freshness"]),
        "quiet_platforms": analysis.quiet_platforms(market.cells, market.documents),
        "surface_coverage": analysis.surface_coverage(market.coverage),
        "unverified_platforms": analysis.unverified_platforms(market.platforms, market.documents),
        "unsure_findings": analysis.unsure_findings(market.findings),
        "sample_findings": analysis.sample_findings(market.findings),
        "leads_by_platform": analysis.leads_by_platform(market.findings),
        "integrity": analysis.integrity(checked, len(checked)),
        "contract_drift": analysis.contract_drift(empty["contract"]),
        "portfolio_uses": analysis.portfolio_uses(None, market.platforms, market.changes, date(2026, 7, 1)),
        "dates_ahead": analysis.dates_ahead(dates_frame([]), date(2026, 7, 31)),
        "portfolio_coverage": analysis.portfolio_coverage(market.platforms, date(2026, 7, 31)),
        "extraction_errors": analysis.extraction_errors(empty["faults"]),
        "rule_results": results,
        "decision_states": decided,
        "accepted_results": analysis.accepted_results(results, RULES, decided, market.findings),
    }


@pytest.mark.parametrize("size", [0, 30])
def test_a_level_is_an_ordered_category_in_every_frame_so_that_from_med_up_keeps_high(size: int) -> None:
    market = Market(size)
    made = frames(market)
    made |= lists(market, made)
    found = analysis.explore(made["risk_matrix"], market.findings, market.platforms, market.answers, words="model")
    made |= {"explored cells": found.matrix, "explored clauses": found.clauses}
    for name, frame in made.items():
        for column in [column for column in frame.columns if str(column).startswith("level")]:
            assert frame[column].dtype == LEVEL_DTYPE, f"{name}: {column}"
            kept = set(frame[column][frame[column] >= "MED"])
            assert kept == set(frame[column]) & {"MED", "HIGH"}, f"{name}: {column}"
    given = {name for name in analysis.__all__ if str(get_annotations(getattr(analysis, name)).get("return")) == FRAME}
    assert given <= set(made)


@pytest.mark.parametrize("door", [analysis, charts, sections])
def test_a_door_offers_public_functions_of_the_topics_alone(door: object) -> None:
    for name in vars(door)["__all__"]:
        assert getattr(door, name).__module__.startswith("riskanalytics.topics."), name


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("name", charts.__all__)
def test_every_chart_draws_none_one_and_many_rows_without_touching_its_frame(name: str, size: int) -> None:
    frame = frame_of(name, size)
    before = frame.copy(deep=True)
    chart = getattr(charts, name)(frame)
    assert isinstance(chart, Chart)
    assert (chart.name, bool(chart.title)) == (name, True)
    assert len(chart.figure.to_json()) < 20_000
    assert chart.words.endswith(".")
    assert (chart.words == "No data for this chart.") == frame.empty
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize("name", charts.__all__)
def test_a_chart_refuses_a_frame_of_another_analysis_in_one_line_that_names_the_right_one(name: str) -> None:
    draw, frame = getattr(charts, name), frame_of(name, 3)
    wants = f"; it draws the result of analysis.{name}"
    for column in frame.columns:
        with pytest.raises(ReportError) as refused:
            draw(frame.drop(columns=column))
        assert str(refused.value) == f"charts.{name}: the frame lacks the column(s) {column}{wants}"
    with pytest.raises(ReportError) as refused:
        draw(Market(3))
    assert str(refused.value) == f"charts.{name}: expected a frame, not Market{wants}"
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
        kinds = [made[name].dtypes.map(str).to_dict() for made in (none, one, many)]  # categories hold the words
        assert kinds[0] == kinds[1] == kinds[2], name
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
