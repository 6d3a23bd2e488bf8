"""Which of the findings that pass come first, and which must not pass."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics.service.answering.answer import _stance_line, shown_quote
from riskanalytics.service.answering.many import _deciding_topics, _side
from riskanalytics.service.answering.question import read_question
from riskanalytics.service.answering.retrieval import chosen, fits_audience, nearest, passing, with_leads


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


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


DATED = "We delete chats thirty (30) days after you close your account."
VAGUE = "We keep personal data for as long as necessary."
TIMED = "Audit records are kept for 2 years; 7 copies of backups exist."


def test_a_length_of_time_in_the_question_must_be_in_the_quote_with_its_unit() -> None:
    asked = [DATED, VAGUE, TIMED]
    assert quotes("Do you delete chats within 30 days?", "data_retention", asked) == [DATED]
    assert quotes("Do you keep my data for 7 years?", "data_retention", asked) == []
    for length in ("six months", "2 weeks", "48 hours", "ten (10) business days"):
        quote = f"We delete chats {length} after you close your account."
        assert quotes(
            f"Do you delete chats within {length}?".replace("(10) business ", ""), "data_retention", [quote, *asked]
        ) == [quote]


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
    # of those that decided the stance half of the three of a platform, but at least one
    assert ids(chosen([*rows, other], ["f8", "f7", "f6"])) == ["f6", "f0", "f1", "f10"]
    assert ids(chosen(rows, ["f8", "f7", "f6", "f5"])) == ["f5", "f6", "f7", "f0", "f1", "f2"]


def test_citations_alternate_between_surfaces_and_include_the_clause_that_contradicts_one() -> None:
    rows = [finding(number, "training_use", f"We train on content {number}.") for number in range(9)]
    kept = finding(9, "data_retention", VAGUE)
    assert ids(chosen([*rows, kept])) == ["f0", "f1", "f2", "f3", "f4", "f9"]
    rows[0]["conflicts_with"] = ["f8"]
    assert ids(chosen(rows)) == ["f0", "f1", "f2", "f3", "f4", "f8"]


def test_leads_fill_up_to_three_citations_and_those_that_decide_come_first() -> None:
    question = read_question("Do you train on my chats?", [])
    rows = [finding(number, "training_use", f"We train on chats {number}.") for number in range(5)]
    leads = [
        finding(number, "training_use", f"We may train on chats {number}.", to_read=True) for number in range(5, 9)
    ]
    assert ids(with_leads(question, rows[:2], leads, ["f8"])) == ["f0", "f1", "f8"]
    assert ids(with_leads(question, rows[:3], leads, ["f8"])) == ["f0", "f1", "f2"]
    assert ids(with_leads(question, [], leads, ["f8"])) == ["f8", "f5", "f6"]
    leads[1]["platform"] = "birch"
    assert ids(with_leads(question, [], leads, [])) == ["f5", "f6"]


def test_the_nearest_clauses_are_findings_before_leads_and_few_for_each_of_many_platforms() -> None:
    question = read_question("Do you keep my chats in Iceland?", [])
    rows = [finding(number, "data_retention", f"We keep chats {number}.") for number in range(1, 5)]
    rows = [finding(0, "data_retention", "We keep chats 0.", to_read=True), *rows]
    for among, shown in ((1, ["f1", "f2", "f3", "f4", "f0"]), (2, ["f1", "f2"]), (6, ["f1"])):
        assert ids(nearest(question, rows, among)) == shown
    assert nearest(read_question("What of Iceland?", []), rows, 1) == []


def test_a_clause_for_an_audience_applies_to_it_and_one_for_businesses_also_to_developers() -> None:
    fitting = {
        scope: [one for one in (None, "consumer", "business", "developer") if fits_audience(one, row)]
        for scope in ("consumer", "business", "developer")
        for row in [finding(1, "training_use", "We train.", scope={"audience": scope})]
    }
    assert fitting == {
        "consumer": [None, "consumer"], "business": [None, "business", "developer"], "developer": [None, "developer"],
    }  # fmt: skip


SELL, OPT, FACE, STORE, DELETE = (
    "Which platforms sell data?",
    "Which platforms let me opt out of the sale of my data?",
    "Which platforms collect face data?",
    "Which platforms host data in Canada?",
    "Which platforms delete my data?",
)


@pytest.mark.parametrize(
    ("question", "quote", "polarity", "side"),
    [
        (SELL, "We may sell your personal data.", "raises_risk", "affirms"),
        (SELL, "We may sell your personal data.", "mitigates_risk", "open"),
        (SELL, "We do not sell your personal data.", "mitigates_risk", "denies"),
        (SELL, "We do not sell your personal data.", "neutral", "open"),
        (SELL, "We do not sell your personal data.", "raises_risk", "open"),
        (SELL, "Do we sell your personal data?", "raises_risk", "open"),
        (SELL, "We do not only share but sell your personal data.", "raises_risk", "affirms"),
        (SELL, "Not later than June, we sell your personal data.", "raises_risk", "affirms"),
        (DELETE, "We delete your data, and do not delete your rights.", "mitigates_risk", "affirms"),
        (SELL, "We may sell the personal data of children.", "raises_risk", "open"),
        (FACE, "We collect the face data of children.", "raises_risk", "affirms"),
        (OPT, "You may opt out of the sale of your data.", "mitigates_risk", "affirms"),
        (OPT, "You may opt out of the sale of your data.", "raises_risk", "open"),
        (OPT, "You may opt out of the sale of your data.", "neutral", "open"),
        (OPT.replace("let", "do not let"), "You may opt out of the sale of your data.", "mitigates_risk", "open"),
        (STORE, "Your data is stored in Canada.", "raises_risk", "affirms"),
        ("Which platforms use cookies and analytics?", "We use cookies.", "raises_risk", "open"),
        ("Which platforms use cookies and analytics?", "We use cookies for analytics.", "raises_risk", "affirms"),
        (STORE, "Your data is stored in Iceland. Our staff is in Canada.", "raises_risk", "open"),
    ],
)
def test_a_clause_takes_the_side_that_it_states_for_all_users(
    question: str, quote: str, polarity: str, side: str
) -> None:
    asked = read_question(question, [])
    row = finding(1, asked.surfaces[0], quote, polarity=polarity)
    assert _side(asked, _deciding_topics(asked), row) == side


def test_a_clause_must_be_about_what_is_done_and_with_what() -> None:
    sold, other, collected = "We sell your face data.", "We sell your personal data.", "We collect your face data."
    assert quotes("Do you sell my face data?", "third_party_sharing", [sold, other]) == [sold]
    assert quotes("Do you sell my face data?", "sensitive_data", [sold, collected]) == [sold]
    assert quotes("Do you keep my face data?", "sensitive_data", [collected]) == [collected]
    assert quotes("Do you keep or sell my face data?", "sensitive_data", [collected]) == []  # to collect is not to sell


def test_a_finding_answers_without_the_words_of_the_topic_and_a_lead_does_not() -> None:
    question, quote = read_question("Do you train on my chats?", []), "We may use content to improve our products."
    rows = [finding(1, "training_use", quote), finding(2, "training_use", quote, to_read=True)]
    assert ids(passing(question, rows)) == ["f1"]


def test_a_recorded_stance_cites_only_the_clauses_that_decided_it() -> None:
    question = read_question("Do you train on my chats?", [])
    rows = {1: {"id": "a", "surface": "training_use"}, 2: {"id": "b", "surface": "human_review"}}
    recorded = {"stance": "does_not_train", "decided_by": ["b"]}
    line = "Alder, recorded stance on training use: does not train on user content [2]."
    assert _stance_line(question, "Alder", recorded, rows) == line
    assert _stance_line(question, "Alder", recorded | {"decided_by": ["c"]}, rows) == ""
    assert _stance_line(question, "Alder", {"stance": "silent", "decided_by": []}, rows) == (
        "Alder: no clause says whether user content trains models; nearest clauses: [1]."
    )


def test_a_clause_must_meet_all_limits_of_the_question() -> None:
    given = [
        "You may opt out of the storage of chats.",
        "We keep chats for 30 days.",
        "If you opt out, we keep chats for 30 days.",
    ]
    assert quotes("How long do you keep my chats if I opt out?", "data_retention", given) == given[2:]


def test_words_in_chinese_find_a_policy_in_english() -> None:
    given = ["You own your inputs.", "The company retains title in usage data.", "You own all output."]
    assert quotes("输出归谁所有？", "output_rights", given)[0] == given[2]


def test_of_equally_fitting_clauses_the_riskier_and_the_surer_come_first_then_by_place() -> None:
    told: tuple[dict[str, Any], ...] = ({"risk": "LOW"}, {"confidence": 0.6}, {}, {}, {"risk": "HIGH"})
    rows = [finding(number, "training_use", "We train on your chats.", **more) for number, more in enumerate(told)]
    assert ids(passing(read_question("Do you train on my chats?", []), rows)) == ["f4", "f2", "f3", "f1", "f0"]
    sold = [
        finding(1, "ads_tracking", "We may sell your data."),
        finding(2, "third_party_sharing", "We may sell your data."),
    ]
    assert ids(passing(read_question("Do you sell my data?", []), sold)) == [
        "f2",
        "f1",
    ]  # the subject's own surface first
    heads = ["We train our models on what you chat ab", "We train our models on what you chat abo"]
    assert (
        quotes("Do you train on my chats?", "training_use", heads) == heads[::-1]
    )  # shorter than 40 characters: a heading
    fitting = [finding(1, "training_use", "We train on prompts."), finding(2, "training_use", "We train on prompts.")]
    fitting[1]["scope"] = {"audience": "consumer"}
    assert ids(passing(read_question("Do you train on data of free users?", []), fitting)) == ["f2", "f1"]
