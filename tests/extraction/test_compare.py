"""Differences between texts, and their classes."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.extraction import ClauseFinding, Comparer, Comparison, Reading, compare, extract

FILLER = "This policy tells how our service handles personal data under these terms. You have rights. " * 4
BASE = f"{FILLER}\n\nWe keep conversations for 30 days. We do not sell personal data.\n\nContact us at any time."
TRAIN = "We use your conversations to train our models."
NO_TRAIN = "We do not use your conversations to train our models."


def steps(*texts: str) -> list[Comparison]:
    comparer = Comparer()
    results = [comparer.step(text, extract(text)) for text in texts]
    assert results[0] is None
    return [result for result in results if result is not None]


def test_an_added_finding_is_material_and_raises_the_risk() -> None:
    result = compare(BASE, f"{BASE}\n\n{TRAIN}")
    assert (result.change_class, result.surfaces, result.direction) == ("material", ("training_use",), "up")
    assert [finding.quote for finding in result.added] == [TRAIN]
    assert "training use" in result.summary


def test_the_other_way_round_the_risk_falls() -> None:
    result = compare(f"{BASE}\n\n{TRAIN}", BASE)
    assert (result.change_class, result.direction) == ("material", "down")
    assert [finding.quote for finding in result.removed] == [TRAIN]


def test_a_promise_turned_around_is_material() -> None:
    result = compare(f"{BASE}\n\n{NO_TRAIN}", f"{BASE}\n\n{TRAIN}")
    assert (result.change_class, result.direction) == ("material", "up")
    assert any((row.before, row.after) == (NO_TRAIN, TRAIN) for row in result.altered)


def test_a_period_made_longer_is_material() -> None:
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
def test_links_marks_and_spaces_are_format(after: str) -> None:
    assert compare(BASE, after).change_class == "format"


@pytest.mark.parametrize(
    "after",
    [
        BASE.replace("Contact us at any time.", "Write to us at any time."),
        BASE + "\n\nWas this page helpful? Yes No",
        BASE + "\n\n[Do not sell or share my personal information](https://example.org/privacy)",
    ],
)
def test_contacts_and_navigation_are_wording(after: str) -> None:
    assert compare(BASE, after).change_class == "wording"


def test_a_product_rename_is_wording() -> None:
    before = f"{BASE}\n\nAurelia Team conversations are never used to train our models."
    assert compare(before, before.replace("Aurelia Team", "Aurelia Works")).change_class == "wording"


def test_a_rename_that_drops_a_promise_is_material() -> None:
    before = f"{BASE}\n\nA private Sheet belongs to you and its content is not used to train our models."
    after = f"{BASE}\n\nA private Page belongs to you."
    result = compare(before, after)
    assert (result.change_class, result.direction) == ("material", "up")


def test_flipping_back_is_a_revert() -> None:
    with_training = f"{BASE}\n\n{TRAIN}"
    classes = [result.change_class for result in steps(BASE, with_training, BASE, with_training, BASE)]
    assert classes == ["material", "revert", "revert", "revert"]


def test_reverting_words_without_findings_is_a_revert_too() -> None:
    other = BASE.replace("Contact us", "Write to us")
    assert [result.change_class for result in steps(BASE, other, BASE)] == ["wording", "revert"]


def test_dropping_what_all_texts_had_is_material_even_with_known_words() -> None:
    first = f"{BASE}\n\n{NO_TRAIN}\n\nOur office is in the old town."
    second = f"{BASE}\n\n{NO_TRAIN}"
    third = f"{BASE}\n\nOur office is in the old town."
    assert [result.change_class for result in steps(first, second, third)] == ["wording", "material"]


def test_earlier_texts_are_known_to_the_single_comparison() -> None:
    with_training = f"{BASE}\n\n{TRAIN}"
    assert compare(BASE, with_training, earlier=[with_training]).change_class == "revert"


def test_readings_can_be_handed_in() -> None:
    after = f"{BASE}\n\n{TRAIN}"
    assert compare(BASE, after, readings=(extract(BASE), extract(after))) == compare(BASE, after)


@pytest.mark.parametrize("failure", ["", "This page isn't available.", BASE[:200]])
def test_a_failed_capture_concludes_nothing(failure: str) -> None:
    long = BASE * 5
    assert compare(long, failure).change_class == "capture_failure"
    assert compare(failure, long).change_class == "capture_failure"
    assert compare(long, failure).removed == ()


def test_summaries_are_one_line() -> None:
    for after in (BASE, BASE + " ", f"{BASE}\n\n{TRAIN}", ""):
        assert "\n" not in compare(BASE, after).summary


def finding(text: str, quote: str, **said: Any) -> ClauseFinding:
    """A finding as a reading gives it, at the place of its quote; level and effect as told."""
    start = text.index(quote)
    given = {"surface": "sensitive_data", "risk": "HIGH", "polarity": "raises_risk", "rule": "made.by_hand"} | said
    return ClauseFinding(
        start=start, end=start + len(quote), quote=quote, confidence=0.9, confidence_interval=(0.8, 1.0), **given
    )


def compared(before: str, after: str, *sides: dict[str, dict[str, Any]]) -> Comparison:
    """Compare two texts whose findings are given by quote: those before, those after."""
    first, second = (
        Reading(tuple(finding(text, quote, **said) for quote, said in side.items()))
        for text, side in zip((before, after), sides, strict=True)
    )
    return compare(before, after, readings=(first, second))


PROMISE = {"surface": "sensitive_data", "risk": "LOW", "polarity": "mitigates_risk"}
TABLE = "\n\n| Kind of data | Collected | {asked} |\n| --- | --- | --- |\n| Voice recordings | {first} | {second} |\n"


def table(first: str, second: str, asked: str = "Shared with others") -> tuple[str, str]:
    """A policy with a table of one row, and that row."""
    return BASE + TABLE.format(asked=asked, first=first, second=second), f"Voice recordings | {first} | {second}"


@pytest.mark.parametrize(
    ("no", "yes"), [("NO", "YES"), ("No", "Yes, with consent"), ("✗", "✓"), ("❌", "✅"), ("off", "on"), ("否", "是")]
)
def test_a_cell_that_flips_to_yes_raises_the_risk_whatever_was_read_out_of_the_row(no: str, yes: str) -> None:
    (before, old), (after, new) = table(no, no), table(yes, no)
    there = compared(before, after, {old: PROMISE}, {new: PROMISE})
    assert (there.change_class, there.direction) == ("material", "up")
    back = compared(after, before, {new: PROMISE}, {old: PROMISE})
    assert (back.change_class, back.direction) == ("material", "down")


def test_a_cell_that_flips_under_a_header_that_protects_lowers_the_risk() -> None:
    (before, old), (after, new) = (table("Yes", answer, "Can you opt out?") for answer in ("No", "Yes"))
    assert compared(before, after, {old: PROMISE}, {new: PROMISE}).direction == "down"


def test_cells_that_flip_both_ways_cancel() -> None:
    (before, old), (after, new) = table("Yes", "No"), table("No", "Yes")
    assert compared(before, after, {old: {}}, {new: {}}).direction == "none"


SHARE = "We share recordings of your voice with advertising partners and with brokers of data"


@pytest.mark.parametrize(
    "after",
    [
        f"{BASE}\n\n| What | Why |\n| --- | --- |\n| {SHARE} | Growth |",
        f"{BASE}\n\nWe do this:\n\n* {SHARE};",
        f"{BASE}\n\n4.2 {SHARE}.",
        f"{BASE}\n\n**Sharing.** {SHARE}.",
        f"{BASE}\n\n{SHARE.replace(' with ', chr(10) + 'with ', 1)}.",
        f"{BASE}\n\n{SHARE.replace('advertising partners', '[advertising partners](https://a.example/list)')}.",
        f"{SHARE}.\n\n{BASE}",
        f"{BASE}\n\n{SHARE.replace('your voice', 'a voice')}.",
    ],
)
def test_a_clause_moved_wrapped_linked_or_put_into_a_table_or_list_is_no_change(after: str) -> None:
    before = f"{BASE}\n\n{SHARE}."
    assert compare(BASE, before).change_class == "material"
    result = compare(before, after)
    assert result.change_class in ("format", "wording")
    assert result.directions == {}


def test_a_clause_cut_in_two_is_no_change() -> None:
    one = f"{SHARE}, and we keep a copy of each of these recordings in our archive of recordings."
    two = f"{SHARE}:\n\n* and we keep a copy of each of these\n* recordings in our archive of recordings."
    before, after = f"{BASE}\n\n{one}", f"{BASE}\n\n{two}"
    result = compared(before, after, {one: {}}, {f"{SHARE}:": {}})
    assert result.change_class in ("format", "wording")


def test_a_clause_is_no_change_that_only_reads_otherwise_beside_its_neighbours() -> None:
    said = "Recordings are kept with the account."
    before, after = f"{BASE}\n\n{said}", f"{BASE}\n\n# Your voice\n\n{said}"
    assert compared(before, after, {}, {said: {}}).change_class == "wording"
    assert compared(after, before, {said: {}}, {}).change_class == "wording"


def test_an_item_whose_lead_in_turns_is_a_change() -> None:
    before, after = (f"{BASE}\n\n{lead}:\n\n* record your voice" for lead in ("We will never", "We will always"))
    result = compared(before, after, {"record your voice": PROMISE}, {"record your voice": {}})
    assert (result.change_class, result.direction) == ("material", "up")


@pytest.mark.parametrize(
    "said", ["You must not upload the faces of others.", "Users may not infer the health of anybody."]
)
def test_what_users_must_not_do_is_no_change_of_the_practice(said: str) -> None:
    assert compared(BASE, f"{BASE}\n\n{said}", {}, {said: {}}).change_class == "wording"


def test_an_item_under_a_ban_on_users_is_no_change_of_the_practice() -> None:
    after = f"{BASE}\n\nYou may not use the product to:\n\n* collect the faces of strangers"
    assert compared(BASE, after, {}, {"collect the faces of strangers": {}}).change_class == "wording"


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


def test_another_title_over_a_list_is_no_change() -> None:
    item = "* recordings of your voice"
    before, after = (f"{BASE}\n\n# {title}\n\n{item}" for title in ("What we do not keep", "What we may keep"))
    said = item.removeprefix("* ")
    assert compared(before, after, {said: PROMISE}, {said: {}}).change_class == "wording"


def test_a_tense_a_plural_or_another_spelling_is_wording() -> None:
    old = "After you have deleted it, recordings are anonymised by a third party."
    new = "After you delete it, recordings are anonymized by third parties."
    assert compared(f"{BASE}\n\n{old}", f"{BASE}\n\n{new}", {old: {}}, {new: PROMISE}).change_class == "wording"


def test_an_offer_to_sign_up_for_news_is_no_change() -> None:
    said = "Customers may sign up to receive news of new terms."
    given = {"surface": "terms_changes", "risk": "MED"}
    assert compared(BASE, f"{BASE}\n\n{said}", {}, {said: given}).change_class == "wording"


def test_a_practice_told_for_the_first_time_raises_the_risk_whatever_limits_come_with_it() -> None:
    practice, limit = "Faces are collected on entry.", "Faces of children are never collected."
    result = compared(BASE, f"{BASE}\n\n{practice} {limit}", {}, {practice: {"risk": "MED"}, limit: PROMISE})
    assert result.directions == {"sensitive_data": "up"}
    gone = compared(f"{BASE}\n\n{practice} {limit}", BASE, {practice: {"risk": "MED"}, limit: PROMISE}, {})
    assert gone.directions == {"sensitive_data": "mixed"}
