"""The words that may change the meaning of a statement, and statements that say the same."""

from __future__ import annotations

import pytest

from riskanalytics.text.substance import (
    TURNING,
    WEIGHTY,
    differ_in,
    leaning,
    longer,
    periods,
    same_clause,
    same_in_substance,
)


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
        ("we share data", "we don't share data", True, True),
        ("we don't share data", "we do not share data", False, False),
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
    [
        ("within 48 hours", [2]),
        ("thirty (30) calendar days", [30]),
        ("保存 6 个月", [180]),
        ("for a while", []),
        ("ninety days, sixty days or twenty weeks", [90, 60, 140]),
        ("one hundred business days", [100]),
        ("保存 3 周、10 天、5 日、4 月或 2 年", [21, 10, 5, 120, 730]),
        ("六个月", []),
        ("a 6-month or twelve full months", [180, 360]),
        ("for one, two, three, four, five, six or seven years", [2555]),
        ("eight days, nine days, ten days, fifteen days", [8, 9, 10, 15]),
    ],
)
def test_periods_are_converted_to_days(words: str, days: list[float]) -> None:
    assert periods(words) == days


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We share information of yours with our hosts; they run it.",
         "We share data of yours with our hosts; they run it."),
        ("B.3.b. keep the files of users", "keep the files of users"),
        ("(iv) Keep asa sub-processor", "iv) keep as a subprocessor"),
        ("We keep it.", "we keep it"),
        ("We may tell you of changes of this privacy policy by posting the new one here on this page.",
         "We may tell you of changes of this policy by posting the new one here on this page."),
        ("我们保存您的信息。", "我们保存您的信息"),
    ],
)  # fmt: skip
def test_a_few_other_words_leave_the_substance_as_it_is(before: str, after: str) -> None:
    assert same_in_substance(before, after) is same_in_substance(after, before) is True


LONG = "We keep what you send us in the archive of our own data centre, where the staff of the archive look after it"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LONG, f"{LONG} without delay"),
        (LONG, f"{LONG} at our sole discretion"),
        (f"{LONG} for 16 years", f"{LONG} for 18 years"),
        (LONG, f"{LONG} for business accounts"),
        (LONG, f"{LONG} for enterprise accounts"),
        (LONG, f"{LONG} of children"),
        (f"{LONG} in room 7", f"{LONG} in room 8"),
        (LONG, f"{LONG} by day and by night too"),
        ("We keep your file here", "We keep your photo here"),
        ("我们保存您的信息", "我们公开您的信息"),
        ("No. We sell it.", "Yes. We sell it."),
        ("We never sell it.", "We sell it."),
        ("We keep 1.5 % of it.", "We keep 15 % of it."),
        ("A fee of €30 is due.", "A fee of $30 is due."),
        ("A fee of 30 % is due.", "A fee of 30 is due."),
    ],
)
def test_a_number_a_weighty_word_or_too_many_words_change_the_substance(before: str, after: str) -> None:
    assert same_in_substance(before, after) is same_in_substance(after, before) is False


def test_three_other_words_are_few_in_a_long_statement_only() -> None:
    assert same_in_substance(LONG, f"{LONG} day and night")
    assert not same_in_substance(LONG, f"{LONG} day and night always")
    assert not same_in_substance("The staff look after it", "The staff look after it day and night")


def test_a_word_that_limits_a_statement_counts_once_and_a_negation_each_time() -> None:
    assert same_in_substance(f"Feedback: {LONG}, with all feedback", f"{LONG}, with all feedback")
    assert not same_in_substance(
        f"{LONG}; the clerk does not, and the guard does not", f"{LONG}; the clerk and the guard does not"
    )


def test_a_list_that_opens_is_another_list() -> None:
    assert not same_in_substance(f"{LONG}, for the following reasons:", f"{LONG}, for reasons such as:")


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("For builders of games:", "", True),
        ("", "We may use it for the following purposes:", True),
        ("For builders of games:", "For builders of cars and ships and planes:", False),
        ("We never do this:", "", False),
        ("If you opt in:", "", False),
        ("For business accounts:", "", False),
        ("On the free plan:", "", False),
    ],
)
def test_a_lead_in_of_one_side_counts_if_it_governs_the_sentence(before: str, after: str, same: bool) -> None:
    assert same_clause((before, LONG), (after, LONG)) is same_clause((after, LONG), (before, LONG)) is same


def test_a_fragment_needs_its_lead_in() -> None:
    assert not same_clause(("For builders of games:", LONG.casefold()), ("", LONG.casefold()))
    nine, ten = "We keep what you send us in the archive", "We keep what you send us in the archive here"
    assert not same_clause(("For builders of games:", nine), ("", nine))
    assert same_clause(("For builders of games:", ten), ("", ten))
    assert not same_clause(("For builders of games:", LONG), ("", f"{LONG} without delay"))


@pytest.mark.parametrize(
    "word", ["until", "if", "when", "where", "during", "without", "consent", "opt", "free", "enterprise"]
)
def test_each_condition_in_a_lead_in_governs_its_sentence(word: str) -> None:
    assert not same_clause((f"Here, {word} as said:", LONG), ("", LONG))
