"""Every known word has its name for people."""

from __future__ import annotations

import pytest

from riskanalytics.models import (
    ACCURACY_PARTS,
    CHANGE_CLASSES,
    DATE_KINDS,
    DECIDED_BY,
    LANGUAGE_NAMES,
    LEVELS,
    RATINGS,
    REFUSALS,
    STANCE_CLAUSES,
    STANCES,
    SURFACE_STATES,
    VERIFICATION_STATUSES,
    VERIFICATIONS,
    audience_of_document,
    document_words,
    languages_not_read,
    names_way_out,
    stance_name,
    state_words,
)
from riskanalytics.surfaces import SURFACE_DESCRIPTIONS, SURFACES, surface_name


def test_the_identifiers_that_others_rely_on_are_these_in_this_order() -> None:
    assert RATINGS == ("LOW", "MED", "HIGH") == LEVELS[1:]
    assert LEVELS[0] == "UNKNOWN"
    assert SURFACE_STATES == ("found", "to_read", "quiet", "unread")
    assert CHANGE_CLASSES == ("material", "wording", "format", "revert", "capture_failure", "technical")
    assert VERIFICATIONS == ("verified", "partial", "stale", "unverified")
    assert VERIFICATION_STATUSES == ("verified", "moved", "altered", "missing", "hash_mismatch", "unavailable")
    assert list(ACCURACY_PARTS) == ["test", "unseen", "calibrate", "given"]
    assert DECIDED_BY == {"hand_written": "Rules alone", "learned": "Model alone", "all": "All findings"}
    assert DATE_KINDS == {
        "updated": "last updated", "effective": "takes effect", "notice": "notice period",
        "objection": "time to object or opt out",
    }  # fmt: skip
    assert REFUSALS == (
        "no_evidence", "silent", "unknown_platform", "not_about_policies", "legal_advice", "ambiguous_platform",
    )  # fmt: skip


LANGUAGES = """\
ar Arabic cs Czech da Danish de German el Greek en English es Spanish fi Finnish fr French he Hebrew hu Hungarian it Italian
ja Japanese ko Korean nl Dutch no Norwegian pl Polish pt Portuguese ro Romanian ru Russian sv Swedish tr Turkish uk Ukrainian
vi Vietnamese zh Chinese"""


def test_languages_have_english_names() -> None:
    words = LANGUAGES.split()
    names = dict(zip(words[::2], words[1::2], strict=True))
    assert names | {"und": "an unknown language"} == LANGUAGE_NAMES


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
