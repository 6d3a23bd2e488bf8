"""Differences between texts and their classes."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Comparison, extract
from riskanalytics.extraction.compare import Comparer, without
from tests.extraction.given import BASE, NO_TRAIN, TRAIN, compare, compared


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


@pytest.mark.parametrize(
    ("after", "kept"), [(f"{BASE}\n\n{TRAIN}", 2), (BASE, 2), (BASE.replace("30 days", "90 days"), 1)]
)
def test_findings_that_both_texts_have_are_kept(after: str, kept: int) -> None:
    assert [finding.surface for finding in extract(BASE).findings] == ["data_retention", "ads_tracking"]
    assert compare(BASE, after).kept == compare(after, BASE).kept == kept


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
    result = compare(BASE, after)
    assert (result.change_class, result.summary) == ("format", "Only links, punctuation, dates or spacing differ.")


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


def test_table_cells_that_only_break_at_other_places_are_format() -> None:
    basis = "Our legitimate interests. This includes steps that you request before you open an account with us. " * 8
    row = f"| To develop and train our models. | Account data<br><br>User input<br><br>Cookies | {basis}|"
    before = f"{BASE}\n\n| Purpose | Data | Legal basis |\n| --- | --- | --- |\n{row}"
    after = before.replace("<br><br>", "  <br>")
    result = compare(before, after)
    assert (result.change_class, result.summary) == ("format", "Only links, punctuation, dates or spacing differ.")


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
    results = steps(BASE, other, BASE)
    assert [result.change_class for result in results] == ["wording", "revert"]
    assert results[0].summary == "Statements: 1 new or reworded, 1 removed; no finding changed."
    assert results[1].summary == "Back to an earlier text; no finding changed."


def test_removing_a_finding_that_not_all_texts_had_is_a_revert() -> None:
    office = f"{BASE}\n\nOur office is in the old town."
    result = steps(BASE, f"{office}\n\n{TRAIN}", office)[-1]
    assert without(result, lambda move: True).change_class == "revert"
    assert (result.change_class, result.summary) == (
        "revert", "Back to earlier words. Findings on Training use: 1 removed.",
    )  # fmt: skip


def test_removing_a_finding_of_all_texts_is_material_even_without_new_words() -> None:
    first = f"{BASE}\n\n{NO_TRAIN}\n\nOur office is in the old town."
    second = f"{BASE}\n\n{NO_TRAIN}"
    third = f"{BASE}\n\nOur office is in the old town."
    assert [result.change_class for result in steps(first, second, third)] == ["wording", "material"]


def test_words_of_any_earlier_text_are_back_although_the_whole_text_is_new() -> None:
    office = "Our office is in the old town."
    first, second, third = f"{BASE}\n\n{TRAIN}\n\n{office}", f"{BASE}\n\n{office}", f"{BASE}\n\n{TRAIN}"
    result = steps(first, second, third)[-1]
    assert (result.change_class, result.summary) == (
        "revert", "Back to earlier words. Findings on Training use: 1 added.",
    )  # fmt: skip


def test_a_single_comparison_takes_earlier_texts_into_account() -> None:
    with_training = f"{BASE}\n\n{TRAIN}"
    assert compare(BASE, with_training, with_training).change_class == "revert"


def test_texts_in_two_languages_are_not_compared_and_their_findings_do_not_move() -> None:
    chinese = "我们会收集您的个人信息，并按照本隐私政策使用这些信息。您有权访问、更正和删除您的个人信息。" * 10
    (result,) = steps(BASE, chinese)
    assert (result.change_class, result.moves) == ("capture_failure", ())
    assert result.summary == "The two texts are in different languages: not compared."


CLAUSES = {
    "We scan faces of all guests.": {"surface": "sensitive_data"},
    "Colleagues read the letters.": {"surface": "human_review"},
    "Brokers get the lists.": {"surface": "third_party_sharing"},
    "Files are kept for years.": {"surface": "data_retention"},
}


@pytest.mark.parametrize(
    ("number", "named"),
    [
        (1, "Sensitive data: 1"),
        (3, "Third-party sharing, Human review, Sensitive data: 3"),
        (4, "Data retention, Third-party sharing, Human review and 1 more: 4"),
    ],
)
def test_a_summary_names_three_surfaces_at_most_the_weightiest_first(number: int, named: str) -> None:
    said = dict(list(CLAUSES.items())[:number])
    text = "\n\n".join([BASE, *said])
    assert compared(BASE, text, {}, said).summary == f"Findings on {named} added."
    assert compared(text, BASE, said, {}).summary == f"Findings on {named} removed."


def test_moves_in_the_direction_of_their_surface_come_first_and_some_can_be_left_out() -> None:
    face, _, broker, _ = CLAUSES
    old, new = "We keep voices for 30 days.", "We keep voices for 2 years."
    kept = {"surface": "data_retention"}
    before, after = f"{BASE}\n\nWrite soon.\n\n{old}\n\n{broker}", f"{BASE}\n\nWrite now.\n\n{new}\n\n{face}"
    result = compared(before, after, {old: kept, broker: CLAUSES[broker]}, {new: kept, face: CLAUSES[face]})
    assert result.summary == (
        "Findings on Data retention, Sensitive data, Third-party sharing: 1 added, 1 removed, 1 rewritten."
    )
    assert [move.kind for move in result.moves] == ["rewritten", "added", "removed"]
    assert result.altered[0].surface == "data_retention"  # rows without a finding come last
    assert without(result, lambda move: False) is result
    fewer = without(result, lambda move: move.kind == "rewritten")
    assert (fewer.change_class, fewer.directions) == (
        "material",
        {"sensitive_data": "up", "third_party_sharing": "unclear"},
    )
    assert {move.kind for move in fewer.weighed} == {"added", "removed"}
    none = without(result, lambda move: True)
    assert (none.change_class, none.moves, none.altered) == ("wording", (), result.altered)
    assert none.summary == "Findings moved between documents of the platform: 3."


def test_a_rewritten_statement_has_the_surface_of_its_later_or_else_of_its_earlier_finding() -> None:
    old, new = "We keep voices for 30 days.", "We keep voices for 2 years."
    before, after = f"{BASE}\n\n{old}", f"{BASE}\n\n{new}"
    for sides, surface in (
        (({}, {new: {"surface": "data_retention"}}), "data_retention"),
        (({old: {"surface": "human_review"}}, {}), "human_review"),
        (({old: {"surface": "human_review"}}, {new: {"surface": "data_retention"}}), "data_retention"),
    ):
        (row,) = compared(before, after, *sides).altered
        assert (row.before, row.after, row.surface) == (old, new, surface)


def test_at_most_forty_rewritten_statements_are_shown() -> None:
    before, after = (
        "\n\n".join([BASE, *(f"Room number {number} is painted in {colour} colour now." for number in range(45))])
        for colour in ("green", "dark blue")
    )
    assert len(compared(before, after, {}, {}).altered) == 40


def test_summaries_are_one_line() -> None:
    for after in (BASE, BASE + " ", f"{BASE}\n\n{TRAIN}", ""):
        assert "\n" not in compare(BASE, after).summary
