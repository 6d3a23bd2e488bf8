"""What a question asks: surfaces, particular words, and what kind of answer it wants."""

from __future__ import annotations

import time

import pytest

from riskanalytics.models import SURFACES
from riskanalytics.service.answering.question import Question, read_question
from riskanalytics.service.answering.vocabulary import fold, stem, vocabulary


def read(question: str) -> Question:
    """A question where no platform is tracked."""
    return read_question(question, [])


@pytest.mark.parametrize(
    ("question", "surfaces", "words"),
    [
        ("Do you train on my chats?", ["training_use"], []),
        ("Do you train on my chats in Iceland?", ["training_use"], ["iceland"]),
        ("Do you scrape the web to train?", ["web_data_training"], []),
        ("How long do you keep logs?", ["data_retention"], ["logs"]),
        ("Do you keep files for 30 days?", ["data_retention"], ["30", "days"]),
        ("Do you sell data?", ["third_party_sharing", "ads_tracking"], []),
        ("Who owns the output?", ["output_rights"], []),
        ("Do staff read my prompts?", ["human_review"], []),
        ("Is data sent outside the EU?", ["cross_border_transfer"], []),
        ("Do you collect face data?", ["sensitive_data"], []),
        ("Can you change the terms?", ["terms_changes"], []),
        ("你们会保存聊天记录多久？", ["data_retention"], []),
        ("数据会存储在冰岛吗？", ["data_retention", "cross_border_transfer"], ["冰岛"]),
        ("Can I train my own model?", [], ["train"]),
        ("Do you train your employees?", [], ["train", "employees"]),
        ("Where is the station?", [], ["station"]),
    ],
)
def test_surfaces_are_recognised_and_particular_words_kept(
    question: str, surfaces: list[str], words: list[str]
) -> None:
    asked = read(question)
    assert list(asked.surfaces) == surfaces
    assert asked.words == words


def test_what_stands_between_the_words_of_a_topic_is_not_lost() -> None:
    assert read("Who owns, on the island of Sark, the outputs?").words == ["island", "sark"]


@pytest.mark.parametrize(
    "question",
    ["Should I sue?", "Is it legal?", "Am I liable for it?", "Can I rely on it?", "这违法吗？", "我可以起诉吗？"],
)
def test_a_wish_for_legal_advice_is_recognised(question: str) -> None:
    assert read(question).advice


def test_the_kind_of_answer_is_recognised() -> None:
    assert read("Which platforms train?").which
    assert read("哪些平台会训练？").which
    assert read("Find clauses about voiceprints").clauses
    assert read("Which platforms do not train?").negated
    assert read("Do you train on data of enterprise customers?").audience == "business"
    assert not read("What is for lunch?").about_policies


def test_forms_of_one_word_have_one_stem() -> None:
    for forms in (("policy", "policies"), ("share", "shares", "shared", "sharing"), ("log", "logs", "logging")):
        assert len({stem(form) for form in forms}) == 1
    assert stem("iceland") != stem("ice")


def test_folding_keeps_every_place() -> None:
    text = "Ærlig·Tolvane’s Café 雾 İ ß ﬁ"
    assert len(fold(text)) == len(text)


def test_every_surface_has_a_topic() -> None:
    assert {surface for topic in vocabulary().topics for surface in topic.surfaces} == set(SURFACES)
    known = {topic.id for topic in vocabulary().topics}
    assert len(known) == len(vocabulary().topics)
    assert {name for topic in vocabulary().topics for name in topic.covers} <= known


@pytest.mark.parametrize(
    "words", ["is it ", "own ", "what does do with ", "who can may ", "'s ", "训练", "e\u0301", "\u202e\u0000🙂", "a"]
)
def test_a_question_of_one_thing_over_and_over_is_read_at_once(words: str) -> None:
    names = [(f"platform-{number}", f"Platform {number} Chat") for number in range(300)]
    began = time.monotonic()
    read_question((words * 1000)[:1000], names)
    assert time.monotonic() - began < 2
