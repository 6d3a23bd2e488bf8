"""The findings that moved between two texts of one document."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Scope, compare
from tests.extraction.given import BASE, PROMISE, compared

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
def test_a_clause_with_new_place_or_markup_has_not_moved(after: str) -> None:
    before = f"{BASE}\n\n{SHARE}."
    assert compare(BASE, before).change_class == "material"
    result = compare(before, after)
    assert result.change_class in ("format", "wording")
    assert result.directions == {}


def test_a_clause_cut_in_two_has_not_moved() -> None:
    one = f"{SHARE}, and we keep a copy of each of these recordings in our archive of recordings."
    two = f"{SHARE}:\n\n* and we keep a copy of each of these\n* recordings in our archive of recordings."
    before, after = f"{BASE}\n\n{one}", f"{BASE}\n\n{two}"
    result = compared(before, after, {one: {}}, {f"{SHARE}:": {}})
    assert result.change_class in ("format", "wording")


def test_a_clause_that_is_only_read_differently_has_not_moved() -> None:
    quote = "Recordings are kept with the account."
    before, after = f"{BASE}\n\n{quote}", f"{BASE}\n\n# Your voice\n\n{quote}"
    assert compared(before, after, {}, {quote: {}}).change_class == "wording"
    assert compared(after, before, {quote: {}}, {}).change_class == "wording"


def test_an_item_with_a_reversed_lead_in_has_moved() -> None:
    before, after = (f"{BASE}\n\n{lead}:\n\n* record your voice" for lead in ("We will never", "We will always"))
    result = compared(before, after, {"record your voice": PROMISE}, {"record your voice": {}})
    assert (result.change_class, result.direction) == ("material", "up")


def test_an_item_under_another_title_has_not_moved() -> None:
    item = "* recordings of your voice"
    before, after = (f"{BASE}\n\n# {title}\n\n{item}" for title in ("What we do not keep", "What we may keep"))
    quote = item.removeprefix("* ")
    assert compared(before, after, {quote: PROMISE}, {quote: {}}).change_class == "wording"


def test_tense_plural_and_spelling_are_wording() -> None:
    old = "After you have deleted it, recordings are anonymised by a third party."
    new = "After you delete it, recordings are anonymized by third parties."
    assert compared(f"{BASE}\n\n{old}", f"{BASE}\n\n{new}", {old: {}}, {new: PROMISE}).change_class == "wording"


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [(None, None, False), (None, "business", False), ("consumer", "business", True)],
)
def test_an_item_under_a_turned_lead_in_has_moved_if_it_is_for_others(
    before: str | None, after: str | None, moved: bool
) -> None:
    old, new = (f"{BASE}\n\n{lead}:\n\n* record your voice" for lead in ("We will only", "We will also"))
    sides = [{"record your voice": PROMISE | {"scope": Scope(audience)}} for audience in (before, after)]
    assert [move.kind for move in compared(old, new, *sides).moves] == ["rewritten"] * moved


def test_a_finding_on_feedback_or_one_that_names_no_more_than_those_it_followed_has_not_moved() -> None:
    old, new = "Faces are collected on entry.", "Voices may be taped on exit."
    before, after = (f"{BASE}\n\n{words}" for words in (old, new))
    assert compared(BASE, after, {}, {new: {"scope": Scope(product="feedback")}}).change_class == "wording"
    assert compared(before, after, {old: {}}, {new: {}}).change_class == "wording"
    assert [move.kind for move in compared(before, after, {old: {}}, {new: {"risk": "MED"}}).moves] == [
        "removed",
        "added",
    ]
