"""Aligning old and new statements, and the effect of the words that differ."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.align import TURNING, WEIGHTY, differ_in, leaning, longer, paired, periods, recut


def test_a_new_statement_replaces_the_most_similar_old_one_in_any_word_order() -> None:
    gone = ["we keep logs for a month", "our office is in the old town"]
    new = ["for a month we keep logs of visits", "write to us"]
    assert paired(gone, new) == {new[0]: gone[0]}


def test_each_old_statement_is_replaced_once() -> None:
    assert paired(["we keep logs"], ["we keep our logs", "we keep the logs"]) == {"we keep our logs": "we keep logs"}


def test_a_statement_that_shares_only_common_words_replaces_nothing() -> None:
    gone = ["by default we do not use any of your recordings for training our models unless you have opted in to it"]
    new = [
        "as in our other plans the words of a lesson in the school edition are kept for as long as it is in use by you"
    ]
    assert paired(gone, new) == {}


def test_joined_statements_are_grouped_with_their_parts_only() -> None:
    first, second = "we share your voice with partners", "they pay us for each of these recordings"
    joined = f"{first} and {second}"
    assert [(sorted(old), new) for old, new in recut([first, second, "we sleep at night"], [joined])] == [
        (sorted([first, second]), [joined])
    ]


@pytest.mark.parametrize(
    ("before", "after", "weighs", "turns"),
    [
        ("we share data", "we do not share data", True, True),
        ("we share data", "we share data with affiliates", True, False),
        ("kept for 30 days", "kept for 60 days", True, False),
        ("we train models", "we trained a model", False, False),
        ("Aurelia keeps it", "Borealis keeps it", False, False),
        ("it is anonymised", "it is anonymized", False, False),
        ("data, including but not limited to logs", "data, including logs", False, False),
    ],
)
def test_only_words_that_can_change_the_meaning_are_weighty(before: str, after: str, weighs: bool, turns: bool) -> None:
    assert differ_in(WEIGHTY, before, after) is differ_in(WEIGHTY, after, before) is weighs
    assert differ_in(TURNING, before, after) is turns


def test_recipients_raise_the_risk_consent_lowers_it_and_exceptions_reverse_it() -> None:
    assert leaning("we share it", "we share it with affiliates", protective=False) == 1
    assert leaning("we share it", "we share it with your consent", protective=False) == -1
    assert leaning("we share it", "we share it except logs", protective=False) == -1
    assert leaning("we delete it", "we delete it except logs", protective=True) == 1
    assert leaning("we run it", "we host it", protective=True) == 0


def test_the_longest_periods_are_compared_if_both_sides_name_one() -> None:
    assert longer("within 1 week or 10 days", "within 3 weeks or 5 days") == 1
    assert longer("after twelve months", "after 30 days") == -1
    assert longer("after 30 days", "soon") == 0


@pytest.mark.parametrize(
    ("words", "days"),
    [("within 48 hours", [2]), ("thirty (30) calendar days", [30]), ("保存 6 个月", [180]), ("for a while", [])],
)
def test_periods_are_converted_to_days(words: str, days: list[float]) -> None:
    assert periods(words) == days
