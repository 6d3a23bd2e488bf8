"""Whether a clause says something where it is quoted, and what is quoted before it."""

from __future__ import annotations

from time import perf_counter

import pytest

from riskanalytics.extraction.plain import plain
from riskanalytics.extraction.reading import extract
from riskanalytics.extraction.segment import segment
from riskanalytics.extraction.sense import before_quote, is_fragment, says_something

LIST = "We share your personal information with:\n\n*   advertising networks;\n*   courts, where the law asks for it.\n"


def before(text: str, words: str) -> str | None:
    """What is quoted before the clause of a text that holds some words."""
    [clause] = [one for one in segment(text) if words in text[one.start : one.end]]
    span = before_quote(clause, plain(text[clause.start : clause.end]))
    return None if span is None else text[slice(*span)]


@pytest.mark.parametrize(
    "words",
    [
        "We share personal data with vendors.",
        "To run the service, we store your files in the European Union.",
        "If you close your account we will delete your files.",
        "You can opt out of training at any time; learn more in the settings.",
        "TO THE FULLEST EXTENT PERMITTED BY LAW, THE COMPANY DISCLAIMS ALL WARRANTIES OF NON-INFRINGEMENT.",
    ],
)
def test_a_whole_sentence_says_something(words: str) -> None:
    assert says_something(words, "sentence", led=False)


@pytest.mark.parametrize(
    "words",
    [
        "Do you share my data with other companies?",
        "We may share your personal information in the following circumstances:",
        "We share information with the following categories of third parties.",
        f"You will indemnify {'our officers, our partners, ' * 9}against any loss that arises from or is related to:",
        "For more information about how we share your data, please read our privacy notice.",
        "By sale, we mean the exchange of personal data for money.",
        "This Counter is a web analytics service that reports how often pages are read.",
        "We recommend that you visit this page from time to time.",
        "If not, a shorter time is used.",
        "How and why we share your personal data with others",
        "Information we keep until you delete it",
        "An example of tailored advertising is when a company shows you ads for cooking.",
        "Please click here to read what may remain in our archives.",
        "If you feel that we keep your files for too long, it is worth checking your contract first.",
        "Advertisers may assume that people who click on an ad are of a certain age.",
        "We will disclose your data where we believe that it is necessary to",
        "you grant us a licence to host your content; and",
    ],
)
def test_a_question_a_bare_lead_in_a_pointer_a_definition_and_an_explanation_say_nothing(words: str) -> None:
    assert not says_something(words, "sentence", led=False)


def test_an_item_says_something_behind_its_lead_in_only() -> None:
    assert is_fragment("advertising networks;", "item")
    assert not says_something("advertising networks;", "item", led=False)
    assert says_something("advertising networks;", "item", led=True)


def test_an_item_is_quoted_behind_the_line_that_leads_in_to_it() -> None:
    assert before(LIST, "advertising") == before(LIST, "courts") == "We share your personal information with:"


def test_an_item_without_a_colon_above_is_quoted_behind_the_sentence_above_its_list() -> None:
    text = "We keep logs. We may also disclose data if\n\n*   a court orders it;\n*   We sell our business to others.\n"
    assert before(text, "a court") == "We may also disclose data if"
    assert before(text, "sell our business") is None


def test_nested_items_are_quoted_behind_both_lead_ins_where_these_stand_together() -> None:
    text = "You grant us a licence to:\n\n*   use your content for:\n    *   promotion;\n"
    assert before(text, "promotion") == "You grant us a licence to:\n\n*   use your content for:"


def test_a_row_is_quoted_behind_the_heads_of_its_columns() -> None:
    text = "| What | With whom |\n| --- | --- |\n| e-mail address | advertisers |\n| name | courts |\n"
    assert before(text, "courts") == "What | With whom"
    blank = "|  |  |\n| --- | --- |\n| **What** | **With whom** |\n| name | courts |\n"
    assert before(blank, "courts") == "**What** | **With whom**"


def test_a_sentence_that_speaks_of_another_is_quoted_behind_it() -> None:
    text = "Trainers may offer courses to you. We will not share your data with these third parties.\n"
    assert before(text, "these third") == "Trainers may offer courses to you."
    assert before(text, "Trainers") is None
    text = "We keep your files for a year. After this, they are erased. But our advertisers keep their own.\n"
    assert before(text, "After this") == "We keep your files for a year."
    assert before(text, "But our") == "After this, they are erased."
    text = "You can cancel the newsletter. Your address is consequently deleted within a day.\n"
    assert before(text, "Your address") == "You can cancel the newsletter."


def test_a_finding_tells_what_leads_in_to_it_at_its_offsets() -> None:
    for space in ("", "Welcome.\n\n" * 3):
        text = space + LIST
        told = [one.lead_in for one in (*extract(text).findings, *extract(text).leads) if one.lead_in]
        assert told
        assert all(text[one.start : one.end] == one.quote == "We share your personal information with:" for one in told)


def test_what_says_nothing_is_worth_reading_at_most() -> None:
    assert extract("Do we share your personal information with advertising partners?\n").findings == ()


@pytest.mark.parametrize("part", ["if you, ", "(", "the following ", "by the term ", "a, b may ", "you can "])
def test_hostile_words_are_judged_in_linear_time(part: str) -> None:
    is_fragment.cache_clear() if hasattr(is_fragment, "cache_clear") else None
    started = perf_counter()
    for kind in ("sentence", "item", "row"):
        says_something(part * 20_000, kind, led=False)
    assert perf_counter() - started < 2
