"""Every known word has its name for people."""

from __future__ import annotations

import pytest

from riskanalytics.models import (
    STANCE_CLAUSES,
    STANCES,
    audience_of_document,
    document_words,
    languages_not_read,
    names_way_out,
    stance_name,
    state_words,
)
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name


def test_every_stance_but_those_that_answer_nothing_says_something_of_a_platform() -> None:
    assert set(STANCE_CLAUSES) == set(STANCES) - {"silent", "undetermined"}


def test_a_word_never_seen_is_shown_with_spaces() -> None:
    assert surface_name("voice_cloning") == "Voice cloning"
    assert stance_name("trains_on_request") == "Trains on request"


def test_stances_are_named_from_the_most_to_the_least_exposed_and_what_was_not_read_is_never_silent() -> None:
    assert [(stance_name(stance), STANCE_CLAUSES.get(stance or "")) for stance in (*STANCES, None)] == [
        ("Trains, no opt-out found", "trains on user content by default"),
        ("Depends on the plan", "trains on user content depending on the plan"),
        ("Trains unless you opt out", "trains on user content unless the user opts out"),
        ("Trains only after opt-in", "trains on user content only where the user opts in"),
        ("Does not train", "does not train on user content"),
        ("Undetermined: to be read", None),
        ("No clause found", None),
        ("Not read", None),
    ]  # fmt: skip


def test_a_surface_without_a_level_says_why() -> None:
    given = [("quiet", 0), ("to_read", 1), ("to_read", 0), ("found", 0), ("unread", 0), (None, 3)]
    assert [state_words(*one) for one in given] == [
        "no clause found", "to be read (1 clause)", "to be read", "no level", "not read", "not read",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"state": "good", "read": True, "language": "en"}, "read"),
        ({"state": "stale", "read": True}, "last good text read; the newest capture is broken"),
        ({"state": "broken", "read": False, "language": "zh"}, "not read: the capture is broken"),
        ({"state": "not_a_policy", "read": False}, "not read: the page is not a policy"),
        ({"state": "good", "read": False, "language": "zh"}, "not read: in Chinese"),
        ({"state": "stale", "read": False, "language": "tlh"}, "not read: in “tlh”"),
        ({"state": "good", "read": False, "language": None}, "not read: in an unknown language"),
        ({"state": "under_review"}, "under review"),
        ({"state": None}, ""),
    ],
)
def test_a_document_says_whether_it_was_read_and_if_not_why(document: dict[str, object], words: str) -> None:
    assert document_words(document) == words


def test_usable_documents_in_other_languages_are_counted_with_the_most_frequent_language_first() -> None:
    given = [("good", "ko"), ("good", "zh"), ("stale", "zh"), ("broken", "ko"), ("not_a_policy", "ko")]
    rows = [{"state": state, "read": False, "language": language} for state, language in given]
    assert languages_not_read(rows) == "2 documents in Chinese and 1 document in Korean"
    assert languages_not_read([*rows[3:], {"state": "good", "read": True, "language": "en"}]) == ""


@pytest.mark.parametrize(
    ("name", "audience"),
    [("Commercial Terms", "business"), ("ENTERPRISE agreement", "business"), ("Data Processing Addendum", "business"),
     ("Data Processor Terms", "business"), ("Corporate and Business Terms", "business"), ("API Terms", "developer"),
     ("Corporate Terms", "business"), ("Business API Terms", "business"),
     ("Developer Policy", "developer"), ("Privacy Policy", None), ("Rapid Terms", None)],
)  # fmt: skip
def test_a_documents_name_says_for_whom_it_is(name: str, audience: str | None) -> None:
    assert audience_of_document(name) == audience


@pytest.mark.parametrize(
    ("quote", "names"),
    [("You may opt out at any time.", True), ("Opted-out users are left out.", True), ("You can object to this use.", True),
     ("Opting out is free.", True), ("Individuals object by mail.", True), ("We honour objections to it.", True),
     ("Your objection is noted.", True), ("By objecting you end it.", True), ("See the opt-outs page.", True),
     ("They object to the change.", False), ("Who objects to new rules may leave.", False),
     ("您可以选择退出。", True), ("您有权反对。", True), ("We train only if you opt in.", False),
     ("If you object to our changes, close your account.", False), ("Those who object to the new terms may leave.", False)],
)  # fmt: skip
def test_a_way_out_is_an_opt_out_or_an_objection_to_the_use_but_not_to_new_terms(quote: str, names: bool) -> None:
    assert names_way_out(quote) is names


def test_every_surface_is_described() -> None:
    assert tuple(SURFACE_DESCRIPTIONS) == SURFACES
    for result in SURFACE_DESCRIPTIONS.values():
        assert result.question.endswith("?")
        assert all(result)
