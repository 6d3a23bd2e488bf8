"""The kind of a document by its first words."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.plain import KINDS, kind_of


@pytest.mark.parametrize(
    ("opening", "kind"),
    [
        (["acceptable use policy", "this policy is part of our terms of service."], "conduct"),
        (["community guidelines"], "conduct"),
        (["privacy policy", "this policy tells how we handle personal data."], "privacy"),
        (["terms of service", "these terms are an agreement."], "terms"),
        (["cookie notice", "we set cookies. a cookie is a small file."], "cookies"),
        (["developer terms", "these terms hold for the interface."], "developer"),
        (["data processing addendum", "personal data is handled for you."], "processing"),
        (["copyright policy", "how to tell us of a copy."], "copyright"),
        (["隐私政策", "我们保护您的个人信息。"], "privacy"),
        (["用户协议", "本协议的条款适用于您。"], "terms"),
        ([], "privacy"),
    ],
)
def test_the_first_words_tell_the_kind(opening: list[str], kind: str) -> None:
    assert kind in KINDS
    assert kind_of(opening) == kind


def test_what_a_policy_merely_mentions_far_below_does_not_make_its_kind() -> None:
    opening = ["privacy policy", *["we handle personal data with care."] * 20]
    assert kind_of([*opening, *["community guidelines. terms agreement conditions."] * 50]) == "privacy"
    assert kind_of(["privacy policy", "we handle personal data. " * 9, "acceptable use is told elsewhere"]) == "privacy"


def test_no_more_than_the_opening_is_taken() -> None:
    taken = []
    kind_of(taken.append(number) or "privacy" for number in range(1000))  # type: ignore[func-returns-value]
    assert len(taken) <= 13
