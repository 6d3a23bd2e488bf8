"""The clauses of a text as readers see them."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.units import units_of

TEXT = """Terms
=====

Data
----

We keep logs.

### Sharing

**With whom**

We share them with:

* courts that ask.

## Rest

We sell nothing.
"""


def test_a_unit_has_its_headings_from_the_outermost_and_its_lead_in() -> None:
    assert [(unit.words, unit.lead_in, unit.headings) for unit in units_of(TEXT)] == [
        ("We keep logs.", "", ("Terms", "Data")),
        ("We share them with:", "", ("Terms", "Data", "Sharing", "With whom")),
        ("courts that ask.", "We share them with:", ("Terms", "Data", "Sharing", "With whom")),
        ("We sell nothing.", "", ("Terms", "Rest")),
    ]


def test_offsets_of_a_unit_and_of_its_lead_in_count_from_the_beginning_of_the_text() -> None:
    for unit in units_of(TEXT):
        assert TEXT[unit.clause.start : unit.clause.end] == unit.words
    (item,) = (unit for unit in units_of(TEXT) if unit.before)
    assert item.before is not None
    assert TEXT[item.before.start : item.before.end] == item.before.quote == "We share them with:"


@pytest.mark.parametrize(
    ("words", "read"), [("abcde", True), ("abcd", False), ("12 - 345", False), ("a" * 4000, True), ("a" * 4001, False)]
)
def test_clauses_without_words_and_very_short_or_long_ones_are_left_out(words: str, read: bool) -> None:
    assert bool(units_of(f"{words}\n")) is read


def test_a_sentence_that_refers_to_the_one_before_is_shown_after_it() -> None:
    unit = units_of("Trainers may offer courses to you. We will not share your data with these third parties.\n")[-1]
    assert unit.lead_in == "Trainers may offer courses to you."


def test_half_a_character_does_not_hinder_reading() -> None:
    assert len(units_of("We keep \ud800 logs.\n")) == 1


def test_words_lead_in_and_headings_make_the_key_and_nothing_else() -> None:
    def key(text: str) -> str:
        return units_of(text)[-1].key

    assert key("We keep logs.\n") == key("Hello there.\n\nWe *keep*  logs.\n") == "3e5201cea8089e056cf336c1"
    others = (
        "We keep files.\n",
        "# Logs\n\nWe keep logs.\n",
        "# Files\n\nWe keep logs.\n",
        "For a year:\n\n* We keep logs.\n",
    )
    assert len({key(text) for text in ("We keep logs.\n", *others)}) == 5
