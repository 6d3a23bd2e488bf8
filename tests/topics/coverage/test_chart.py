"""Charts of coverage show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.pages.figures import Chart
from riskanalytics.topics.coverage import chart as charts
from tests.frames_given import Market

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"


def drawn(market: Market) -> list[tuple[pd.DataFrame, Chart]]:
    """Every chart of coverage, beside its frame as it was before."""
    frames = {
        "coverage": analysis.coverage(market.coverage),
        "coverage_history": analysis.coverage_history(market.coverage),
        "freshness": analysis.freshness(market.documents, "2026-07-31"),
        "quiet_surfaces": analysis.quiet_surfaces(market.cells),
    }
    made = []
    for name, frame in frames.items():
        before = frame.copy(deep=True)
        chart = getattr(charts, name)(frame)
        assert chart.name == name
        pd.testing.assert_frame_equal(frame, before)
        made.append((before, chart))
    return made


def test_names_cannot_smuggle_markup_into_a_figure() -> None:
    market = Market(3)
    for frame in (market.cells, market.documents):
        frame["name"] = HOSTILE
    market.cells["surface"] = HOSTILE
    for _, chart in drawn(market):
        text = json.dumps(json.loads(chart.figure.to_json()), ensure_ascii=False)
        assert "<img" not in text
        assert "</script" not in text
        assert "\u202e" not in text


def test_a_page_lists_the_requested_number_of_documents_below_the_ages() -> None:
    chart = charts.freshness(analysis.freshness(Market(30).documents, "2026-07-31"), most=4)
    assert list(chart.table) == ["name", "document", "captured_at", "age_days", "state", "flag"]
    assert len(chart.value.table.rows) == 4
    assert chart.value.table.left_out == len(chart.table) - 4


def test_quiet_surfaces_are_drawn_with_counts_and_intervals_the_quietest_first() -> None:
    figure = charts.quiet_surfaces(analysis.quiet_surfaces(Market(30).cells)).figure
    (dots,) = figure.data
    assert list(dots.x) == sorted(dots.x, reverse=True)
    assert figure.layout.title.text.replace("<br>", " ").endswith(
        figure.layout.yaxis.ticktext[0].partition("  ")[0].lower()
    )
    assert all(low <= share for low, share in zip(dots.error_x.arrayminus, dots.x, strict=True))


def test_the_history_of_coverage_gives_both_ends_and_a_row_for_each_unverified_state() -> None:
    days = pd.concat([Market(10).coverage.assign(as_of=pd.Timestamp("2026-06-30", tz="UTC")), Market(20).coverage])
    figure = charts.coverage_history(analysis.coverage_history(days)).figure
    assert "8 of 10 (80" in figure.layout.title.text
    assert [note.text.partition("  ")[0] for note in figure.layout.annotations] == [
        "<b>Partial</b>", "<b>Stale</b>", "<b>Unverified</b>",
    ]  # fmt: skip


def test_no_bar_of_the_ages_spans_the_day_of_the_flag() -> None:
    for limit in (30, 365, 1000):
        figure = charts.freshness(analysis.freshness(Market(30).documents, "2026-07-31", limit)).figure
        bins = figure.data[0].xbins
        assert ((limit + 0.5 - bins.start) / bins.size) % 1 == pytest.approx(0, abs=1e-9)
