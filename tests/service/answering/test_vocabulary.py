"""Words that are one slip away from a word of the vocabulary are read as it; all others stay as written."""

from __future__ import annotations

import pytest

from riskanalytics.service.answering.vocabulary import respelled


@pytest.mark.parametrize("written", ["retenton", "retentiion", "retemtion", "retnetion"])
def test_a_letter_missing_doubled_changed_or_exchanged_is_put_right(written: str) -> None:
    assert respelled(f"What is the {written} period?", set()) == "What is the retention period?"


@pytest.mark.parametrize("written", ["eretntion", "tetention", "retentnoi", "retentions", "rettenion"])
def test_another_first_letter_two_slips_and_other_forms_stay(written: str) -> None:
    assert respelled(written, set()) == written


def test_a_word_of_a_name_stays_though_it_looks_like_a_slip() -> None:
    assert respelled("Does Retenton keep chats?", {"retenton"}) == "Does Retenton keep chats?"
    assert respelled("Does Retenton keep chats?", set()) == "Does retention keep chats?"
