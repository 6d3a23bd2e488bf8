"""One document's captures, one after the other."""

from __future__ import annotations

import zlib

from riskanalytics.extraction import Kept, Reading, Taken, Walk, extract, walked
from riskanalytics.extraction.records import CaptureCheck
from tests.service.given import TERMS

POLICY = "We process personal data as this privacy policy says. You have rights, and our services comply.\n\n" * 50
PASTED = POLICY + "These terms of service are the agreement between you and us about the services.\n\n" * 800
SOLD = POLICY + "We sell your personal data to data brokers.\n"
GOOD = CaptureCheck("good", "passed")


def walk(*captures: tuple[str, str]) -> list[Taken]:
    """What a walk makes of texts at days of 2024."""
    taken = Walk()
    return [taken.step(f"2024-{day}T00:00:00+00:00", text, text) for day, text in captures]


def checks(*captures: tuple[str, str]) -> list[str]:
    """The checks that decided."""
    return [one.check.check for one in walk(*captures)]


def test_a_text_that_is_much_shorter_than_the_last_is_collapsed_at_first() -> None:
    assert checks(("02-01", PASTED), ("03-01", POLICY)) == ["passed", "collapsed"]


def test_a_policy_that_stays_short_for_a_month_is_the_document() -> None:
    days = ("03-01", "03-20", "04-02")
    taken = walk(("02-01", PASTED), *((day, POLICY) for day in days))
    assert [one.check.check for one in taken[1:]] == ["collapsed", "collapsed", "shorter_for_good"]
    assert taken[-1].check.state == "good"
    assert taken[-1].reading == extract(POLICY)


def test_what_an_error_left_of_a_policy_never_becomes_the_document() -> None:
    months = [(f"0{month}-01", TERMS[:600]) for month in range(2, 10)]
    assert {one.check.state for one in walk(("01-01", PASTED), *months)[1:]} == {"broken"}


def test_a_whole_text_in_between_starts_the_month_again() -> None:
    result = checks(("02-01", PASTED), ("03-01", POLICY), ("03-20", PASTED), ("04-02", POLICY))
    assert result == ["passed", "collapsed", "passed", "collapsed"]


def test_the_last_good_text_again_is_neither_read_nor_compared() -> None:
    first, again = walk(("02-01", POLICY), ("03-01", POLICY))
    assert first == Taken(GOOD, extract(POLICY))
    assert again == Taken(GOOD)


def test_a_failure_is_told_once_and_what_comes_after_it_is_compared_with_the_last_good_text() -> None:
    _, failed, still, back = walk(("02-01", POLICY), ("03-01", ""), ("03-02", ""), ("03-03", SOLD))
    assert failed.comparison is not None
    assert failed.comparison.summary == "The capture failed the check empty; the last good text stays current."
    assert (failed.reading, still.reading, still.comparison) == (None, None, None)
    assert back.comparison is not None
    assert [finding.surface for finding in back.comparison.added] == ["ads_tracking"]


def test_all_captures_of_a_document_are_taken_as_one_after_the_other() -> None:
    texts = (POLICY, SOLD, "", POLICY, POLICY)
    kept = [Kept(f"2024-0{at}-01", text, zlib.compress(text.encode())) for at, text in enumerate(texts, start=1)]
    assert walked(kept) == walk(*((f"0{at}-01", text) for at, text in enumerate(texts, start=1)))


def test_what_was_read_before_is_not_read_again() -> None:
    known = Reading(clauses=7)
    (taken,) = walked([Kept("2024-01-01", "a", zlib.compress(POLICY.encode()), known)])
    assert taken.reading is known
