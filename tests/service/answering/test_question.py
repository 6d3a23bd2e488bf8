"""What a question asks: surfaces, particular words, and what kind of answer it wants."""

from __future__ import annotations

import time

import pytest

from riskanalytics.service.answering import _refusal
from riskanalytics.service.answering.question import Question, read_question
from riskanalytics.service.answering.vocabulary import fold, stem, vocabulary
from riskanalytics.surfaces import SURFACES


def read(question: str) -> Question:
    """A question where no platform is tracked."""
    return read_question(question, [])


def words_of(question: Question) -> list[str]:
    """The particular words of a question."""
    return [term.word for term in question.terms]


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
        ("Is there a cap on your liability?", ["ip_liability"], []),
        ("What is the most you pay for a loss?", ["ip_liability"], []),
        ("If I am sued over a video, who foots the bill?", ["ip_liability"], []),
        ("Are support calls recorded?", ["data_retention", "sensitive_data"], []),
        ("When I phone the help line, is the call taped?", ["sensitive_data"], []),
        ("Do outside ad companies follow visitors around?", ["third_party_sharing", "ads_tracking"], []),
        ("How do I find out that the rules were rewritten?", ["terms_changes"], []),
        ("How are changes to the terms announced?", ["terms_changes"], []),
        ("If I send in a photo, can you pass it on?", ["content_license"], []),
        ("Who does a review belong to once I have written it?", ["content_license", "output_rights"], []),
        ("Is the code we put in used to make your models better?", ["training_use"], []),
        ("How old must I be to open an account?", ["sensitive_data"], []),
        ("Who holds the rights in what it generates?", ["output_rights"], []),
        ("Do subcontractors outside Europe handle it?", ["cross_border_transfer"], []),
        ("你们会保存聊天记录多久？", ["data_retention"], []),
        ("数据会存储在冰岛吗？", ["data_retention", "cross_border_transfer"], ["冰岛"]),
        ("Can I train my own model?", [], ["train"]),
        ("Do you train your employees?", [], ["train"]),
        ("Where is the station?", [], ["station"]),
        ("Can I opt out of the sale of my data?", ["third_party_sharing", "ads_tracking"], []),
    ],
)
def test_surfaces_are_recognised_and_specific_words_kept(question: str, surfaces: list[str], words: list[str]) -> None:
    asked = read(question)
    assert list(asked.surfaces) == surfaces
    assert words_of(asked) == words


def test_words_between_the_words_of_a_topic_are_not_lost() -> None:
    assert words_of(read("Who owns, on the island of Sark, the outputs?")) == ["island", "sark"]


@pytest.mark.parametrize(
    "question",
    ["Should I sue?", "Is it legal?", "Am I liable for it?", "Can I rely on it?", "这违法吗？", "我可以起诉吗？"],
)
def test_a_request_for_legal_advice_is_recognised(question: str) -> None:
    assert "advice" in read(question).intents


def test_the_kind_of_answer_is_recognised() -> None:
    assert "which" in read("Which platforms train?").intents
    assert "which" in read("哪些平台会训练？").intents
    assert "clauses" in read("Find clauses about voiceprints").intents
    assert "negated" in read("Which platforms do not train?").intents
    assert [
        read(f"Do you train on data of {groups}?").audience
        for groups in ("enterprise customers", "business customers and developers", "consumers and business users")
    ] == ["business", "business", None]
    assert read("Is the enterprise plan treated differently?").audience is None
    assert [topic.id for topic in read("Do you sell my face data?").topics] == ["sell", "face"]
    for platform, surfaces in ((None, ()), ("alder", ("third_party_sharing",))):
        assert read_question("Which vendors process my data?", PLATFORMS, platform).surfaces == surfaces
    assert not read("What is for lunch?").about_policies
    assert read("Which platforms are rated high?").on_ratings
    assert not read("Which platforms are rated high in Iceland?").on_ratings


PLATFORMS = [("alder", "Alder"), ("birch-ai", "Birch AI"), ("doubao", "Doubao")]


def test_a_misspelled_word_is_corrected_and_names_and_other_words_are_not() -> None:
    assert read("Do you use my conversatons for trainng?").surfaces == ("training_use",)
    assert words_of(read("Does my employer keep the context?")) == ["employer", "context"]
    assert read_question("Does Trainingg keep my data?", [("trainingg", "Trainingg")]).named == (("trainingg",),)


def test_a_name_in_another_script_is_known() -> None:
    for question in (
        "豆包会用我的对话训练模型吗",
        "字节的豆包会用我的对话训练模型吗",
        "请问，字节跳动的豆包会训练模型吗",
    ):
        asked = read_question(question, PLATFORMS)
        assert (asked.named, words_of(asked)) == ((("doubao",),), []), question


def test_a_platform_named_twice_is_not_a_specific_word() -> None:
    assert words_of(read_question("Does Alder use what I type into Alder to train?", PLATFORMS)) == []


@pytest.mark.parametrize(
    ("question", "named", "words"),
    [
        ("Do Alder and Birch AI train on my data?", 2, []),
        ("Alder vs Birch AI: who keeps data longer?", 2, []),
        ("Compare Alder with Birch AI on how long they keep my data", 2, []),
        ("Does Alder share my data with Birch AI?", 1, ["birch", "ai"]),
        ("Does Alder train on the data of Birch AI?", 1, ["birch", "ai"]),
    ],
)
def test_compared_platforms_are_distinguished_from_a_platform_that_deals_with_another(
    question: str, named: int, words: list[str]
) -> None:
    asked = read_question(question, PLATFORMS)
    assert (len(asked.named), words_of(asked)) == (named, words)
    assert all(term.is_name for term in asked.terms)


def test_a_length_of_time_is_kept_with_its_unit() -> None:
    assert read("Do you keep logs for thirty days?").quantities == (("30", "day"),)
    for length, quantity in (("7 years", ("7", "year")), ("six months", ("6", "month")), ("a single week", None),
                             ("two weeks", ("2", "week")), ("48 hours", ("48", "hour"))):  # fmt: skip
        assert read(f"Do you keep logs for {length}?").quantities == ((quantity,) if quantity else ())
    assert read("Is it fit for a 12-year-old?").quantities == ()


def test_the_name_of_a_plan_is_a_specific_word_even_if_common() -> None:
    assert words_of(read("Do you train on data of the Starter plan?")) == ["starter"]


def test_the_owner_of_content_is_not_a_specific_word() -> None:
    assert words_of(read("Do you train on my stories?")) == []
    assert words_of(read("Do you train on my tax returns?")) == ["tax", "returns"]


@pytest.mark.parametrize(
    "question",
    [
        "How many people opted out of training?",
        "What percentage of chats do you keep?",
        "How much is it?",
        "Has anybody ever leaked my chats?",
        "Which engineers train the models?",
    ],
)
def test_questions_that_no_clause_answers_are_recognised(question: str) -> None:
    assert "elsewhere" in read(question).intents


@pytest.mark.parametrize(
    ("question", "surface"),
    [
        ("How long do you hold on to my chats?", "data_retention"),
        ("Could somebody on your team scan my chats?", "human_review"),
        ("Do you resell my personal data?", "third_party_sharing"),
        ("Can I monetize the songs I make?", "output_rights"),
        ("May I distill another model from the outputs?", "output_rights"),
        ("Do you put our brand on your website?", "content_license"),
        ("Can other users remix my pictures?", "content_license"),
        ("Where in the world are the servers?", "cross_border_transfer"),
        ("When do new terms apply?", "terms_changes"),
        ("Do you feed my notes into your AI?", "training_use"),
        ("Who bears the risk of a copyright claim?", "ip_liability"),
        ("Am I followed around by remarketing?", "ads_tracking"),
        ("Can users under 16 join?", "sensitive_data"),
        ("What is the youngest age to sign up?", "sensitive_data"),
        ("Who pays if someone sues over a picture I made?", "ip_liability"),
        ("Would an engineer of yours go through my prompts?", "human_review"),
        ("Are my prompts logged?", "data_retention"),
        ("Do you honour Global Privacy Control?", "ads_tracking"),
        ("What if I do not agree to the new terms?", "terms_changes"),
        ("May you use the pictures I post?", "content_license"),
        ("Can you keep using an image that I posted?", "content_license"),
        ("Do you republish my photos?", "content_license"),
        ("Do you use my inputs to improve your services?", "training_use"),
        ("May subscribers feed articles into a language model?", "training_use"),
        ("Do you train on profile content?", "training_use"),
        ("Do you forbid using output to build competing models?", "output_rights"),
        ("Do you read messages?", "human_review"),
        ("What happens to inactive accounts?", "data_retention"),
        ("Do you collect information on sexual orientation?", "sensitive_data"),
        ("Do you verify the age of users?", "sensitive_data"),
    ],
)
def test_a_question_may_be_phrased_in_many_ways(question: str, surface: str) -> None:
    assert surface in read(question).surfaces
    assert "advice" not in read(question).intents


def test_a_recommendation_model_is_not_a_request_for_advice() -> None:
    assert "advice" not in read("Are recommendation models trained on my data?").intents
    assert "advice" in read("Do you recommend this platform?").intents


TRAINS = ("trains_by_default", "trains_with_opt_out", "depends_on_plan")
AUTOMATIC = ("trains_by_default", "trains_with_opt_out")


@pytest.mark.parametrize(
    ("question", "stances", "audience"),
    [
        ("Which platforms promise not to train on my content?", ("does_not_train",), None),
        ("Who trains by default?", AUTOMATIC, None),
        ("Which platforms do not train by default?", ("does_not_train", "trains_with_opt_in"), None),
        ("哪些平台默认使用用户数据训练模型", AUTOMATIC, None),
        ("Which ones let me opt out of training?", ("trains_with_opt_out",), None),
        ("Which let me opt out?", ("trains_with_opt_out",), None),
        ("Which platforms don't let me opt out of training?", ("trains_by_default",), None),
        ("What services train without giving any way to opt out?", ("trains_by_default",), None),
        ("Who trains only after I opt in?", ("trains_with_opt_in",), None),
        ("Which services never train on my data without my consent?", ("trains_with_opt_in",), None),
        ("Which platforms train without my consent?", AUTOMATIC, None),
        ("Which platforms need my permission to train?", ("trains_with_opt_in",), None),
        ("Does any platform train on business data?", TRAINS, "business"),
        ("Which platforms train on data from API customers?", TRAINS, "developer"),
        ("List the platforms that train on free users' chats.", TRAINS, "consumer"),
        ("Which of them keep enterprise data out of training?", ("does_not_train",), "business"),
        ("Do any of the platforms learn from my conversations?", TRAINS, None),
        ("How many don't train at all?", ("does_not_train",), None),
        ("How many platforms make their models better with my chats?", TRAINS, None),
        ("Are there platforms whose training depends on the plan?", ("depends_on_plan",), None),
        ("Which vendors train on consumer data but not on business data?", ("depends_on_plan",), None),
        ("Which platforms say nothing about training?", ("silent",), None),
        ("How many vendors fail to say whether they train?", ("silent",), None),
        ("Which platforms neither say that they train nor that they do not?", ("silent",), None),
        ("Which platforms are unclear about training?", ("undetermined",), None),
        ("Which do NOT say that they don't train?", (*AUTOMATIC, "trains_with_opt_in", "depends_on_plan"), None),
    ],
)
def test_a_question_on_training_at_many_platforms_asks_for_stances(
    question: str, stances: tuple[str, ...], audience: str | None
) -> None:
    asked = read(question)
    assert "which" in asked.intents
    assert set(asked.stances) == set(stances)
    assert asked.audience == audience


@pytest.mark.parametrize(
    "question", ["Which platforms train on voice recordings?", "Which platforms train on tax returns?"]
)
def test_a_question_on_training_with_specific_content_is_answered_from_clauses(question: str) -> None:
    assert read(question).stances == ()


def test_forms_of_one_word_have_one_stem() -> None:
    for forms in (("policy", "policies"), ("share", "shares", "shared", "sharing"), ("log", "logs", "logging")):
        assert len({stem(form) for form in forms}) == 1
    assert stem("iceland") != stem("ice")


def test_folding_keeps_every_position() -> None:
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
def test_a_question_that_repeats_one_phrase_is_read_quickly(words: str) -> None:
    names = [(f"platform-{number}", f"Platform {number} Chat") for number in range(300)]
    began = time.monotonic()
    read_question((words * 1000)[:1000], names)
    assert time.monotonic() - began < 2


DESKS = ("Alder Desk", "Birch Desk", "Cedar Desk", "Elm Desk", "Fir Desk", "Gum Desk")
TRACKED = [(name.lower().replace(" ", "-"), name) for name in (*DESKS, "Chat by Orvane", "Code by Orvane")]
NOT_A_CLAUSE = "No policy clause answers this."


@pytest.mark.parametrize(
    ("question", "platform", "refusal"),
    [
        ("Does it train on my prompts?", "nobody", ("unknown_platform", "No platform with this slug is tracked.")),
        ("Should I sue Alder Desk for training on my prompts?", None, (
            "legal_advice", "This asks for legal advice. The service only reports what policies say, with citations.")),
        ("How many people opted out of training at Alder Desk?", None, ("no_evidence", NOT_A_CLAUSE)),
        ("How much is Alder Desk?", None, ("not_about_policies", NOT_A_CLAUSE)),
        ("How much does it cost to get the privacy policy of Alder Desk?", None, ("not_about_policies", NOT_A_CLAUSE)),
        ("Does Orvane train on my prompts?", None, (
            "ambiguous_platform", "The name matches several platforms: Chat by Orvane (chat-by-orvane), "
            "Code by Orvane (code-by-orvane). Set platform to one of these slugs.")),
        ("Does Orvane train on my prompts?", "chat-by-orvane", None),
        ("Do Alder Desk and Birch Desk train on my prompts?", "alder-desk", (
            "ambiguous_platform", "The question names a different platform than the one given as platform.")),
        (f"Compare {', '.join(DESKS)} on training", None, (
            "ambiguous_platform", "Name at most 5 platforms in one question.")),
        (f"Compare {', '.join(DESKS[:5])} on training", None, None),
        ("What does the privacy policy of Alder Desk say on arbitration?", None, (
            "no_evidence", "The question is about none of the surfaces (risk topics) that policies are rated on.")),
        ("What is the weather in Oslo?", None, (
            "not_about_policies", "Only questions about IP and privacy in policies can be answered.")),
        ("Find clauses of Alder Desk", None, (
            "no_evidence", "The question is about none of the surfaces (risk topics) that policies are rated on.")),
        ("Does Vexnorre train on my prompts?", None, ("unknown_platform", "The question names no tracked platform.")),
        ("does vexnorre train on my prompts?", None, ("unknown_platform", "The question names no tracked platform.")),
        ("Does Orvan train on my prompts?", "alder-dsek", (
            "unknown_platform", "No platform with this slug is tracked. Did you mean Alder Desk (alder-desk)?")),
        ("Does it train on my prompts?", None, (
            "ambiguous_platform", "Name a platform, or ask which platforms do this.")),
        ("Which platforms train on my prompts?", None, None),
        ("Find clauses about voiceprints", None, None),
    ],
)  # fmt: skip
def test_a_question_is_refused_with_its_reason_in_a_sentence(
    question: str, platform: str | None, refusal: tuple[str, str] | None
) -> None:
    assert _refusal(read_question(question, TRACKED, platform)) == refusal
