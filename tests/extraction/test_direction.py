"""The direction of the risk after findings moved."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Reading, Scope
from tests.extraction.given import BASE, NO_TRAIN, PROMISE, TRAIN, compare, compared, stated


@pytest.mark.parametrize(
    ("before", "after", "surface", "direction"),
    [
        ("We keep voices for 30 days.", "We keep voices for 2 years.", "data_retention", "up"),
        ("We tell you 60 days ahead.", "We tell you 10 days ahead.", "terms_changes", "up"),
        ("We collect no faces of people here.", "We collect faces of people here.", "sensitive_data", "up"),
        ("We share it with vendors.", "We share it with vendors and affiliates.", "third_party_sharing", "unclear"),
        ("We share it with vendors.", "We share it with vendors with your consent.", "third_party_sharing", "unclear"),
    ],
)
def test_only_periods_and_negations_settle_the_direction_of_a_rewritten_clause(
    before: str, after: str, surface: str, direction: str
) -> None:
    values = {"surface": surface, "risk": "MED"}
    result = compared(f"{BASE}\n\n{before}", f"{BASE}\n\n{after}", {before: values}, {after: values})
    assert (result.change_class, result.directions) == ("material", {surface: direction})
    assert [move.kind for move in result.moves] == ["rewritten"]


def test_an_exception_to_a_promise_raises_the_risk() -> None:
    before = (
        "Recordings of voices that you delete are removed from all of our systems and from every copy within 30 days."
    )
    after = f"{before[:-1]}, unless a third party asks us to keep them."
    assert compared(f"{BASE}\n\n{before}", f"{BASE}\n\n{after}", {before: PROMISE}, {after: PROMISE}).direction == "up"


def test_a_new_practice_raises_the_risk_even_with_a_way_out() -> None:
    way_out = "You can turn this off in your settings."
    training = {"surface": "training_use", "risk": "MED", "stance": "trains_by_default"}
    out = {"surface": "training_use", "stance": "trains_with_opt_out", "risk": "LOW", "polarity": "mitigates_risk"}
    result = compared(BASE, f"{BASE}\n\n{TRAIN} {way_out}", {}, {TRAIN: training, way_out: out})
    assert result.directions == {"training_use": "up"}
    later = compared(
        f"{BASE}\n\n{TRAIN}", f"{BASE}\n\n{TRAIN} {way_out}", {TRAIN: training}, {TRAIN: training, way_out: out}
    )
    assert later.directions == {"training_use": "down"}


def test_a_removed_way_out_raises_the_risk_only_on_training() -> None:
    way_out = "You can turn this off in your settings."
    for surface, direction in (("training_use", "up"), ("ads_tracking", "unclear")):
        practice = {"surface": surface, "risk": "MED"}
        out = {"surface": surface, "risk": "LOW", "polarity": "mitigates_risk"}
        result = compared(
            f"{BASE}\n\n{TRAIN} {way_out}", f"{BASE}\n\n{TRAIN}", {TRAIN: practice, way_out: out}, {TRAIN: practice}
        )
        assert result.directions == {surface: direction}


def test_opposite_directions_of_surfaces_are_mixed_on_the_whole() -> None:
    promise = "We delete recordings of your voice at once."
    result = compared(
        f"{BASE}\n\n{promise}",
        f"{BASE}\n\n{NO_TRAIN}",
        {promise: PROMISE},
        {NO_TRAIN: {"surface": "training_use", "risk": "LOW", "polarity": "mitigates_risk"}},
    )
    assert result.directions == {"training_use": "down", "sensitive_data": "up"}
    assert result.direction == "mixed"


def test_a_promise_replaced_by_a_narrower_one_counts_as_removed() -> None:
    narrower = "We never train models on the content of paying customers."
    promise = {"surface": "training_use", "risk": "LOW", "polarity": "mitigates_risk"}
    result = compared(f"{BASE}\n\n{NO_TRAIN}", f"{BASE}\n\n{TRAIN} {narrower}", {NO_TRAIN: promise}, {
        TRAIN: {"surface": "training_use", "risk": "HIGH", "stance": "trains_by_default"},
        narrower: promise | {"scope": Scope("business")},
    })  # fmt: skip
    assert result.direction == "up"
    assert "removed" in {move.kind for move in result.moves if move.before and move.before.quote == NO_TRAIN}


def test_replacing_one_vendor_by_another_has_no_direction() -> None:
    old, new = (f"The {name} company carries our payments." for name in ("Larch", "Spruce and Daughters holding"))
    values = {"surface": "third_party_sharing", "risk": "MED"}
    result = compared(f"{BASE}\n\n{old}", f"{BASE}\n\n{new}", {old: values}, {new: values})
    assert result.direction == "none"


def test_a_practice_stated_for_the_first_time_raises_the_risk_despite_limits() -> None:
    practice, limit = "Faces are collected on entry.", "Faces of children are never collected."
    result = compared(BASE, f"{BASE}\n\n{practice} {limit}", {}, {practice: {"risk": "MED"}, limit: PROMISE})
    assert result.directions == {"sensitive_data": "up"}
    gone = compared(f"{BASE}\n\n{practice} {limit}", BASE, {practice: {"risk": "MED"}, limit: PROMISE}, {})
    assert gone.directions == {"sensitive_data": "up"}  # the practice may only be worded differently


def test_leads_are_weighed_and_a_lead_that_says_the_same_keeps_a_finding_from_being_removed() -> None:
    gone, lead = "Faces are collected on entry.", "Voices may be collected on exit."
    before, after = f"{BASE}\n\n{gone}", f"{BASE}\n\n{lead}"
    for risk, directions in (("MED", {"sensitive_data": "mixed"}), ("HIGH", {})):
        leads = (stated(after, lead)._replace(confidence=0.5),)
        result = compare(
            before, after, readings=(Reading((stated(before, gone, risk=risk),)), Reading((), leads=leads))
        )
        assert result.directions == directions
        assert {move.kind for move in result.moves} == ({"removed"} if directions else set())
