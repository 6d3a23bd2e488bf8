"""One surface in words: shares with their interval, silence, what is not known."""

from __future__ import annotations

from riskanalytics.topics.ratings.surface import surface_matrix, surface_sentences, surface_title
from tests.topics.ratings.given import matrix


def test_the_words_give_the_share_with_its_interval_and_name_silence_and_unknown() -> None:
    ordered = surface_matrix(matrix(), "data_retention")
    assert (
        surface_title(ordered, "data_retention") == "Data retention: 1 of 4 platforms with a clear result is rated HIGH"
    )
    assert surface_sentences(ordered, "data_retention") == [
        "How long are inputs, outputs and personal data kept, and what does deletion do?",
        "Results of 4 platforms: 1 HIGH (25 %, 95 % interval 5 to 70 %), 1 MED, 1 LOW and 1 without a clause.",
        "Rated HIGH: Opal.",
        "No clause found on 1 platform, which is not a promise; 1 platform not read.",
    ]
    left = ordered[~ordered["slug"].isin(["opal", "quill"])]
    state = {"harbor": "to_read", "lumen": "to_read", "tarn": "unread"}
    left = left.assign(state=left["slug"].map(state), level="UNKNOWN")
    assert surface_title(left, "data_retention") == "Data retention: no platform has a clear result"
    assert surface_sentences(left, "data_retention")[1:] == ["2 platforms with clauses to read; 1 platform not read."]
    assert "no platform has a clear result" in surface_title(ordered, "nonsense")
