"""Questions over many platforms: exact counts from recorded stances and from clauses that take a side."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.extraction import Reading
from riskanalytics.service import Store
from riskanalytics.service.answering.answer import listed, stance_of
from riskanalytics.service.answering.many import _deciding
from riskanalytics.service.answering.retrieval import fits_audience
from riskanalytics.service.tool_server.tools import Tools
from riskanalytics.service.wire import Service
from riskanalytics.surfaces import SURFACES
from tests.service.answering.given import (
    ALWAYS,
    ASKED,
    BUSINESS,
    KEPT,
    NEVER,
    POLICIES,
    RETAINED,
    SELLS,
    ask,
    cited,
    settle,
    written,
)
from tests.service.given import PRIVACY, PRIVACY_LATER, PUBLIC_URL, build_database, give_readings, lead_on


@pytest.mark.parametrize(
    "question",
    [
        "Which platforms promise not to train on my content?",
        "Who never trains on user data?",
        "How many don't train on prompts?",
        "Is there any tool that does not learn from my inputs?",
        "哪些平台不会用我的内容训练模型？",
    ],
)
def test_who_promises_not_to_train_is_counted_by_stance(service: Service, question: str) -> None:
    record = ask(service, question)
    lines = record["answer"].splitlines()
    assert lines[:4] == [
        "1 of 5 tracked platforms say that they do not train on user content: Alder Chat [1].",
        "1 says so for business users only: Fir Chat [2].",
        "Of the others, 1 says that it trains on user content by default; "
        "1 says that it trains on user content depending on the plan.",
        "Not counted either way: 1 undetermined: Cedar Chat; 1 with no clause found.",
    ]
    assert cited(record) == [("alder-chat", NEVER), ("fir-chat", BUSINESS)]


def test_a_double_negative_asks_for_all_others_without_silent_and_undetermined_ones(service: Service) -> None:
    lines = ask(service, "Which do NOT say that they don't train?")["answer"].splitlines()
    assert lines[0] == "2 of 5 tracked platforms fit the question:"
    assert [re.sub(r" \[\d]", "", line).rpartition(": ")[2] for line in lines[1:3]] == ["Birch Chat.", "Fir Chat."]
    assert lines[3:5] == [
        "Of the others, 1 says that it does not train on user content.",
        "Not counted either way: 1 undetermined: Cedar Chat; 1 with no clause found.",
    ]


def test_consumers_and_business_users_are_distinguished(service: Service) -> None:
    business = ask(service, "Which platforms do not train on enterprise data?")
    assert business["answer"].splitlines()[0] == (
        "For business users, 1 of 5 tracked platforms say that they do not train on user content: Fir Chat [1]."
    )
    assert "2 without a separate stance for business users" in business["answer"]
    assert cited(business) == [("fir-chat", BUSINESS)]
    consumer = ask(service, "Who trains on free users' chats?")
    assert consumer["answer"].startswith("For consumers, 2 of 5 ")
    assert cited(consumer) == [("birch-chat", ALWAYS), ("fir-chat", ALWAYS)]


def test_without_a_platform_of_the_stance_the_refusal_counts_the_others(service: Service) -> None:
    record = ask(service, "Who trains only after opt-in?")
    assert (record["refused"], record["reason"], record["citations"]) == (True, "no_evidence", [])
    assert record["answer"].startswith("None of 5 tracked platforms says so. Of the others, 1 says that it trains")


def test_questions_for_undetermined_and_silent_platforms_are_answered(service: Service) -> None:
    unclear = ask(service, "Which platforms are unclear about training?")
    assert unclear["answer"].startswith("1 of 5 tracked platforms do not settle whether user content trains")
    assert {slug for slug, _ in cited(unclear)} == {"cedar-chat"}
    silent = ask(service, "Which platforms say nothing about training?")
    assert silent["answer"].startswith("1 of 5 tracked platforms do not say whether they train on user content: Elm")


def test_an_undetermined_stance_is_reported_with_its_clauses(service: Service) -> None:
    record = ask(service, "Does Cedar Chat train on my prompts?")
    assert record["answer"].splitlines()[0] == (
        "Cedar Chat: the documents do not settle whether user content trains models: these clauses are to be read [1] [2]."
    )
    assert record["answer"].splitlines()[1:] == [
        f'Cedar Chat\'s Privacy Policy (2026-01-10) says: "{ALWAYS}" [1].',
        f'Cedar Chat\'s Privacy Policy (2026-01-10) says: "{NEVER}" [2].',
    ]
    compared = ask(service, "Compare Alder Chat and Cedar Chat on training")["answer"]
    assert "Alder Chat, recorded stance on training use: does not train on user content [3]." in compared
    assert "Cedar Chat: the documents do not settle" in compared


def test_a_comparison_names_platforms_without_a_clause(service: Service) -> None:
    record = ask(service, "Compare Alder Chat and Elm Chat on training")
    assert (
        "No clause found on Training use. Documents searched: Elm Chat: Privacy Policy (2026-01-10)."
        in record["answer"]
    )
    assert record["searched"]["platforms"] == ["alder-chat", "elm-chat"]
    assert record["searched"]["without_result"] == [{"platform": "elm-chat", "surface": "training_use"}]
    # one of the two has a clause on it, if not on Iceland
    assert ask(service, "Compare Birch Chat and Elm Chat on training in Iceland")["reason"] == "no_evidence"


def test_a_clause_for_another_audience_is_not_evidence(service: Service) -> None:
    fir = ask(service, "Does the enterprise plan of Fir Chat train on my data?")
    assert fir["answer"].splitlines() == [
        "Fir Chat, recorded stance on training use for business users: does not train on user content [1].",
        f'Fir Chat\'s Privacy Policy (2026-01-10), for business users, says: "{BUSINESS}" [1].',
    ]
    developers = ask(service, "Does Fir Chat train on data of API customers?")["answer"]
    assert developers.startswith("Fir Chat, recorded stance on training use for developers: does not train on user")
    assert cited(fir) == [("fir-chat", BUSINESS)]
    birch = ask(service, "Does the enterprise plan of Birch Chat train on my data?")
    assert birch["refused"]
    assert birch["answer"].startswith(
        "No finding on Training use answers this question for business users. "
        "Documents searched: Birch Chat: Privacy Policy (2026-01-10). Nearest clauses: [1]."
    )


def test_the_nearest_clause_of_one_platform_is_numbered_after_the_citations_of_another(service: Service) -> None:
    record = ask(service, "Do Fir Chat and Birch Chat train on the data of enterprise customers?")
    assert record["answer"].splitlines() == [
        "Fir Chat, recorded stance on training use for business users: does not train on user content [1].",
        "No finding on Training use answers this question for business users. "
        "Documents searched: Birch Chat: Privacy Policy (2026-01-10). Nearest clauses: [2].",
        f'Fir Chat\'s Privacy Policy (2026-01-10), for business users, says: "{BUSINESS}" [1].',
        f'Birch Chat\'s Privacy Policy (2026-01-10) says: "{ALWAYS}" [2].',
    ]
    record = ask(service, "Do Birch Chat, Cedar Chat and Alder Chat train on the data of enterprise customers?")
    lines, names = record["answer"].splitlines(), ("Birch Chat", "Cedar Chat", "Alder Chat")
    for line, name, place in zip(lines[:3], names, (1, 2, 3), strict=True):
        assert line.endswith(f"{name}: Privacy Policy (2026-01-10). Nearest clauses: [{place}].")
    assert [line.partition("'s ")[0] for line in lines[3:]] == list(names)


def test_what_was_searched_is_told_with_the_surfaces_without_a_result_at_up_to_five_platforms(service: Service) -> None:
    slugs = [name.lower().replace(" ", "-") for name in POLICIES]
    all_five = "Compare Alder Chat, Birch Chat, Cedar Chat, Elm Chat and Fir Chat on training and data retention"
    missing = {"cedar-chat": "data_retention", "elm-chat": "training_use", "fir-chat": "data_retention"}
    record = ask(service, all_five)
    assert len(record["citations"]) == 5  # one of each: what else was found is no silence
    assert (record["platform"], record["searched"]) == (None, {
        "platforms": slugs, "surfaces": ["training_use", "data_retention"], "words": [], "findings": 9,
        "without_result": [{"platform": slug, "surface": surface} for slug, surface in missing.items()],
    })  # fmt: skip
    # one of the two surfaces has a clause, if not on Iceland
    assert ask(service, "Does Alder Chat store my data in Iceland?")["reason"] == "no_evidence"
    unnamed = ask(service, "Find clauses about zebras at Alder Chat")
    assert (unnamed["platform"], unnamed["searched"]) == ("alder-chat", {
        "platforms": ["alder-chat"], "surfaces": list(SURFACES), "words": ["zebras"], "findings": 3, "without_result": [],
    })  # fmt: skip
    advice = ask(service, "Is it legal that Alder Chat trains on my prompts?")
    assert (advice["platform"], advice["reason"]) == ("alder-chat", "legal_advice")
    assert [advice["searched"][name] for name in ("platforms", "surfaces", "findings", "without_result")] == [
        [],
        [],
        0,
        [],
    ]


@pytest.mark.parametrize(
    ("overall", "consumer", "business", "expected"),
    [
        ("depends_on_plan", "trains_by_default", "does_not_train",
         ["depends_on_plan", "trains_by_default", "does_not_train", "does_not_train"]),
        ("does_not_train", "does_not_train", None, ["does_not_train", "does_not_train", "unsaid", "unsaid"]),
        ("undetermined", None, "does_not_train", ["undetermined", "undetermined", "does_not_train", "does_not_train"]),
        ("silent", None, None, ["silent"] * 4),
        (None, None, None, ["unread"] * 4),
    ],
)  # fmt: skip
def test_developers_have_the_stance_for_business_users_and_a_missing_one_is_not_the_overall_one(
    overall: str | None, consumer: str | None, business: str | None, expected: list[str]
) -> None:
    recorded = {"stance": overall, "consumer_stance": consumer, "business_stance": business}
    assert [stance_of(recorded, whom) for whom in (None, "consumer", "business", "developer")] == expected


def test_a_stance_for_an_audience_is_cited_by_a_clause_of_its_side_for_that_audience() -> None:
    given = [("1", None, "raises_risk"), ("2", None, "mitigates_risk"), ("3", "developer", "raises_risk")]
    rows = [
        {"id": id_, "platform": "alder", "quote": "we train.", "scope": {"audience": whom}, "polarity": polarity,
         "provenance": {"document": "Terms"}}
        for id_, whom, polarity in given
    ]  # fmt: skip
    recorded = {"alder": {"decided_by": ["9", "2", "1", "3"]}}
    for stance, audience, cited_id in (
        ("trains_by_default", None, "1"), ("does_not_train", None, "2"), ("trains_with_opt_in", None, "2"),
        ("trains_with_opt_out", None, "2"), ("trains_by_default", "business", "3"), ("trains_by_default", "consumer", "1"),
    ):  # fmt: skip
        assert [(row["id"], whom) for row, whom in _deciding(rows, recorded, [("alder", stance, audience)])] == [
            (cited_id, audience)
        ]


@pytest.mark.parametrize(
    ("quote", "consumer", "business"),
    [
        ("we train on prompts.", True, False),
        ("we train on prompts of enterprise customers.", False, True),
        ("we train on prompts, excluding enterprise customers.", True, False),
        ("free users and enterprise customers may object.", True, True),
    ],
)
def test_a_clause_applies_to_groups_it_names_but_not_to_those_it_excludes(
    quote: str, consumer: bool, business: bool
) -> None:
    finding = {"quote": quote, "scope": {"audience": None}, "provenance": {"document": "Privacy Policy"}}
    assert fits_audience("consumer", finding) is consumer
    assert fits_audience("business", finding) is business


def test_who_sells_is_counted_from_clauses_that_say_so(service: Service) -> None:
    selling = ask(service, "Which platforms sell data?")
    assert selling["answer"].splitlines()[:2] == [
        "1 of 5 tracked platforms have a clause that says so: Birch Chat [1].",
        "Of the others, 1 with a clause that says the opposite; 1 with clauses that say both: Cedar Chat; "
        "2 without a clause on it.",
    ]
    assert cited(selling) == [("birch-chat", SELLS)]
    assert ask(service, "Which platforms share data with the police?")["answer"] == (
        "No clause says so. Of 5 tracked platforms, on Third-party sharing: 5 without a clause on it."
    )
    keeping = ask(service, "Which promise never to sell personal information?")
    assert cited(keeping) == [("alder-chat", KEPT)]
    assert keeping["answer"].splitlines()[:2] == [
        "1 of 5 tracked platforms have a clause that says so: Alder Chat [1].",
        selling["answer"].splitlines()[1],
    ]


def test_a_question_on_missing_clauses_lists_the_platforms_without_one(service: Service) -> None:
    for question in ("Which platforms have no training clause?", "Which platforms lack a clause on model training?"):
        record = ask(service, question)
        assert not record["refused"]
        assert record["answer"].splitlines() == [
            "1 of 5 tracked platforms have no clause on it: Elm Chat.",
            "Of the others, 4 with a clause on it.",
        ]
    sharing = ask(service, "Which platforms do not mention the sale of data?")["answer"]
    assert sharing.startswith("2 of 5 tracked platforms have no clause on it: Elm Chat, Fir Chat.")


@pytest.mark.parametrize(
    ("question", "without"),
    [
        ("Which platforms sell data?", ["elm-chat", "fir-chat"]),
        ("Which platforms do not mention the sale of data?", ["elm-chat", "fir-chat"]),
        ("Which platforms share data with the police?", ["alder-chat", "birch-chat", "cedar-chat", "elm-chat", "fir-chat"]),
        ("What is the rating of Alder Chat on training use?", []),
        ("What is the rating of Elm Chat on training use?", ["elm-chat"]),
        ("Which platforms are low risk?", []),
    ],
)  # fmt: skip
def test_only_surfaces_without_a_finding_on_the_subject_are_named_as_searched_in_vain(
    service: Service, question: str, without: list[str]
) -> None:
    searched = ask(service, question)["searched"]["without_result"]
    assert [row["platform"] for row in searched if row["surface"] != "ads_tracking"] == without


def test_ratings_are_counted_as_they_are_recorded(service: Service) -> None:
    listed = {row["name"]: row["rating"] for row in service.store.platforms(limit=10)}
    for level, question in (("HIGH", "How many are rated high risk?"), ("LOW", "Which platforms are low risk?")):
        record = ask(service, question)
        names = [name for name, rating in listed.items() if rating == level]
        assert record["answer"].splitlines()[1:] == [
            f"{level}: {len(names)} of 5 tracked platforms ({', '.join(names) or 'none'})."
        ]
    assert ask(service, "Is Alder Chat rated high?")["answer"].splitlines() == [
        "Recorded ratings.",
        "HIGH: 0 of 1 tracked platforms (none).",
        "LOW: 1 of 1 tracked platforms (Alder Chat).",
    ]
    assert ask(service, "Which platforms are unrated?")["answer"].endswith(
        "\nUNRATED: 0 of 5 tracked platforms (none)."
    )
    assert ask(service, "What is the rating of Alder Chat?")["answer"].endswith(
        f"{listed['Alder Chat']}: 1 of 1 tracked platforms (Alder Chat)."
    )
    two = ask(service, "What are the ratings of Alder Chat and Birch Chat?")["answer"]
    assert two.splitlines() == [
        "Recorded ratings.",
        "HIGH: 1 of 2 tracked platforms (Birch Chat).",
        "LOW: 1 of 2 tracked platforms (Alder Chat).",
    ]
    on_surface = ask(service, "How many are rated high on training use and data retention?")["answer"]
    assert on_surface.splitlines()[1:] == ["HIGH on Training use: 2 of 5 tracked platforms (Birch Chat, Fir Chat)."]


def test_if_clauses_give_no_yes_or_no_their_platforms_are_only_listed(service: Service) -> None:
    record = ask(service, "How long do platforms keep my data?")
    assert (record["refused"], record["citations"]) == (True, [])
    assert record["answer"] == (
        "Clauses on this give no yes or no. Of 5 tracked platforms, "
        "on Data retention: 3 with clauses on it: Alder Chat, Birch Chat, Elm Chat; "
        "2 without a clause on it."
    )


def test_citations_are_limited_but_names_are_not(tmp_path: Path) -> None:
    assert [listed(["a"] * many)[-10:] for many in (60, 61)] == ["a, a, a, a", "and 1 more"]
    names = [f"Aspen {letter}{letter} Chat" for letter in "BCDFGHJKLMNPQRSTVWXZYAE"]
    database = written(tmp_path, dict.fromkeys(names, (NEVER,)))
    store = Store(database)
    settle(database, {slug: ("does_not_train", "does_not_train", None) for slug, _ in store.names()})
    record = ask(Service(store, PUBLIC_URL), "Who does not train?")
    listing = ask(Service(store, PUBLIC_URL), "Find clauses about training")
    store.close()
    said, _, named = listing["answer"].splitlines()[0].partition(": ")
    assert said == "23 of 23 tracked platforms have a clause on this"
    cited_names = [row["name"] for row in listing["citations"]]
    assert named.rstrip(".").split(", ")[:20] == [f"{name} [{place}]" for place, name in enumerate(cited_names, 1)]
    assert {*named.rstrip(".").split(", ")[20:], *cited_names} == set(names)
    first = record["answer"].splitlines()[0]
    assert first.startswith("23 of 23 tracked platforms ")
    assert all(name in first for name in names)
    assert len(record["citations"]) == 20


def test_the_tool_server_answers_the_same(service: Service) -> None:
    checked = Tools(service.store, PUBLIC_URL).check_training_use("cedar-chat").structured_content
    assert (
        checked["answer"]
        == "The documents do not settle whether user content trains models: these clauses are to be read."
    )
    assert {clause["quote"] for clause in checked["findings"]} == {NEVER, ALWAYS}


def test_a_platform_with_only_leads_counts_for_neither_side(tmp_path: Path) -> None:
    database = written(tmp_path, {"Elm Chat": (RETAINED,), "Oak Chat": (SELLS,), "Pine Chat": (SELLS, ASKED)})
    give_readings(database, "oak-chat", lambda text, _: Reading((), "en", leads=(lead_on(text, SELLS, 0.6),)))
    with closing(Store(database)) as store:
        record = ask(Service(store, PUBLIC_URL), "Which platforms have no clause on the sale of data?")
        selling = ask(Service(store, PUBLIC_URL), "Which platforms sell data?")["answer"]
    assert selling.startswith("1 of 3 tracked platforms have a clause that says so: Pine Chat [1].")
    assert record["answer"].splitlines() == [
        "1 of 3 tracked platforms have no clause on it: Elm Chat.",
        "Of the others, 1 with a clause on it; 1 with only leads on it (clauses too uncertain to count): Oak Chat.",
    ]


def test_clauses_that_contradict_each_other_are_named_once_as_conflicting(tmp_path: Path) -> None:
    texts = {"Privacy Policy": PRIVACY, "Terms of Service": PRIVACY_LATER}
    files = {f"Aurelia Chat/{document}/2026-01-10.md": text for document, text in texts.items()}
    with closing(Store(build_database(tmp_path, files))) as store:
        for question in ("Does Aurelia Chat train on my prompts?", "Does Aurelia Chat train on my prompts in Iceland?"):
            lines = ask(Service(store, PUBLIC_URL), question)["answer"].splitlines()
            assert lines[-1] == "Conflicting clauses: [1] with [2]."  # also of the nearest clauses of a refusal
