"""Charts of one platform show what their frames hold, and nothing that a name smuggles in."""

from __future__ import annotations

import pandas as pd

from riskanalytics.pages.figures import Chart
from riskanalytics.surfaces import SURFACES
from riskanalytics.topics import dossier as analysis
from riskanalytics.topics.dossier import chart
from riskanalytics.topics.ratings.matrix import risk_matrix
from tests.frames_given import CELLS, DATED_CELLS, FINDINGS, STATES, Market, given

USUAL = "no surface is unusually high or low"
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


def test_the_words_of_a_history_give_each_rating_with_its_first_day() -> None:
    _, course = drawn(Market(1))
    assert "Rating: LOW from 2026-03-31, then HIGH from 2026-06-30." in course.words
    assert ": 3 days compared, March 2026 to July 2026" in course.title


def test_a_missing_rating_is_not_shown_as_nan_in_the_words_of_a_history() -> None:
    states = [
        {"slug": "own", "date": day, "state": "known", "rating": rating}
        for day, rating in (("2026-03-31", None), ("2026-06-30", "LOW"))
    ]
    made = chart.platform_history(analysis.platform_history(given(STATES, *states), given(DATED_CELLS)))
    assert made.words.endswith("Rating: not given from 2026-03-31, then LOW from 2026-06-30.")
    assert "nan" not in str(made.figure.data[0].hovertext)


def test_a_platform_like_its_peers_is_described_once_as_typical() -> None:
    cells = [
        {"slug": slug, "surface": "training_use", "risk": "MED", "count": 1, "state": "found"}
        for slug in ("own", "a", "b")
    ]
    standing = analysis.peer_levels(risk_matrix(given(FINDINGS), given(CELLS, *cells)), "own")
    made = chart.peer_levels(standing)
    assert (
        made.title == f"Typical of 2 other platforms: {USUAL} (1 of 12 can be compared); the ring marks its own level"
    )
    assert "on no surface" not in made.words
    unread = [{"slug": slug, "surface": "data_retention", "count": 0, "state": "unread"} for slug in ("own", "a", "b")]
    standing = analysis.peer_levels(risk_matrix(given(FINDINGS), given(CELLS, *unread)), "own")
    assert (
        chart.peer_levels(standing).title
        == f"Typical of 2 other platforms: {USUAL} (0 of 12 can be compared); the ring marks its own level"
    )
    every = [
        {"slug": slug, "surface": surface, "risk": "MED", "count": 1, "state": "found"}
        for slug in ("own", "a", "b")
        for surface in SURFACES
    ]
    standing = analysis.peer_levels(risk_matrix(given(FINDINGS), given(CELLS, *every)), "own")
    assert (
        chart.peer_levels(standing).title
        == f"Typical of 2 other platforms: {USUAL} (12 of 12 can be compared); the ring marks its own level"
    )
    assert "Higher" not in made.title


def test_the_ring_is_in_the_middle_of_its_segment_and_tells_who_is_lower_and_higher() -> None:
    levels = {"own": "MED", "a": "HIGH", "b": "LOW", "c": "LOW", "d": "MED"}
    cells = [
        {"slug": slug, "surface": "training_use", "risk": risk, "count": 1, "state": "found"}
        for slug, risk in levels.items()
    ]
    cells.append({"slug": "own", "surface": "ads_tracking", "state": "quiet"})
    standing = analysis.peer_levels(risk_matrix(given(FINDINGS), given(CELLS, *cells)), "own")
    made = chart.peer_levels(standing)
    assert made.words.endswith(". No clause found on 1 surface.")
    ring = made.figure.data[-1]
    assert (ring.x[0], ring.text[0]) == (1.5, "M")  # after one HIGH, on one MED
    assert ring.hovertext[0] == "this platform: MED, 1 clause; 2 peers lower, 1 higher"
    quiet = list(ring.y).index("Ads and tracking")
    assert ring.hovertext[quiet] == "this platform: no clause found"
    bars = {bar.name: bar.x[0] for bar in made.figure.data[:-1]}
    assert [count for count in bars.values() if count] == [1, 1, 2]


def test_a_surface_that_was_not_read_is_marked_and_has_not_changed() -> None:
    days = ("2026-03-31", "2026-06-30", "2026-07-31")
    states = [
        {"slug": "own", "date": day, "state": "known", "rating": rating}
        for day, rating in zip(days, "ABB", strict=True)
    ]
    levels = {"training_use": ("HIGH", None), "ads_tracking": ("LOW", "LOW")}
    cells = [
        {"slug": "own", "date": day, "surface": surface, "risk": risk, "state": "found" if risk else "quiet"}
        for surface, risks in levels.items()
        for day, risk in zip(days[::2], risks, strict=True)
    ]
    made = chart.platform_history(analysis.platform_history(given(STATES, *states), given(DATED_CELLS, *cells)))
    assert made.title == "Rating changed, 1 surface changed: 3 days compared, March 2026 to July 2026"
    marks = dict(zip(made.figure.data[0].y, map(list, made.figure.data[0].text), strict=True))
    assert (marks["Training use"], marks["Ads and tracking"]) == (["H", "–", ""], ["L", "–", "L"])


def test_each_day_has_the_letter_of_its_rating_and_each_third_day_its_name_from_the_last() -> None:
    ratings = {
        "2026-01-31": "HIGH",
        "2026-02-28": "UNRATED",
        "2026-03-31": "SEVERE",
        "2026-04-30": None,
        "2026-05-31": "MED",
    }
    states = [
        {"slug": "own", "date": day, "state": "known", "rating": rating, "stance": "silent"}
        for day, rating in ratings.items()
    ]
    states.insert(4, {"slug": "own", "date": "2026-05-15", "state": "not known", "rating": None})
    made = chart.platform_history(analysis.platform_history(given(STATES, *states), given(DATED_CELLS)))
    (grid,) = made.figure.data
    assert list(grid.text[0]) == ["H", "–", "?", "?", "–", "M"]
    assert list(grid.z[0]) == [3, 0, 0, 0, 0, 2]
    words = ["HIGH", "UNRATED", "SEVERE", "no level given"]
    assert list(grid.hovertext[0]) == [
        *(f"{word}; No clause found" for word in words), "not known", "MED; No clause found",
    ]  # fmt: skip
    assert made.figure.layout.xaxis.ticktext == ("", "", "Mar<br>2026", "", "", "May<br>2026")
    histories = [
        analysis.platform_history(given(STATES, *some), given(DATED_CELLS)) for some in (states[:1], states[:1] * 2)
    ]
    histories[1]["date"] = histories[1]["date"].where(histories[1].index > 0, pd.Timestamp("2025-12-31", tz="UTC"))
    assert [chart.platform_history(history).title for history in histories] == [
        "Its levels today: past days are not known",
        "Rating unchanged, no surface changed: 2 days compared, December 2025 to January 2026",
    ]
