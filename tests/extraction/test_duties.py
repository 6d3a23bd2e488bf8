"""Duties of users are not practices of the vendor."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Roles
from riskanalytics.extraction.evidence import is_duty
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS
from tests.extraction.given import BASE, compared, finding


@pytest.mark.parametrize(
    "words", ["You must not upload the faces of others.", "Users may not infer the health of anybody."]
)
def test_a_ban_on_users_is_not_a_material_change(words: str) -> None:
    assert compared(BASE, f"{BASE}\n\n{words}", {}, {words: {}}).change_class == "wording"
    assert compared(f"{BASE}\n\n{words}", BASE, {words: {}}, {}).change_class == "wording"


def test_an_item_under_a_ban_on_users_is_not_a_material_change() -> None:
    for above in ("You may not use the product to:", "# Prohibited uses"):
        after = f"{BASE}\n\n{above}\n\n* collect the faces of strangers"
        assert compared(BASE, after, {}, {"collect the faces of strangers": {}}).change_class == "wording"


def test_an_offer_to_sign_up_is_not_a_material_change() -> None:
    words = "Customers may sign up to receive news of new terms."
    given = {"surface": "terms_changes", "risk": "MED"}
    assert compared(BASE, f"{BASE}\n\n{words}", {}, {words: given}).change_class == "wording"


@pytest.mark.parametrize(
    ("words", "above", "duty"),
    [
        ("You must not sell the data of others.", "", True),
        ("sell the data of others", "You agree not to:", True),
        ("sell the data of others", "We may:", False),
        ("You must not sell what we share with you.", "", False),
        ("Users must be of the age of 18 years.", "", False),
        ("Data are sold.", "", False),
    ],
)
def test_a_clause_that_binds_users_without_naming_the_vendor_is_a_duty(words: str, above: str, duty: bool) -> None:
    assert is_duty(finding("ads_tracking.x", words, "HIGH"), words, above) is duty


@pytest.mark.parametrize(
    ("rule", "words", "risk", "duty"),
    [
        ("data_retention.x", "You can delete your files at any time.", "LOW", False),
        ("data_retention.x", "You can delete your files at any time.", "HIGH", True),
        ("data_retention.x", "Users must be of the age of 18 years.", "LOW", False),
        ("ads_tracking.x", "Customers agree that partners may sell the data.", "HIGH", False),
        ("ads_tracking.x", "Customers authorise partners to sell the data.", "HIGH", False),
        ("ads_tracking.x", "Users may subscribe to receive news.", "LOW", True),
    ],
)
def test_what_users_may_do_or_allow_is_no_duty(rule: str, words: str, risk: str, duty: bool) -> None:
    assert is_duty(finding(rule, words, risk, roles=Roles("user")), words, "") is duty


def test_a_clause_that_says_that_material_trains_is_no_duty() -> None:
    words = "Users must accept that prompts are used for training."
    assert not is_duty(finding("training_use.x", words, "HIGH"), words, "")
    assert is_duty(finding("ads_tracking.x", words, "HIGH"), words, "")


@pytest.mark.parametrize("above", ["Unacceptable:", "It is forbidden to:", "The following is disallowed:", "您不得："])
def test_a_lead_in_that_forbids_makes_a_duty(above: str) -> None:
    assert is_duty(finding("ads_tracking.x", "selling data", "HIGH"), "selling data", above)


def test_a_grant_by_the_user_is_not_a_duty_on_content_licence() -> None:
    words = "You must grant a licence to all content."
    assert SURFACE_DESCRIPTIONS["content_license"].users_part
    assert not is_duty(finding("content_license.x", words, "HIGH"), words, "")


def test_a_clause_about_a_third_party_is_not_a_duty_of_users() -> None:
    words = "Advertisers must not sell the data of others."
    assert not is_duty(finding("ads_tracking.x", words, "HIGH", roles=Roles("third_party")), words, "")
