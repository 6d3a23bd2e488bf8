"""Differences between texts and their classes."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Comparison, compare, extract
from riskanalytics.extraction.compare import Comparer
from tests.extraction.given import BASE, NO_TRAIN, TRAIN


def steps(*texts: str) -> list[Comparison]:
    comparer = Comparer()
    results = [comparer.step(text, extract(text)) for text in texts]
    assert results[0] is None
    return [result for result in results if result is not None]


def test_an_added_finding_is_material_and_raises_the_risk() -> None:
    result = compare(BASE, f"{BASE}\n\n{TRAIN}")
    assert (result.change_class, result.surfaces, result.direction) == ("material", ("training_use",), "up")
    assert [finding.quote for finding in result.added] == [TRAIN]
    assert "Training use" in result.summary


def test_a_removed_practice_is_material_with_unclear_direction() -> None:
    result = compare(f"{BASE}\n\n{TRAIN}", BASE)
    assert (result.change_class, result.direction) == ("material", "unclear")  # it may only be worded differently
    assert [finding.quote for finding in result.removed] == [TRAIN]


def test_a_reversed_promise_is_material() -> None:
    result = compare(f"{BASE}\n\n{NO_TRAIN}", f"{BASE}\n\n{TRAIN}")
    assert (result.change_class, result.direction) == ("material", "up")
    assert any((row.before, row.after) == (NO_TRAIN, TRAIN) for row in result.altered)


def test_a_longer_period_is_material() -> None:
    result = compare(BASE, BASE.replace("30 days", "90 days"))
    assert (result.change_class, result.surfaces) == ("material", ("data_retention",))


@pytest.mark.parametrize(
    "after",
    [
        BASE.replace("personal data.", "[personal data](https://example.org/?id=8f3a)."),
        BASE.replace("We keep", "We  keep").replace("data.", "data ."),
        BASE.replace("We do not sell", "We do not **sell**"),
        BASE + "\n",
    ],
)
def test_changed_links_punctuation_and_spaces_are_format(after: str) -> None:
    assert compare(BASE, after).change_class == "format"


@pytest.mark.parametrize(
    "after",
    [
        BASE.replace("Contact us at any time.", "Write to us at any time."),
        BASE + "\n\nWas this page helpful? Yes No",
        BASE + "\n\n[Do not sell or share my personal information](https://example.org/privacy)",
    ],
)
def test_changed_contacts_and_navigation_are_wording(after: str) -> None:
    assert compare(BASE, after).change_class == "wording"


def test_a_product_rename_is_wording() -> None:
    before = f"{BASE}\n\nAurelia Team conversations are never used to train our models."
    assert compare(before, before.replace("Aurelia Team", "Aurelia Works")).change_class == "wording"


def test_a_rename_that_drops_a_promise_is_material() -> None:
    before = f"{BASE}\n\nA private Sheet belongs to you and its content is not used to train our models."
    after = f"{BASE}\n\nA private Page belongs to you."
    result = compare(before, after)
    assert (result.change_class, result.direction) == ("material", "up")


def test_going_back_to_an_earlier_text_is_a_revert() -> None:
    with_training = f"{BASE}\n\n{TRAIN}"
    classes = [result.change_class for result in steps(BASE, with_training, BASE, with_training, BASE)]
    assert classes == ["material", "revert", "revert", "revert"]


def test_going_back_without_findings_is_a_revert_too() -> None:
    other = BASE.replace("Contact us", "Write to us")
    assert [result.change_class for result in steps(BASE, other, BASE)] == ["wording", "revert"]


def test_removing_a_finding_of_all_texts_is_material_even_without_new_words() -> None:
    first = f"{BASE}\n\n{NO_TRAIN}\n\nOur office is in the old town."
    second = f"{BASE}\n\n{NO_TRAIN}"
    third = f"{BASE}\n\nOur office is in the old town."
    assert [result.change_class for result in steps(first, second, third)] == ["wording", "material"]


def test_a_single_comparison_takes_earlier_texts_into_account() -> None:
    with_training = f"{BASE}\n\n{TRAIN}"
    assert compare(BASE, with_training, earlier=[with_training]).change_class == "revert"


def test_known_readings_can_be_passed() -> None:
    after = f"{BASE}\n\n{TRAIN}"
    assert compare(BASE, after, readings=(extract(BASE), extract(after))) == compare(BASE, after)


@pytest.mark.parametrize("failure", ["", "This page isn't available.", BASE[:200]])
def test_a_failed_capture_is_not_compared(failure: str) -> None:
    long = BASE * 5
    assert compare(long, failure).change_class == "capture_failure"
    assert compare(failure, long).change_class == "capture_failure"
    assert compare(long, failure).removed == ()


def test_summaries_are_one_line() -> None:
    for after in (BASE, BASE + " ", f"{BASE}\n\n{TRAIN}", ""):
        assert "\n" not in compare(BASE, after).summary
