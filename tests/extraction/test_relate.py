"""Near-copies and contradictions among a platform's findings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from riskanalytics.extraction import DocumentReading, extract, relate
from riskanalytics.extraction.records import Relations, Scope
from riskanalytics.extraction.stance import located
from tests.extraction.given import document, finding


def related(*texts: str) -> Relations:
    return relate([
        DocumentReading(f"Document {number}", f"{number:064x}", "2026-01-01T00:00:00+00:00", extract(text))
        for number, text in enumerate(texts)
    ])  # fmt: skip


def test_the_same_sentence_in_two_documents_is_a_copy_of_the_first() -> None:
    words = "We do not use your prompts to train our models."
    relations = related(words, f"Preface stands here.\n\n{words}")
    ((copy, first),) = [pair for pair in relations.duplicates.items() if pair[0][3] == "training_use"]
    assert first == (f"{0:064x}", 0, len(words), "training_use")
    assert copy[0] == f"{1:064x}"


def test_regional_versions_that_differ_in_few_letters_are_copies() -> None:
    american = "You grant us a perpetual, irrevocable and sublicensable license to adapt your content in any media."
    british = american.replace("license", "licence")
    assert len(related(f"{american}\n\n- - -\n\n{british}").duplicates) == 1


def test_clauses_with_different_periods_are_not_copies() -> None:
    assert related("We delete logs within 30 days.\n\nWe delete backups of recordings within 90 days.").duplicates == {}


def test_opposite_clauses_for_the_same_audience_conflict_both_ways() -> None:
    used = finding("training_use.used", "We use your prompts to train.", "MED", stance="trains_by_default")
    never = finding("training_use.not_used", "We never train on prompts.", "LOW", stance="does_not_train")
    relations = relate([document(0, used), document(1, never)])
    (one, others), (other, ones) = relations.conflicts.items()
    assert others == (other,)
    assert ones == (one,)


def test_different_audiences_do_not_conflict() -> None:
    used = finding("training_use.used", "We use your prompts to train.", "MED", stance="trains_by_default")
    never = finding(
        "training_use.not_used", "We never train on business data.", "LOW",
        stance="does_not_train", scope=Scope(audience="business"),
    )  # fmt: skip
    relations = relate([document(0, used), document(1, never)])
    assert relations.conflicts == {}


LONG = "terms may be changed by the company without any notice at all to you"


@pytest.mark.parametrize(
    ("words", "more", "copied"),
    [
        (LONG, {}, True),
        (LONG, {"rule": "terms_changes.other"}, True),
        (LONG, {"rule": "human_review.x", "surface": "human_review"}, False),
        (LONG, {"rule": "terms_changes.other", "polarity": "neutral"}, False),
        (LONG, {"stance": "does_not_train"}, False),
        (LONG, {"scope": Scope("business")}, False),
        (LONG, {"scope": Scope(product="feedback")}, False),
        (LONG, {"scope": Scope(region="EU")}, True),
        (f"{LONG}s", {}, True),
        (f"{LONG}s", {"rule": "terms_changes.other"}, False),
        (f"{LONG}s", {"polarity": "neutral"}, False),
        (f"all {LONG}", {}, False),
        (LONG.replace("may", "man"), {}, False),
        (LONG.replace(" be ", " bee "), {}, True),
        (LONG.replace("company", "whole board"), {}, False),
    ],
)
def test_a_copy_says_the_same_for_the_same_users(words: str, more: dict[str, Any], copied: bool) -> None:
    first, later = finding("terms_changes.any_time", LONG, "HIGH"), finding("terms_changes.any_time", words, "HIGH")
    assert bool(relate([document(0, first), document(1, later._replace(**more))]).duplicates) is copied


@pytest.mark.parametrize(("length", "copied"), [(40, True), (39, False)])
def test_short_statements_are_copies_only_if_they_are_equal(length: int, copied: bool) -> None:
    words = LONG[:length].strip().ljust(length, "x")
    first, later = (finding("terms_changes.any_time", one, "HIGH") for one in (words, f"{words}s"))
    assert bool(relate([document(0, first), document(1, later)]).duplicates) is copied


@pytest.mark.parametrize(("place", "copied"), [(0, False), (1, True), (40, True)])
def test_a_statement_is_compared_with_the_forty_before_it(place: int, copied: bool) -> None:
    words = [f"terms may {chr(97 + number % 26) + chr(97 + number // 26):*<4}" * 5 for number in range(41)]
    found = [
        finding("terms_changes.any_time", one, "HIGH", 100 * at) for at, one in enumerate((*words, f"{words[place]}s"))
    ]
    copies = relate([document(0, *found)]).duplicates
    assert [(copy[1], first[1]) for copy, first in copies.items()] == [(4100, 100 * place)] * copied


def test_every_copy_points_to_the_first_and_a_text_under_two_names_is_read_once() -> None:
    row = finding("terms_changes.any_time", LONG, "HIGH")
    duplicates = relate([document(number, row) for number in range(3)]).duplicates
    assert [(copy[0][-1], first[0][-1]) for copy, first in duplicates.items()] == [("1", "0"), ("2", "0")]
    twice = [document(0, row), replace(document(0, row), document="Copy")]
    assert [one.document for one in located(twice)] == ["Document 0"]


def test_a_conflict_lists_at_most_five_originals_for_the_same_product() -> None:
    used = finding("training_use.used", "We use your prompts to train.", "MED")
    kinds = ("chats", "logs", "files", "names", "notes", "voices")
    never = [finding("training_use.not_used", f"No {kind}.", "LOW", 100 * n) for n, kind in enumerate(kinds)]
    conflicts = relate([document(0, used), document(1, *never), document(2, never[0])]).conflicts
    assert [start for _, start, _, _ in next(iter(conflicts.values()))] == [0, 100, 200, 300, 400]
    assert len(conflicts) == 7
    limited = used._replace(scope=Scope(product="feedback"))
    assert relate([document(0, limited), document(1, *never)]).conflicts == {}
