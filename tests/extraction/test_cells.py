"""Table cells that say yes or no."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.plain import flip, question, spelled
from tests.extraction.given import BASE, PROMISE, compared

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


def test_ticks_and_crosses_are_words_in_rows_only() -> None:
    assert spelled("Logs | ✓ | ✗").split() == ["Logs", "|", "yes", "|", "no"]
    assert spelled("Done ✓") == "Done ✓"


def test_a_row_asks_the_same_whatever_it_answers_and_a_row_without_answers_asks_nothing() -> None:
    assert question("| Logs | Yes |") == question("logs | no, never") == ("logs", "?")
    assert question("Logs | kept for a month") == ()


def test_rows_of_another_length_are_not_compared() -> None:
    assert flip("Logs | No", "Logs | Yes | No") == 0
    assert (flip("Logs | No", "Logs | Yes"), flip("Logs | Yes", "Logs | No")) == (1, -1)


def test_yes_to_a_protection_lowers_the_risk() -> None:
    assert flip("Logs | No", "Logs | Yes", "Data | Can you opt out?") == -1
    assert flip("Deleted on request | No", "Deleted on request | Yes") == -1
