"""The list of what is tracked."""

from __future__ import annotations

import pandas as pd
import pytest

from riskanalytics.cli.tracked import as_lines, listed
from riskanalytics.errors import RiskAnalyticsError

FRAME = pd.DataFrame(
    {
        "slug": ["aurelia-chat", "nine"],
        "name": ["Aurelia Chat", "N\u202eine"],
        "rating": ["HIGH", pd.NA],
        "website": ["https://a.example", pd.NA],
    },
    dtype="str",
)


@pytest.mark.parametrize("words", ["AURELIA", "a.example", " chat "])
def test_platforms_are_found_by_slug_name_or_website_in_any_case(words: str) -> None:
    assert [row["slug"] for row in listed(FRAME, words)] == ["aurelia-chat"]


def test_all_stand_in_aligned_columns_and_nothing_in_them_is_hidden() -> None:
    assert list(as_lines(listed(FRAME))) == [
        "slug          rating  name          website",
        "aurelia-chat  HIGH    Aurelia Chat  https://a.example",
        "nine                  N\\u{202E}ine",
    ]


def test_words_that_none_has_are_refused_with_the_nearest() -> None:
    with pytest.raises(
        RiskAnalyticsError, match=r"none of the 2 tracked platforms has 'aurelia-cat'; did you mean aurelia-chat\?"
    ):
        listed(FRAME, "aurelia-cat")
    with pytest.raises(RiskAnalyticsError, match=r"'a\.b'"):
        listed(FRAME, "a.b")
