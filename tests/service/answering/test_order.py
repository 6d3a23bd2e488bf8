"""Which of the findings that pass come first, and which must not pass."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.service.answering.answer import shown_quote
from riskanalytics.service.answering.question import read_question
from riskanalytics.service.answering.retrieval import chosen, passing


def finding(number: int, surface: str, quote: str, **given: Any) -> dict[str, Any]:
    """A finding as the store gives it."""
    return {
        "id": f"f{number}", "platform": "alder", "name": "Alder", "quote": quote, "surface": surface, "risk": "MED",
        "polarity": "neutral", "confidence": 0.9, "scope": {"audience": None, "region": None, "product": None},
        "conflicts_with": [], "duplicate_of": None, "provenance": {"document": "Terms", "start": number},
    } | given  # fmt: skip


def quotes(question: str, surface: str, given: list[str]) -> list[str]:
    """The quotes that answer a question, best first."""
    rows = [finding(number, surface, quote) for number, quote in enumerate(given)]
    return [row["quote"] for row in passing(read_question(question, []), rows)]


DATED = "We delete chats thirty (30) days after you close your account."
VAGUE = "We keep personal data for as long as necessary."
TIMED = "Audit records are kept for 2 years; 7 copies of backups exist."


def test_a_length_of_time_in_the_question_must_be_in_the_quote_with_its_unit() -> None:
    asked = [DATED, VAGUE, TIMED]
    assert quotes("Do you delete chats within 30 days?", "data_retention", asked) == [DATED]
    assert quotes("Do you keep my data for 7 years?", "data_retention", asked) == []


def test_a_quote_with_a_length_of_time_comes_first_if_the_question_asks_how_long() -> None:
    timed = "We keep personal data for two years."
    assert quotes("How long do you keep my data?", "data_retention", [VAGUE, timed])[0] == timed


def test_user_duties_and_pointers_rank_below_statements_of_the_provider() -> None:
    given = [
        "You must own the content that you post.",
        "For more information on who owns content, see our help page.",
        "You own the output and we claim no ownership of it.",
    ]
    assert quotes("Who owns the output?", "output_rights", given)[0] == given[2]


def test_a_quote_contained_in_another_one_is_not_cited() -> None:
    rows = [
        finding(1, "data_retention", VAGUE), finding(2, "data_retention", f"{VAGUE} Legal basis:"),
        finding(3, "data_retention", DATED),
    ]  # fmt: skip
    assert [row["id"] for row in chosen(rows)] == ["f1", "f3"]


def test_a_quote_is_shown_in_one_line_without_markdown() -> None:
    marked = "**Data on the web.** Our [models](https://example.org/models)\n\nare trained on it. **\u200d**"
    assert shown_quote(marked) == "Data on the web. Our models are trained on it."


def test_a_sale_of_the_company_is_not_a_sale_of_data() -> None:
    given = ["In a merger or sale of assets your data may be transferred.", "We do not sell your personal data."]
    assert quotes("Do you sell my data?", "third_party_sharing", given) == given[1:]


def test_a_promise_to_indemnify_the_customer_answers_who_indemnifies() -> None:
    given = ["You agree to indemnify us against all claims.", "We will indemnify you against claims of infringement."]
    assert quotes("Do you indemnify us against copyright claims?", "ip_liability", given) == given[1:]


@pytest.mark.parametrize("document", ["Commercial Terms", "Data Processing Agreement"])
def test_a_document_for_businesses_answers_for_business_users(document: str) -> None:
    source = {"document": document, "start": 1}
    row = finding(1, "training_use", "We do not train our models on customer data.", provenance=source)
    assert passing(read_question("Do you train on data of enterprise customers?", []), [row])
    assert not passing(read_question("Do you train on data of free users?", []), [row])


def test_each_platform_of_a_comparison_is_cited() -> None:
    rows = [finding(number, "training_use", f"We train on content {number}.") for number in range(9)]
    other = finding(10, "training_use", "We do not train on it.", platform="birch", name="Birch")
    cited = chosen([*rows, other], ["f0", "f1", "f2", "f3"])
    assert {row["platform"] for row in cited} == {"alder", "birch"}
    assert len(cited) <= 6


def test_words_in_chinese_find_a_policy_in_english() -> None:
    given = ["You own your inputs.", "The company retains title in usage data.", "You own all output."]
    assert quotes("输出归谁所有？", "output_rights", given)[0] == given[2]
