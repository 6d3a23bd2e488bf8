"""Quotes as lines."""

from __future__ import annotations

import pytest

from riskanalytics.cli import first_words


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("We\nkeep  it.", "We keep it."),
        ("We keep it ok", "We keep it o\u2026"),
        ("We keep it!!", "We keep it!!"),
        (None, ""),
    ],
)
def test_a_quote_is_one_line_and_says_that_it_goes_on(quote: str | None, shown: str) -> None:
    assert first_words(quote, 12) == shown
