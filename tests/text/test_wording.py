"""Sentences from parts: lead-ins before quotes."""

from __future__ import annotations

import pytest

from riskanalytics.text.wording import led_in


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
