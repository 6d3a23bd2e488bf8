"""Which findings make a change, and what of the platform they moved."""

from __future__ import annotations

from tests.service.fixtures import NewPlace
from tests.service.given import PRIVACY, PRIVACY_LATER
from tests.service.review.test_review import classes, reviewed


def test_the_cause_of_a_change_lists_its_findings_and_what_they_moved(new_place: NewPlace) -> None:
    store = reviewed(new_place(), ("Privacy Policy", PRIVACY, "first"), ("Privacy Policy", PRIVACY_LATER, "change"))
    [change] = store.changes(limit=10)[1]
    assert change["directions"] == {"training_use": "down"}
    [new, gone] = change["cause"]
    [added], [removed] = change["added"], change["removed"]
    assert new["moved"] == gone["moved"] == ["level of training_use", "rating", "stance"]
    assert new | {"moved": []} == {
        "finding": added["id"], "rule": added["rule"], "surface": "training_use", "kind": "added",
        "before": None, "after": added["id"], "effect": "mitigates_risk", "direction": "down", "moved": [],
    }  # fmt: skip
    assert (gone["kind"], gone["before"], gone["after"]) == ("removed", removed["id"], None)


def test_the_cause_is_listed_even_if_no_rating_or_stance_moved(new_place: NewPlace) -> None:
    later = PRIVACY + "\nWe share personal data with our affiliates.\n"
    store = reviewed(new_place(), ("Privacy Policy", PRIVACY, "first"), ("Privacy Policy", later, "change"))
    [change] = store.changes(limit=10)[1]
    assert (change["rating_before"], change["stance_before"]) == (change["rating_after"], change["stance_after"])
    assert [(row["kind"], row["direction"], row["before"]) for row in change["cause"]] == [("added", "up", None)]
    assert change["cause"][0]["finding"] == change["cause"][0]["after"] == change["added"][0]["id"]


def test_a_clause_moved_to_another_document_at_the_same_time_is_not_a_change(new_place: NewPlace) -> None:
    said = "We share personal data with advertising partners."
    here, there = PRIVACY + f"\n{said}\n", PRIVACY.replace("Privacy Policy", "Terms of Use")
    one = [("Privacy Policy", here, "first"), ("Terms of Use", there, "first")]
    other = [("Privacy Policy", PRIVACY, "change"), ("Terms of Use", there + f"\n{said}\n", "change")]
    store = reviewed(new_place(), *one, *other, a_day=2)
    assert classes(store) == ["wording", "wording"]
    assert classes(reviewed(new_place(), *one, *other)) == ["material", "material"]
