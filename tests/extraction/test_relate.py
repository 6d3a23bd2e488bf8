"""Near-copies and contradictions among a platform's findings."""

from __future__ import annotations

from riskanalytics.extraction import DocumentReading, Relations, extract, relate
from riskanalytics.extraction.records import Scope
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
