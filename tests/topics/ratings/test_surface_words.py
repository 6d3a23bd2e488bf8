"""One surface in words: shares with their interval, silence, what is not known."""

from __future__ import annotations

from riskanalytics.topics.ratings.surface import surface_matrix, surface_sentences, surface_title
from tests.topics.ratings.given import matrix


def test_the_words_give_the_share_with_its_interval_and_name_silence_and_unknown() -> None:
    ordered = surface_matrix(matrix(), "data_retention")
    assert (
        surface_title(ordered, "data_retention") == "Data retention: 1 of 4 platforms with a clear result is rated HIGH"
    )
    result = " ".join(surface_sentences(ordered, "data_retention"))
    assert (
        "Results of 4 platforms: 1 HIGH (25 %, 95 % interval 5 to 70 %), 1 MED, 1 LOW and 1 without a clause." in result
    )
    assert "Rated HIGH: Opal." in result
    assert "No clause found on 1 platform, which is not a promise; not read on 1." in result
    assert "no platform has a clear result" in surface_title(ordered, "nonsense")
