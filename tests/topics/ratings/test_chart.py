"""Charts of ratings show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import pandas as pd

from riskanalytics.pages.figures import Chart
from riskanalytics.theme import LEVEL_COLOURS
from riskanalytics.topics import ratings as analysis
from riskanalytics.topics.ratings import chart
from tests.frames_given import HISTORY, PLATFORMS, Market, given

HOSTILE = "<img src=x onerror=alert(1)>&\u202e%{x}</script>"


def drawn(market: Market) -> list[Chart]:
    """Return every chart of ratings; none may change its frame."""
    frames = {
        "rating_mix": analysis.rating_mix(market.platforms),
        "rating_history": analysis.rating_history(market.history),
        "rating_transitions": analysis.rating_transitions(market.history),
    }
    made = []
    for name, frame in frames.items():
        before = frame.copy(deep=True)
        made.append(getattr(chart, name)(frame))
        assert made[-1].name == name
        pd.testing.assert_frame_equal(frame, before)
        pd.testing.assert_frame_equal(made[-1].table, before)
    return made


def test_a_rating_never_seen_is_hatched_and_not_low() -> None:
    platforms = given(PLATFORMS, {"slug": "opal", "rating": "CRITICAL"}, {"slug": "tarn", "rating": "LOW"})
    made = chart.rating_mix(analysis.rating_mix(platforms))
    bars = made.figure.data[0]
    looks = dict(zip(bars.y, zip(bars.marker.color, bars.marker.pattern.shape, strict=True), strict=True))
    assert looks["CRITICAL"] == (LEVEL_COLOURS["light"]["UNKNOWN"], "/")
    assert looks["LOW"] == (LEVEL_COLOURS["light"]["LOW"], "")
    assert made.words == "Ratings of 2 platforms: 1 LOW (50\u00a0%), 1 CRITICAL (50\u00a0%)."


def test_the_title_of_the_history_counts_the_platforms_whose_rating_is_known() -> None:
    rows = [
        {"slug": slug, "date": day, "rating": "HIGH", "known": day > "2026-01-31" or slug == "a"}
        for slug in ("a", "b", "c")
        for day in ("2026-01-31", "2026-02-28")
    ]
    made = chart.rating_history(analysis.rating_history(given(HISTORY, *rows)))
    assert made.title == "3 of 3 platforms are rated HIGH; in January 2026: 1 of 1"
    ends = "January 2026: 1 HIGH, 2 not known; February 2026: 3 HIGH"
    assert made.words == f"Stacked bars of platforms by rating at each month's end. {ends}."
    assert {bar.name: (list(bar.y), list(bar.customdata)) for bar in made.figure.data}["HIGH"] == (
        [1, 3], ["33\u00a0%", "100\u00a0%"],
    )  # fmt: skip
    assert [note.text for note in made.figure.layout.annotations] == ["HIGH 3"]
    assert [(bar.name, bar.marker.pattern.shape) for bar in made.figure.data] == [
        ("HIGH", None), ("MED", None), ("LOW", None), ("not known", "/"),
    ]  # fmt: skip
    one = chart.rating_history(analysis.rating_history(given(HISTORY, rows[0] | {"known": True})))
    assert one.title == "1 of 1 platform is rated HIGH"
    assert one.words.endswith(" month's end. January 2026: 1 HIGH.")


def test_transitions_lead_from_the_rows_to_the_columns_with_a_sign_for_rise_and_fall() -> None:
    went = {
        "a": ("LOW", "HIGH"),
        "b": ("MED", "LOW"),
        "c": ("MED", "LOW"),
        "d": ("LOW", "CRITICAL"),
        "e": ("LOW", "LOW"),
    }
    rows = [
        {"slug": slug, "date": day, "rating": rating, "known": True}
        for slug, pair in went.items()
        for day, rating in zip(("2026-01-31", "2026-02-28"), pair, strict=True)
    ]
    made = chart.rating_transitions(analysis.rating_transitions(given(HISTORY, *rows)))
    assert made.title == "Since January 2026 the rating rose on 1 and fell on 2 platforms; 1 stayed"
    moves = "MED to LOW: 2; LOW to HIGH: 1; LOW to LOW: 1; LOW to CRITICAL: 1"
    assert made.words == f"Ratings of 5 platforms on 2026-01-31 and 2026-02-28. {moves}."
    (heat,) = made.figure.data
    assert [name.strip() for name in heat.x] == ["HIGH", "MED", "LOW", "CRITICAL"]
    cells = {
        row.strip(): list(zip(z, text, strict=True)) for row, z, text in zip(heat.y, heat.z, heat.text, strict=True)
    }
    assert cells["MED"] == [(None, ""), (-1, "= 0"), (1, "▼ 2"), (None, "")]
    assert cells["LOW"] == [(3, "▲ 1"), (None, ""), (-1, "= 1"), (0, "◆ 1")]
    layout = made.figure.layout
    assert (layout.yaxis.title.text, layout.xaxis.title.text) == ("On 2026-01-31", "Rating on 2026-02-28")
    assert layout.yaxis.autorange == "reversed"


def test_the_title_of_the_history_does_not_count_platforms_whose_rating_is_never_known() -> None:
    rows = [
        {"slug": "a", "date": day, "rating": "HIGH", "known": False, "tracked": True}
        for day in ("2026-01-31", "2026-02-28")
    ]
    made = chart.rating_history(analysis.rating_history(given(HISTORY, *rows)))
    assert made.title == "Ratings on these dates are not known"


def test_a_chart_without_rows_says_that_there_is_no_data() -> None:
    assert [made.words for made in drawn(Market(0))][1:] == ["No data for this chart."] * 2
