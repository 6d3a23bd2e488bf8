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
