"""The findings that moved between two texts of one document."""

from __future__ import annotations

import pytest

from riskanalytics.extraction import Reading, Scope
from riskanalytics.extraction.moving import text_of
from riskanalytics.extraction.plain import words_and_key
from tests.extraction.given import BASE, PROMISE, compare, compared, stated

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


def test_one_of_two_places_of_a_clause_is_removed_even_if_a_longer_clause_repeats_its_words() -> None:
    after = f"{BASE}\n\n{SHARE} in town."
    result = compared(f"{BASE}\n\n{SHARE}.\n\n{SHARE} in town.", after, {f"{SHARE}.": {}}, {})
    assert [(move.kind, move.step) for move in result.moves] == [("removed", -3)]
    assert compared(f"{BASE}\n\n{SHARE}.", after, {f"{SHARE}.": {}}, {}).change_class == "wording"


@pytest.mark.parametrize(
    ("text", "other", "repeated"),
    [
        (f"{SHARE}.", f"{SHARE}; we like it.", True),
        (f"{SHARE}.", f"{SHARE}; we never sell them.", False),
        (f"{SHARE}.\n\nWe never sell them.", f"{SHARE}; we never sell them.", True),
        (f"{SHARE}. {SHARE}.", f"{SHARE}.", False),
        (f"{SHARE}.", f"a) {SHARE}.", True),
        ("It is shared with brokers.", "So: it is shared with brokers.", False),
        ("They share all of it with brokers.", "So: they share all of it with brokers.", True),
    ],
)
def test_words_are_repeated_unless_they_are_short_fewer_or_limited_there(text: str, other: str, repeated: bool) -> None:
    here, there = text_of(text, Reading()), text_of(other, Reading())
    assert here.repeats(here.order[0], there) is repeated


def test_of_two_readings_of_the_same_words_the_finding_and_the_first_one_stay() -> None:
    words = f"{SHARE}."
    first = stated(words, words)
    lead, later = first._replace(confidence=0.5), first._replace(risk="LOW")
    text = text_of(words, Reading((first, later), leads=(lead,)))
    key = "sensitive_data", words_and_key(words)[1]
    assert (text.findings, text.leads) == ({key: first}, (lead,))
    assert (text.with_leads().findings, text.with_leads().leads) == ({key: first}, ())
    assert text_of(words, Reading(leads=(lead, later))).with_leads().findings == {key: lead}


@pytest.mark.parametrize(
    ("values", "before", "after", "moves"),
    [
        ({}, "Faces are never seen.", "Faces are often seen.", [("rewritten", 3)]),
        ({"surface": "third_party_sharing"}, "We share it with affiliates and vendors.", "We share it with vendors.",
         [("rewritten", -1)]),
        ({"surface": "third_party_sharing"}, "We share it with vendors.", "Vendors: we share it with them.", []),
    ],
)  # fmt: skip
def test_a_rewritten_clause_moves_unless_effect_and_particulars_stay(
    values: dict[str, str], before: str, after: str, moves: list[tuple[str, int]]
) -> None:
    neutral = values or {"polarity": "neutral"}
    result = compared(f"{BASE}\n\n{before}", f"{BASE}\n\n{after}", {before: neutral}, {after: values})
    assert [(move.kind, move.step) for move in result.moves] == moves
    assert [move.shown.quote for move in result.moves] == [after] * len(moves)


@pytest.mark.parametrize(("stance", "kinds"), [("trains_by_default", []), ("trains_with_opt_out", ["rewritten"])])
def test_a_rewritten_clause_with_another_stance_has_moved(stance: str, kinds: list[str]) -> None:
    old, new = (f"The conversations {modal} help us develop it." for modal in ("may", "will"))
    sides = [{"surface": "training_use", "stance": one} for one in (stance, "trains_by_default")]
    result = compared(f"{BASE}\n\n{old}", f"{BASE}\n\n{new}", {old: sides[0]}, {new: sides[1]})
    assert [move.kind for move in result.moves] == kinds


def test_a_clause_that_is_only_read_differently_has_not_moved() -> None:
    quote = "Recordings are kept with the account."
    before, after = f"{BASE}\n\n{quote}", f"{BASE}\n\n# Your voice\n\n{quote}"
    assert compared(before, after, {}, {quote: {}}).change_class == "wording"
    assert compared(after, before, {quote: {}}, {}).change_class == "wording"


def test_an_item_with_a_reversed_lead_in_has_moved() -> None:
    for mark in (":", " -"):
        before, after = (f"{BASE}\n\nWe will {word}{mark}\n\n* record your voice" for word in ("never", "always"))
        result = compared(before, after, {"record your voice": PROMISE}, {"record your voice": {}})
        assert (result.change_class, result.direction) == ("material", "up")


def test_an_item_under_another_title_has_not_moved() -> None:
    item = "* recordings of your voice"
    before, after = (f"{BASE}\n\n# {title}\n\n{item}" for title in ("What we do not keep", "What we may keep"))
    quote = item.removeprefix("* ")
    assert compared(before, after, {quote: PROMISE}, {quote: {}}).change_class == "wording"
    before, after = (f"{BASE}\n\nWe {word} sell:\n\n# Your voice\n\n{item}" for word in ("never", "always"))
    assert (
        compared(before, after, {quote: PROMISE}, {quote: {}}).change_class == "wording"
    )  # the title ends the lead-in


def test_tense_plural_and_spelling_are_wording() -> None:
    old = "After you have deleted it, recordings are anonymised by a third party."
    new = "After you delete it, recordings are anonymized by third parties."
    assert compared(f"{BASE}\n\n{old}", f"{BASE}\n\n{new}", {old: {}}, {new: PROMISE}).change_class == "wording"


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        (Scope(), Scope(), False),
        (Scope(), Scope("business"), False),
        (Scope("consumer"), Scope("business"), True),
        (Scope(), Scope(product="temporary"), True),
        (Scope(region="EU"), Scope(region="UK"), False),
    ],
)
def test_an_item_under_a_turned_lead_in_has_moved_if_it_is_for_others(before: Scope, after: Scope, moved: bool) -> None:
    old, new = (f"{BASE}\n\n{lead}:\n\n* record your voice" for lead in ("We will only", "We will also"))
    sides = [{"record your voice": PROMISE | {"scope": scope}} for scope in (before, after)]
    assert [move.kind for move in compared(old, new, *sides).moves] == ["rewritten"] * moved


def test_a_finding_on_feedback_or_one_that_names_no_more_than_those_it_followed_has_not_moved() -> None:
    old, new = "Faces are collected on entry.", "Voices may be taped on exit."
    before, after = (f"{BASE}\n\n{words}" for words in (old, new))
    for product, kind in (("feedback", "wording"), ("connector", "material"), ("temporary", "material")):
        assert compared(BASE, after, {}, {new: {"scope": Scope(product=product)}}).change_class == kind
    assert compared(before, after, {old: {}}, {new: {}}).change_class == "wording"
    both = compared(before, f"{before}\n\n{new}", {old: {}}, {old: {}, new: {}})  # the one before has stayed
    assert [(move.kind, move.shown.quote) for move in both.moves] == [("added", new)]
    assert [move.kind for move in compared(before, after, {old: {}}, {new: {"risk": "MED"}}).moves] == [
        "removed",
        "added",
    ]
