"""Who does what, to what, under which condition."""

from __future__ import annotations

import time

import pytest

from riskanalytics.extraction.records import Roles
from riskanalytics.extraction.sense import roles_of


@pytest.mark.parametrize(
    ("words", "roles"),
    [
        (
            "We may share your data with partners unless you opt out.",
            Roles("vendor", "may share", "your data", "unless you opt out"),
        ),
        ("You may not sell the output to others.", Roles("user", "may not sell", "the output", None)),
        (
            "Our service providers will process your payments.",
            Roles("third_party", "will process", "your payments", None),
        ),
        (
            "Third-party vendors collect device identifiers.",
            Roles("third_party", "collect", "device identifiers", None),
        ),
        (
            "If you opt out, we will not use your chats for training.",
            Roles("vendor", "will not use", "your chats", "If you opt out"),
        ),
        (
            "We delete your conversations within 30 days.",
            Roles("vendor", "delete", "your conversations", "within 30 days"),
        ),
        (
            "Your content may be used to train models with your consent.",
            Roles(None, "may be used", "Your content", "with your consent"),
        ),
        ("Your chats are kept for 30 days.", Roles(None, "are kept", "Your chats", "for 30 days")),
        ("Your content will not be reviewed by people.", Roles(None, "will not be reviewed", "Your content", None)),
    ],
)
def test_who_does_what_is_told(words: str, roles: Roles) -> None:
    assert roles_of(words) == roles


def test_a_party_called_by_its_name_may_be_anybody() -> None:
    assert roles_of("Wrenna may share your data.") == Roles(None, "may share", "your data", None)


def test_an_item_is_read_behind_its_lead_in() -> None:
    roles = roles_of("share the content of others;", "You may not:")
    assert (roles.actor, roles.action, roles.object) == ("user", "may not share", "the content of others")
    assert roles_of("share the content of others;").actor is None


@pytest.mark.parametrize(
    "words", ["", "我们会使用您输入的内容训练我们的模型。", "names, addresses and the like", "… — !"]
)
def test_what_the_patterns_do_not_tell_stays_untold(words: str) -> None:
    assert roles_of(words) == Roles()


def test_a_long_object_is_cut_at_a_word_with_a_mark() -> None:
    told = roles_of(f"We collect {'names and addresses ' * 40}").object
    assert told is not None
    assert told.endswith(" […]")
    assert len(told) < 100


@pytest.mark.parametrize(
    "word", ["we may ", "your ", "if you ", "our third party ", "you may not also ", "Aa Bb ", "unless, ", "( ", "is "]
)
def test_a_hostile_clause_costs_no_more_than_its_beginning(word: str) -> None:
    started = time.process_time()
    roles_of(word * 600, word * 600)
    assert time.process_time() - started < 0.1
