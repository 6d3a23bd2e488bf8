"""What answers read out of a platform's state."""

from __future__ import annotations

from riskanalytics.service.store.state import completed


def test_a_state_of_an_older_database_says_of_each_surface_and_document_what_it_can() -> None:
    state = completed(
        {
            "surfaces": {"training_use": {"count": 1}, "ip_liability": {"count": 0}},
            "documents": [{"state": "stale"}, {"state": "broken"}, {"state": "good", "language": "zh", "read": False}],
        }
    )
    assert {name: surface["state"] for name, surface in state["surfaces"].items()} == {
        "training_use": "found", "ip_liability": "quiet",
    }  # fmt: skip
    assert [(one["language"], one["read"]) for one in state["documents"]] == [
        (None, True),
        (None, False),
        ("zh", False),
    ]
