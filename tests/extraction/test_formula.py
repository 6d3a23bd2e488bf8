"""The published formula is the formula that rates."""

from __future__ import annotations

import importlib

import pytest

from riskanalytics.extraction import Assessment, ClauseFinding, DocumentReading, Reading, assess, published_formula
from riskanalytics.models import RATINGS
from riskanalytics.surfaces import SURFACES


def finding(surface: str, risk: str, place: int, confidence: float = 0.9) -> ClauseFinding:
    polarity = "mitigates_risk" if risk == "LOW" else "raises_risk"
    words = f"clause {surface} {risk} number {place}"
    if surface == "training_use":
        words = (
            "We use your content to train our models."
            if risk == "HIGH"
            else "We never train our models on your content."
        )
    return ClauseFinding(
        surface, place, place + len(words), words, risk, polarity, f"{surface}.x", confidence, (0.0, 1.0)
    )


def rated(confidence: float = 0.9, **levels: str) -> Assessment:
    found = tuple(finding(surface, risk, 100 * n, confidence) for n, (surface, risk) in enumerate(levels.items()))
    return assess([DocumentReading("Terms", "ab", "2026-01-01T00:00:00Z", Reading(found, "en", len(found)))])


def test_every_surface_has_a_weight_and_every_level_has_points() -> None:
    formula = published_formula()
    assert set(formula["weights"]) == set(SURFACES)
    assert {name: weight for name, weight in formula["weights"].items() if weight > 1} == {
        "training_use": 3, "content_license": 3, "web_data_training": 2, "output_rights": 2, "data_retention": 2,
        "third_party_sharing": 2, "ads_tracking": 2,
    }  # fmt: skip
    assert tuple(formula["points"]) == RATINGS
    module = importlib.import_module("riskanalytics.extraction.assess")
    assert formula["points"] == {"LOW": 0, "MED": 1, "HIGH": 2}
    assert f"Formula (version {formula['version']};" in str(module.__doc__)


def test_the_steps_name_the_bounds_of_the_formula() -> None:
    formula = published_formula()
    words = " ".join(formula["steps"])
    assert f"the mean is {formula['high_from']} or more" in words
    assert f"the mean is below {formula['low_below']}" in words
    assert "points are HIGH 2, MED 1, LOW 0." in words
    assert "On Output rights, the level is LOW" in words
    assert (formula["high_from"], formula["low_below"], len(formula["steps"])) == (1.25, 0.9, 5)


@pytest.mark.parametrize(
    "levels",
    [
        {"content_license": "HIGH", "data_retention": "MED"},
        {"content_license": "LOW", "data_retention": "MED", "terms_changes": "HIGH"},
        {"training_use": "LOW", "ip_liability": "MED"},
    ],
)
def test_the_published_numbers_give_the_mean_of_the_rating(levels: dict[str, str]) -> None:
    formula, assessment = published_formula(), rated(**levels)
    given = {row.surface: row.risk for row in assessment.surfaces if row.risk}
    assert given == levels
    weight = sum(formula["weights"][name] for name in given)
    mean = sum(formula["weights"][name] * formula["points"][risk] for name, risk in given.items()) / weight
    assert any(rule.startswith(f"rating.mean={mean:.2f}") for rule in assessment.rules)
    expected = "HIGH" if mean >= formula["high_from"] else assessment.rating
    assert assessment.rating == expected


def test_high_training_use_makes_the_rating_high_with_any_mean() -> None:
    assert rated(training_use="HIGH", content_license="LOW", data_retention="LOW").rating == "HIGH"


def test_silence_on_training_never_leads_to_low() -> None:
    assert rated(content_license="LOW", data_retention="LOW").rating == "MED"
    assert rated(content_license="LOW", training_use="LOW").rating == "LOW"


def test_a_surface_is_high_only_with_a_confident_high_clause() -> None:
    assert {row.risk for row in rated(content_license="HIGH").surfaces if row.count} == {"HIGH"}
    assert {row.risk for row in rated(0.89, content_license="HIGH").surfaces if row.count} == {"MED"}


def test_undetermined_training_has_no_level_and_prevents_low() -> None:
    unsure = rated(0.89, content_license="LOW", training_use="LOW")
    assert (unsure.stance, unsure.surfaces[0].risk, unsure.rating) == ("undetermined", None, "MED")
    assert unsure.surfaces[0].decided_by == unsure.stance_decided_by != ()


@pytest.mark.parametrize(
    ("levels", "rating", "rules"),
    [
        ({"content_license": "MED", "terms_changes": "HIGH"}, "HIGH", ("rating.mean=1.25>=1.25",)),
        ({"content_license": "MED", "terms_changes": "MED"}, "MED", ("rating.mean=1.00",)),
        ({"training_use": "HIGH"}, "HIGH", ("rating.training_high", "rating.mean=2.00")),
        ({"training_use": "LOW", "terms_changes": "HIGH"}, "LOW", ("rating.mean=0.50<0.9", "rating.training_low")),
        ({"training_use": "LOW", "data_retention": "HIGH"}, "MED", ("rating.mean=0.80", "rating.high=data_retention")),
        (
            {"training_use": "LOW", "content_license": "MED", "data_retention": "MED"}
            | dict.fromkeys(("terms_changes", "ip_liability"), "HIGH"),
            "MED", ("rating.mean=0.90",),
        ),
        ({}, "UNRATED", ("rating.nothing_found",)),
    ],
)  # fmt: skip
def test_the_bounds_of_the_mean_belong_to_the_higher_rating(
    levels: dict[str, str], rating: str, rules: tuple[str, ...]
) -> None:
    assert (rated(**levels).rating, rated(**levels).rules) == (rating, rules)


@pytest.mark.parametrize(
    ("high", "med", "low", "level", "rights"),
    [
        (1, 0, 1, "HIGH", "HIGH"),
        (1, 2, 1, "HIGH", "HIGH"),
        (1, 3, 0, "MED", "MED"),
        (1, 0, 2, "MED", "LOW"),
        (1, 0, 3, "LOW", "LOW"),
        (0, 1, 2, "MED", "LOW"),
        (0, 1, 3, "LOW", "LOW"),
        (0, 1, 0, "MED", "MED"),
        (0, 0, 1, "LOW", "LOW"),
        (1, 1, 4, "MED", "LOW"),
    ],
)
def test_the_numbers_of_clauses_give_the_level(high: int, med: int, low: int, level: str, rights: str) -> None:
    for surface, expected in (("terms_changes", level), ("output_rights", rights)):
        risks = ["HIGH"] * high + ["MED"] * med + ["LOW"] * low
        found = tuple(finding(surface, risk, 100 * n) for n, risk in enumerate(risks))
        (row,) = (
            row for row in assess([DocumentReading("Terms", "ab", "", Reading(found, "en", 9))]).surfaces if row.count
        )
        assert (row.risk, row.count) == (expected, len(found))
