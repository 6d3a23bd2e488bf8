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
    assert tuple(formula["points"]) == RATINGS
    module = importlib.import_module("riskanalytics.extraction.assess")
    assert formula["points"] == {"LOW": 0, "MED": 1, "HIGH": 2}
    assert f"Formula (version {formula['version']};" in str(module.__doc__)


def test_the_steps_name_the_bounds_of_the_formula() -> None:
    formula = published_formula()
    words = " ".join(formula["steps"])
    assert f"the mean is {formula['high_from']} or more" in words
    assert f"the mean is below {formula['low_below']}" in words


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
