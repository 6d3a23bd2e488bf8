"""The plain words of Markdown, and what makes two sentences the same."""

from __future__ import annotations

import pytest

from riskanalytics.extraction.plain import is_chinese, language_of, plain, sentence_key


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("See [our *list*](https://a.example/b) now", "See our list now"),
        ("![a seal](seal.png) We keep it", "a seal We keep it"),
        ("a<br/>b <strong>c</strong>", "a b c"),
        (r"4\.2 **We** keep_it", "4.2 We keep_it"),
        ("“don’t”\u00a0\u200bgo — ﬁne", '"don\'t" go - fine'),
        ("  two \n lines ", "two lines"),
    ],
)
def test_a_reader_sees_words_without_markup(markdown: str, words: str) -> None:
    assert plain(markdown) == words


def test_a_sentence_is_the_same_whatever_its_case_marks_dates_and_addresses() -> None:
    first = sentence_key("Updated 3 May 2024: write to us (help@a.example).")
    assert first == sentence_key("UPDATED June 1, 2025 - write to us [mail@b.example]")
    assert first != sentence_key("Updated: never write to us")


def test_a_number_that_is_no_date_makes_another_sentence() -> None:
    assert sentence_key("We keep it for 30 days.") != sentence_key("We keep it for 90 days.")


def test_numbers_and_marks_alone_say_nothing() -> None:
    assert sentence_key("— 2024/05/03 —") == ""


def test_chinese_is_told_by_a_fifth_of_its_letters() -> None:
    assert is_chinese("我们 use it")
    assert not is_chinese("we use 我们 in this longer sentence")


def test_a_text_in_another_language_is_named_by_its_code() -> None:
    french = "Nous conservons vos données personnelles aussi longtemps que nécessaire pour fournir nos services. " * 3
    assert language_of(french) == "fr"
    assert language_of("kurz") == "und"
