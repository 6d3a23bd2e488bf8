"""Words of the compliance report: codes as a person reads them, and what a vendor wrote kept short and plain."""

from __future__ import annotations

import pytest

from riskanalytics.service.compliance.wording import LONGEST_LINE, excerpt, explanation, line, link, ranges, stance


def test_numbers_are_told_as_runs_in_order_and_once() -> None:
    assert ranges([7, 1, 3, 2, 3]) == [[1, 3], [7, 7]]
    assert ranges([]) == []


@pytest.mark.parametrize(
    ("url", "kept"),
    [("https://a.example/x", True), ("http://a.example", True), ("javascript:alert(1)", False), ("https://", False),
     ("https://a.example/\u202e", False), ("https://[", False), (None, False), ("https://a.example/" + "x" * 2000, False)],
)  # fmt: skip
def test_only_a_plain_web_address_becomes_a_link(url: str | None, kept: bool) -> None:
    assert link(url) == (url if kept else None)


def test_a_long_text_is_one_line_that_says_how_long_it_was() -> None:
    assert line("a\nb") == "a[U+000A]b"
    assert line("x" * 5000) == "x" * LONGEST_LINE + "… (5,000 characters in all)"


def test_an_excerpt_ends_at_a_word_and_stays_whole_where_it_fits() -> None:
    assert excerpt("We do  not\nsell data.", 1) == "“We do not sell data.”"
    assert excerpt("word " * 40, 1) == "“" + "word " * 17 + "word…”"


def test_the_reason_of_a_level_names_no_rule() -> None:
    assert explanation("ads_tracking.sale, training_use.opt_out.exists") == "sale; opt out exists"
    learned = explanation("sensitive_data.not_collected, sensitive_data.learned.low, sensitive_data.learned.med")
    assert learned == "not collected; wording learned from examples"
    assert explanation("read, and nothing found") == "read, and nothing found"


def test_a_stance_that_is_not_settled_is_told_as_such() -> None:
    assert stance("undetermined").startswith(
        "undetermined: the documents do not settle whether user content trains models"
    )
    assert stance("does_not_train") == "the documents say that it does not train on user content"
