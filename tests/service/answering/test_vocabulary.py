"""Words that are one slip away from a word of the vocabulary are read as it; all others stay as written."""

from __future__ import annotations

import pytest

from riskanalytics.service.answering.vocabulary import digits, respelled


@pytest.mark.parametrize("written", ["retenton", "retentiion", "retemtion", "retnetion"])
def test_a_missing_doubled_changed_or_swapped_letter_is_corrected(written: str) -> None:
    assert respelled(f"What is the {written} period?", set()) == "What is the retention period?"


@pytest.mark.parametrize("written", ["eretntion", "tetention", "retentnoi", "retentions", "rettenion"])
def test_wrong_first_letters_two_errors_and_other_word_forms_are_not_corrected(written: str) -> None:
    assert respelled(written, set()) == written


def test_a_word_of_a_name_is_not_corrected() -> None:
    assert respelled("Does Retenton keep chats?", {"retenton"}) == "Does Retenton keep chats?"
    assert respelled("Does Retenton keep chats?", set()) == "Does retention keep chats?"


def test_number_words_are_read_as_digits() -> None:
    words = ("one", "fifteen", "eighteen", "twenty", "ninety", "hundred", "30", "dozen")
    assert [digits(word) for word in words] == ["1", "15", "18", "20", "90", "100", "30", None]
