"""Charts of coverage show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.pages.figures import Chart
from riskanalytics.topics.coverage import chart as charts
from tests.frames_given import CELLS, DOCUMENTS, Market, given

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
    assert all(0 <= low <= share for low, share in zip(dots.error_x.arrayminus, dots.x, strict=True))


def test_the_history_of_coverage_gives_both_ends_and_a_row_for_each_unverified_state() -> None:
    days = pd.concat([Market(10).coverage.assign(as_of=pd.Timestamp("2026-06-30", tz="UTC")), Market(20).coverage])
    figure = charts.coverage_history(analysis.coverage_history(days)).figure
    title = "Verified: 8 of 10 (80\xa0%) in June 2026, 16 of 20 (80\xa0%) on 2026-07-31"
    assert figure.layout.title.text.replace("<br>", " ") == title
    assert [note.text for note in figure.layout.annotations] == [
        "<b>Partial</b>  0 → 1", "<b>Stale</b>  0 → 1", "<b>Unverified</b>  2 → 2",
    ]  # fmt: skip
    one = charts.coverage_history(analysis.coverage_history(Market(20).coverage))
    assert one.title == "Verified: 16 of 20 (80\xa0%)"
    days = days.assign(unverified=[9, 2], partial=[3, None])
    figure = charts.coverage_history(analysis.coverage_history(days)).figure
    assert [note.text for note in figure.layout.annotations][::2] == [
        "<b>Partial</b>  3 → 3",
        "<b>Unverified</b>  9 → 2",
    ]
    assert figure.layout.yaxis.range[1] > 9


def test_ages_say_the_median_and_how_many_documents_have_no_date_and_hatch_problems_only() -> None:
    days = ("2026-07-31", "2026-07-29", "2025-01-01", None)
    rows = [{"slug": "opal", "document": f"{n}", "state": "good", "captured_at": day} for n, day in enumerate(days)]
    rows += [rows[1] | {"state": "stale"}, rows[3] | {"state": "broken"}]
    made = charts.freshness(analysis.freshness(given(DOCUMENTS, *rows), "2026-07-31"))
    assert (
        "; half of the texts are older than 2 days; 1 without a date; 2 of 6 documents could not be read" in made.words
    )
    assert "; 2 documents without a date" in made.figure.layout.xaxis.title.text
    late = charts.freshness(analysis.freshness(given(DOCUMENTS, rows[0] | {"captured_at": "2026-08-02"}), "2026-07-31"))
    assert late.words.endswith("; 1 dated after now.")
    hatched = [trace.name for trace in made.figure.data if trace.marker.pattern.shape]
    assert hatched == ["broken, so that an earlier text is used"]


def test_no_bar_of_the_ages_spans_the_day_of_the_flag() -> None:
    for limit in (30, 365, 1000):
        figure = charts.freshness(analysis.freshness(Market(30).documents, "2026-07-31", limit)).figure
        bins = figure.data[0].xbins
        assert figure.layout.shapes[0].x0 == limit + 0.5
        assert ((limit + 0.5 - bins.start) / bins.size) % 1 == pytest.approx(0, abs=1e-9)


def test_verified_platforms_are_solid_and_the_words_count_each_other_state() -> None:
    made = charts.coverage(analysis.coverage(Market(30).coverage))
    assert (
        made.words
        == "24 of 30 tracked platforms verified (80\xa0%), 1 partial (3\xa0%), 1 stale (3\xa0%), 4 unverified (13\xa0%)."
    )
    named = charts.coverage(analysis.coverage(Market(30).coverage), kind="portfolio platform")
    assert named.title == "24 of 30 portfolio platforms verified (80\xa0%)"
    (bars,) = made.figure.data
    assert [bool(shape) for shape in bars.marker.pattern.shape] == [False, True, True, True]


def test_the_quietest_surface_is_the_title_and_each_quiet_one_is_counted_in_words() -> None:
    states = {"human_review": ("quiet", "found", "found", "unread"), "ads_tracking": ("found",) * 4}
    cells = [
        {"slug": f"p{n}", "surface": surface, "state": state}
        for surface, own in states.items()
        for n, state in enumerate(own)
    ]
    made = charts.quiet_surfaces(analysis.quiet_surfaces(given(CELLS, *cells)))
    assert made.title == "1 of 3 platforms (33\xa0%) say nothing about human review"
    assert made.words.endswith(" or have a clause on the surface: Human review 1 of 3 (33\xa0%).")
    assert made.figure.layout.xaxis.range[1] == 80  # the interval ends at 79 %
    none = charts.quiet_surfaces(analysis.quiet_surfaces(given(CELLS, *cells[4:])))
    assert none.title == "All platforms that were read have a clause on every surface"
    assert none.words.endswith(" or have a clause on the surface: none.")
