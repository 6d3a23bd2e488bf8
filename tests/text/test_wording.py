"""Sentences from parts: lead-ins before quotes, counts, shares, ages and lists."""

from __future__ import annotations

from datetime import date

import pytest

from riskanalytics.text.wording import aged, joined, led_in, listed, percent, plural, ratio


def test_counts_and_shares_never_say_nothing_or_all_of_what_only_rounds_to_it() -> None:
    assert [plural(count, "copy", "copies") for count in (0, 1, 1200)] == ["0 copies", "1 copy", "1,200 copies"]
    assert [percent(share).replace("\xa0", " ") for share in (0, 0.0049, 0.005, 0.0051, 0.012, 0.9949, 0.995, 0.9999, 1)] == [
        "0 %", "under 1 %", "under 1 %", "1 %", "1 %", "99 %", "over 99 %", "over 99 %", "100 %",
    ]  # fmt: skip
    assert [ratio(value) for value in (0.004, 0.9949, 0.995, 1)] == ["0.00", "0.99", ">0.99", "1.00"]


def test_the_age_of_data_is_told_from_the_first_day_on() -> None:
    ends = ["2026-08-22", "2026-08-21", "2026-08-23", "", "soon"]
    assert [aged(end, date(2026, 8, 22)) for end in ends] == ["", "data end 2026-08-21, 1 day ago", "", "", ""]


def test_lists_end_with_and_and_the_number_of_the_others() -> None:
    names = ["a", "b", "c"]
    assert [joined(names[:count]) for count in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert [listed(names, most) for most in (1, 2, 3)] == ["a and 2 others", "a, b and 1 other", "a, b and c"]


@pytest.mark.parametrize(
    ("end", "start", "shown"),
    [
        (13, 13, "We may share: "),
        (13, 23, "We may share: "),
        (13, 24, "We may share: […] "),
        (13, 5, "We may share: […] "),
        (None, 20, "We may share: […] "),
    ],
)
def test_a_lead_in_is_marked_if_other_text_lies_between_it_and_its_quote(
    end: object, start: object, shown: str
) -> None:
    assert led_in("We may share:", end, start) == shown
