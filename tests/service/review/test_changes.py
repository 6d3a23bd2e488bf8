"""Which findings make a change, and what of the platform they moved."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from riskanalytics.extraction import Comparison, assess
from riskanalytics.extraction.records import Move
from riskanalytics.service.review.changes import Step, _verification, causes_of
from tests.service.fixtures import NewPlace
from tests.service.given import PRIVACY, PRIVACY_LATER, lead_on
from tests.service.review.test_review import classes, reviewed

WORDS = ("first", "second", "third", "fourth", "fifth")
SIDES = ("snapshot_before", "snapshot_after", "rating_before", "rating_after", "stance_before", "stance_after")


def test_the_cause_of_a_change_lists_its_findings_and_what_they_moved(new_place: NewPlace) -> None:
    store = reviewed(new_place(), ("Privacy Policy", PRIVACY, "first"), ("Privacy Policy", PRIVACY_LATER, "change"))
    [change] = store.changes(limit=10)[1]
    hashes = [sha256(text.encode()).hexdigest() for text in (PRIVACY, PRIVACY_LATER)]
    assert {name: change[name] for name in SIDES} == dict(
        zip(SIDES, (*hashes, "HIGH", "LOW", "trains_by_default", "does_not_train"), strict=True)
    )
    assert [row[0]["quote"] for row in (change["removed"], change["added"])] == [
        "We use the prompts you enter to train our models.", "We do not use your prompts to train our models.",
    ]  # fmt: skip
    assert (change["direction"], change["directions"]) == ("down", {"training_use": "down"})
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


def causes(direction: str, stances: tuple[str, str], *moves: tuple[str, int, str | None]) -> list[tuple[str, str, Any]]:
    """Surface, direction and moved of the causes of a change with added findings: surface, step, stance."""
    text = "".join(f"Clause {number}. " for number in range(len(moves)))
    found = tuple(
        Move(None, lead_on(text, f"Clause {number}.", 0.9, surface, stance=stance), step)
        for number, (surface, step, stance) in enumerate(moves)
    )
    comparison = Comparison("material", ("data_retention", "training_use", "ads_tracking"), direction, moves=found)
    capture = {"document": "Terms", "snapshot_sha256": "a"}
    last, now = (replace(assess(()), stance=stance) for stance in stances)
    rows = causes_of("alder", Step(capture, capture, comparison), last, now)
    return [(row["surface"], row["direction"], row["moved"]) for row in rows]


def test_causes_in_the_direction_of_the_change_come_first_then_those_that_moved_the_stance() -> None:
    moves = [("data_retention", -1, None), ("ads_tracking", 2, None), ("training_use", 1, "trains_by_default"),
             ("training_use", 0, None)]  # fmt: skip
    moved: list[str] = []
    retention, ads = ("data_retention", "down", moved), ("ads_tracking", "up", moved)
    stance, other = ("training_use", "up", ["stance"]), ("training_use", "none", moved)
    turned = ("silent", "trains_by_default")
    assert causes("up", turned, *moves) == [stance, ads, retention, other]
    assert causes("down", turned, *moves) == [retention, stance, other, ads]
    assert causes("mixed", turned, *moves) == [stance, retention, other, ads]
    assert causes("mixed", ("silent", "silent"), *moves)[1] == ("training_use", "up", [])
    assert len(causes("up", turned, *[("ads_tracking", 1, None)] * 41)) == 40


GOOD, UNREAD = {"state": "good", "read": True}, {"state": "good", "read": False}
STALE, BROKEN = {"state": "stale", "read": True}, {"state": "broken", "read": False}


@pytest.mark.parametrize(
    ("documents", "tier"),
    [([], "unverified"), ([GOOD], "verified"), ([GOOD, UNREAD], "partial"), ([GOOD, BROKEN], "partial"),
     ([GOOD, STALE], "stale"), ([STALE, BROKEN], "stale"), ([BROKEN, UNREAD], "unverified")],
)  # fmt: skip
def test_a_platform_is_verified_only_if_each_document_is_read_and_current(
    documents: list[dict[str, Any]], tier: str
) -> None:
    assert _verification(documents) == tier


def test_the_rewritten_sentences_of_a_change_without_findings_are_only_sampled(new_place: NewPlace) -> None:
    lines = [f"The {word} page of the handbook tells how the team works together in this office." for word in WORDS]
    before, after = (
        PRIVACY + "\n" + "\n\n".join(lines).replace("tells how", verb) for verb in ("tells how", "shows how")
    )
    both = PRIVACY_LATER + after.removeprefix(PRIVACY)
    texts = (before, after, both.replace("shows how", "says how"))
    wording, material = reversed(
        reviewed(new_place(), *(("Terms", text, "change") for text in texts)).changes(limit=9)[1]
    )
    assert [(row["class"], len(row["altered"])) for row in (wording, material)] == [("wording", 3), ("material", 6)]
