"""Which findings make a change, and what of the platform they moved."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from riskanalytics.extraction import Assessment, Comparison, assess
from riskanalytics.extraction.records import Move
from riskanalytics.models.records import Document
from riskanalytics.service.review import changes
from riskanalytics.service.review.changes import (
    Step,
    _verification,
    causes_of,
    document_row,
    judged_once,
    rating_before,
)
from riskanalytics.service.store.records import public_id
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
    wrapped = said.replace("with ", "with\n")
    other = [("Privacy Policy", PRIVACY, "change"), ("Terms of Use", there + f"\n{wrapped}\n", "change")]
    store = reviewed(new_place(), *one, *other, a_day=2)
    assert classes(store) == ["wording", "wording"]
    assert classes(reviewed(new_place(), *one, *other)) == ["material", "material"]


def causes(
    direction: str, sides: tuple[Assessment, Assessment], *moves: tuple[str, int, str | None]
) -> list[tuple[str, str, Any]]:
    """Surface, direction and moved of the causes of a change with added findings: surface, step, stance."""
    text = "".join(f"Clause {number}. " for number in range(len(moves)))
    found = tuple(
        Move(None, lead_on(text, f"Clause {number}.", 0.9, surface, stance=stance), step)
        for number, (surface, step, stance) in enumerate(moves)
    )
    comparison = Comparison("material", ("data_retention", "training_use", "ads_tracking"), direction, moves=found)
    capture = {"document": "Terms", "snapshot_sha256": "a"}
    rows = causes_of("alder", Step(capture, capture, comparison), *sides)
    return [(row["surface"], row["direction"], row["moved"]) for row in rows]


def assessed(stance: str = "silent", rating: str = "UNRATED", **levels: str) -> Assessment:
    """Assessment of a platform with this stance, rating and levels of surfaces."""
    whole = assess(())
    surfaces = tuple(replace(one, risk=levels.get(one.surface, one.risk)) for one in whole.surfaces)
    return replace(whole, stance=stance, rating=rating, surfaces=surfaces)


def test_causes_in_the_direction_of_the_change_come_first_then_those_that_moved_the_stance() -> None:
    moves = [("data_retention", -1, None), ("ads_tracking", 2, None), ("training_use", 1, "trains_by_default"),
             ("training_use", 0, None)]  # fmt: skip
    moved: list[str] = []
    retention, ads = ("data_retention", "down", moved), ("ads_tracking", "up", moved)
    stance, other = ("training_use", "up", ["stance"]), ("training_use", "none", moved)
    turned = (assessed(), assessed("trains_by_default"))
    assert causes("up", turned, *moves) == [stance, ads, retention, other]
    assert causes("down", turned, *moves) == [retention, stance, other, ads]
    assert causes("mixed", turned, *moves) == [stance, retention, other, ads]
    assert causes("mixed", (assessed(), assessed()), *moves)[1] == ("training_use", "up", [])
    assert len(causes("up", turned, *[("ads_tracking", 1, None)] * 41)) == 40


UP, DOWN, NONE = ("ads_tracking", 1, None), ("ads_tracking", -1, None), ("ads_tracking", 0, None)
LEVEL = "level of ads_tracking"


@pytest.mark.parametrize(
    ("sides", "moves", "moved"),
    [
        # only findings in the direction of the level moved it
        ((assessed(ads_tracking="LOW"), assessed(ads_tracking="HIGH")), [UP, DOWN, NONE], [[LEVEL], [], []]),
        ((assessed(ads_tracking="HIGH"), assessed(ads_tracking="LOW")), [UP, DOWN, NONE], [[LEVEL], [], []]),
        # if none has it, all with a weight did
        ((assessed(ads_tracking="LOW"), assessed(ads_tracking="HIGH")), [DOWN, NONE], [[LEVEL], []]),
        ((assessed(ads_tracking="MED"), assessed(ads_tracking="MED")), [UP], [[]]),
        # a new level has no direction: the rating must move as the finding does
        (
            (assessed(rating="LOW"), assessed(rating="HIGH", ads_tracking="HIGH")),
            [UP, DOWN],
            [[LEVEL, "rating"], [LEVEL]],
        ),
        ((assessed(), assessed(rating="HIGH", ads_tracking="HIGH")), [UP, DOWN], [[LEVEL, "rating"]] * 2),
        # a rating that moved against the level was moved by others
        ((assessed(rating="HIGH", ads_tracking="LOW"), assessed(rating="LOW", ads_tracking="MED")), [UP], [[LEVEL]]),
        (
            (assessed(rating="LOW", ads_tracking="LOW"), assessed(rating="MED", ads_tracking="MED")),
            [UP],
            [[LEVEL, "rating"]],
        ),
    ],
)
def test_a_finding_moved_the_level_of_its_surface_and_the_rating_if_its_effect_has_their_direction(
    sides: tuple[Assessment, Assessment], moves: list[tuple[str, int, str | None]], moved: list[list[str]]
) -> None:
    assert [found for _, _, found in causes("mixed", sides, *moves)] == moved


def test_causes_that_moved_the_rating_come_before_those_of_earlier_surfaces_and_the_moved_ones_of_a_surface_first() -> (
    None
):
    sides = assessed(rating="LOW", ads_tracking="LOW"), assessed(rating="MED", ads_tracking="MED")
    moves = [("data_retention", 1, None), DOWN, UP, ("training_use", -1, None)]
    found = [(surface, direction) for surface, direction, _ in causes("mixed", sides, *moves)]
    assert found == [
        ("ads_tracking", "up"),
        ("data_retention", "up"),
        ("training_use", "down"),
        ("ads_tracking", "down"),
    ]
    level = assessed(ads_tracking="LOW"), assessed(ads_tracking="MED")
    found = [(surface, direction) for surface, direction, _ in causes("mixed", level, *moves)]
    assert found == [
        ("data_retention", "up"),
        ("training_use", "down"),
        ("ads_tracking", "up"),
        ("ads_tracking", "down"),
    ]


def read_by(side: Assessment, readers: str) -> Assessment:
    """The assessment, with the level of training use as language models read it."""
    by = {"training_use": readers}
    return replace(side, surfaces=tuple(replace(one, read_by=by.get(one.surface)) for one in side.surfaces))


TRAINS, OPEN = assessed("trains_by_default", "HIGH", training_use="HIGH"), assessed("undetermined", "LOW")
ADS = assessed("undetermined", "LOW", ads_tracking="LOW")
OWN: list[list[str]] = [["level of training_use", "rating", "stance"]]


@pytest.mark.parametrize(
    ("last", "now", "once", "rating", "moved"),
    [
        (read_by(TRAINS, "one"), OPEN, True, "LOW", [[]]),
        (TRAINS, read_by(OPEN, "one"), True, "LOW", [[]]),
        (read_by(OPEN, "one"), read_by(TRAINS, "one"), True, "HIGH", [[]]),
        # another surface moved, too
        (read_by(TRAINS, "one"), ADS, True, "HIGH", [[]]),
        (TRAINS, OPEN, False, "HIGH", OWN),
        (read_by(TRAINS, "one"), assessed("does_not_train", "LOW", training_use="LOW"), False, "HIGH", OWN),
    ],
)
def test_a_move_from_or_to_an_undetermined_stance_that_models_read_is_not_a_move_of_the_vendor(
    last: Assessment, now: Assessment, once: bool, rating: str, moved: list[list[str]]
) -> None:
    assert (judged_once(last, now), rating_before(last, now)) == (once, rating)
    step = 1 if now.stance == "trains_by_default" else -1
    assert [found for _, _, found in causes("mixed", (last, now), ("training_use", step, now.stance))] == moved


def test_a_rewritten_finding_is_named_as_it_is_now_with_both_its_places() -> None:
    first, later = lead_on("We sell.", "We sell", 0.9), lead_on("Now we sell.", "we sell", 0.9)
    places = [{"document": "Terms", "snapshot_sha256": name} for name in ("a", "b")]
    before, after = (
        public_id("alder", one._asdict(), place) for one, place in zip((first, later), places, strict=True)
    )
    comparison = Comparison("material", ("third_party_sharing",), "none", moves=(Move(first, later, 0),))
    [cause] = causes_of("alder", Step(places[1], places[0], comparison), assess(()), assess(()))
    assert [cause[name] for name in ("finding", "before", "after", "kind", "direction")] == [
        after, before, after, "rewritten", "none",
    ]  # fmt: skip


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


@pytest.mark.parametrize(
    ("good", "newest", "state", "day"),
    [(True, "good", "good", "2"), (True, "broken", "stale", "1"), (True, "not_a_policy", "stale", "1"),
     (False, "broken", "broken", "2"), (False, "not_a_policy", "not_a_policy", "2")],
)  # fmt: skip
def test_a_document_is_shown_as_it_last_was_good_and_is_stale_if_its_newest_capture_is_not(
    good: bool, newest: str, state: str, day: str
) -> None:
    capture = dict.fromkeys(Document.model_fields) | {"document": "Terms", "check": "passed"}
    first = capture | {"captured_at": "1", "state": "good"}
    last = first if good and newest == "good" else capture
    last = last | {"captured_at": "2", "state": newest, "check": "no_text"}
    row = document_row(changes.Document((last if newest == "good" else first) if good else {}, last))
    assert [row[name] for name in ("state", "captured_at", "newest_capture_at", "check")] == [
        state,
        day,
        "2",
        "no_text",
    ]


def test_the_rewritten_sentences_of_a_change_without_findings_are_only_sampled(new_place: NewPlace) -> None:
    lines = [f"The {word} page of the handbook tells how the team works together in this office." for word in WORDS]
    before, after = (
        PRIVACY + "\n" + "\n\n".join(lines).replace("tells how", verb) for verb in ("tells how", "shows how")
    )
    both = PRIVACY_LATER + after.removeprefix(PRIVACY)
    texts = (before, after, both.replace("shows how", "says how"), after)
    found = reversed(reviewed(new_place(), *(("Terms", text, "change") for text in texts)).changes(limit=9)[1])
    assert [(row["class"], len(row["altered"])) for row in found] == [("wording", 3), ("material", 6), ("revert", 6)]
