"""Whom or what a clause limits itself to."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Scope
from riskanalytics.extraction.sense import scope_of


@pytest.mark.parametrize(
    ("words", "heading", "scope"),
    [
        ("we train on it", "", Scope()),
        ("enterprise data are not used", "", Scope("business")),
        ("data sent by the api are kept", "", Scope("developer")),
        ("content of free users is used", "", Scope("consumer")),
        ("it is used", "business customers", Scope("business")),
        ("free users may object", "business customers", Scope("consumer")),
        ("users in the united kingdom may object", "", Scope(region="UK")),
        ("under the gdpr you may object", "", Scope(region="EU")),
        ("if you send us feedback we may use it", "", Scope(product="feedback")),
        ("if you send us feedback you have opted out", "", Scope()),
        ("temporary chats are not used", "", Scope(product="temporary")),
    ],
)
def test_a_clause_limits_itself_by_its_words_and_its_audience_by_the_heading_too(
    words: str, heading: str, scope: Scope
) -> None:
    assert scope_of(words, heading) == scope


def test_what_a_rule_knows_of_the_product_comes_first() -> None:
    assert scope_of("temporary chats are not used", "", "connector").product == "connector"
