"""How unusual a period is, is said only where there are earlier periods to compare it with."""

from __future__ import annotations

import pytest

from riskanalytics.topics.changes import equal_periods
from riskanalytics.topics.changes.section import equal_periods as said
from tests.frames_given import Market
from tests.topics.changes.test_periods import RECORDED


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [("2026-10-21", "2026-10-31", "1 material change in 10 days; 1 to 3 in each of the 2 periods of 10 days before."),
     ("2026-10-26", "2026-10-31", "0 material changes in 5 days; 0 to 2 in each of the 5 periods of 5 days before."),
     ("2026-10-16", "2026-10-31", "2 material changes in 15 days; there is no earlier period to compare: "
      "the first change on record is from 1 October 2026."),
     ("2026-11-01", "2026-11-01", "No day of the data lies after 31 October 2026.")],
)  # fmt: skip
def test_a_period_is_compared_with_its_equals(since: str, until: str, words: str) -> None:
    section = said(equal_periods(RECORDED, since, until))
    assert section.text == words
    assert words in section.html


def test_without_any_change_on_record_that_is_said_and_unknown_changes_say_nothing() -> None:
    assert "no change is on record" in said(equal_periods(Market(0).changes, "2026-10-01", "2026-10-31")).text
    assert not said(equal_periods(None, "2026-10-01", "2026-10-31")).parts
    assert (
        said(equal_periods(None, "2026-11-01", "2026-11-01")).text == "No day of the data lies after 31 October 2026."
    )
