"""Where moved findings lead the risk."""

from __future__ import annotations

import pytest

from tests.extraction.given import BASE, NO_TRAIN, PROMISE, TRAIN, compared


@pytest.mark.parametrize(
    ("before", "after", "surface", "direction"),
    [
        ("We keep voices for 30 days.", "We keep voices for 2 years.", "data_retention", "up"),
        ("We tell you 60 days ahead.", "We tell you 10 days ahead.", "terms_changes", "up"),
        ("We collect no faces of people here.", "We collect faces of people here.", "sensitive_data", "up"),
        ("We share it with vendors.", "We share it with vendors and affiliates.", "third_party_sharing", "up"),
        ("We share it with vendors.", "We share it with vendors with your consent.", "third_party_sharing", "down"),
        ("We share it at all times.", "We share it unless you object at all times.", "third_party_sharing", "down"),
    ],
)
def test_words_that_differ_tell_the_direction_where_a_clause_is_read_alike(
    before: str, after: str, surface: str, direction: str
) -> None:
    said = {"surface": surface, "risk": "MED"}
    result = compared(f"{BASE}\n\n{before}", f"{BASE}\n\n{after}", {before: said}, {after: said})
    assert (result.change_class, result.directions) == ("material", {surface: direction})
    assert [move.kind for move in result.moves] == ["rewritten"]


def test_an_exception_to_a_promise_raises_the_risk() -> None:
    before, after = "Deleted voices go within 30 days.", "Deleted voices go within 30 days, unless a third party asks."
    assert compared(f"{BASE}\n\n{before}", f"{BASE}\n\n{after}", {before: PROMISE}, {after: PROMISE}).direction == "up"


def test_a_way_out_that_comes_with_a_practice_does_not_hide_it() -> None:
    way_out = "You can turn this off in your settings."
    training = {"surface": "training_use", "risk": "MED", "stance": "trains_by_default"}
    out = {"surface": "training_use", "stance": "trains_with_opt_out", "risk": "LOW", "polarity": "mitigates_risk"}
    result = compared(BASE, f"{BASE}\n\n{TRAIN} {way_out}", {}, {TRAIN: training, way_out: out})
    assert result.directions == {"training_use": "up"}
    later = compared(
        f"{BASE}\n\n{TRAIN}", f"{BASE}\n\n{TRAIN} {way_out}", {TRAIN: training}, {TRAIN: training, way_out: out}
    )
    assert later.directions == {"training_use": "down"}


def test_each_surface_has_its_direction_and_training_use_decides_the_whole() -> None:
    promise = "We delete recordings of your voice at once."
    result = compared(
        f"{BASE}\n\n{promise}",
        f"{BASE}\n\n{NO_TRAIN}",
        {promise: PROMISE},
        {NO_TRAIN: {"surface": "training_use", "risk": "LOW", "polarity": "mitigates_risk"}},
    )
    assert result.directions == {"training_use": "down", "sensitive_data": "up"}
    assert result.direction == "down"


def test_one_vendor_for_another_goes_neither_way() -> None:
    old, new = (f"The {name} company carries our payments." for name in ("Larch", "Spruce and Daughters holding"))
    said = {"surface": "third_party_sharing", "risk": "MED"}
    result = compared(f"{BASE}\n\n{old}", f"{BASE}\n\n{new}", {old: said}, {new: said})
    assert result.direction == "none"


def test_a_practice_told_for_the_first_time_raises_the_risk_whatever_limits_come_with_it() -> None:
    practice, limit = "Faces are collected on entry.", "Faces of children are never collected."
    result = compared(BASE, f"{BASE}\n\n{practice} {limit}", {}, {practice: {"risk": "MED"}, limit: PROMISE})
    assert result.directions == {"sensitive_data": "up"}
    gone = compared(f"{BASE}\n\n{practice} {limit}", BASE, {practice: {"risk": "MED"}, limit: PROMISE}, {})
    assert gone.directions == {"sensitive_data": "mixed"}
