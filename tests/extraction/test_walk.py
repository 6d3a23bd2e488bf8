"""The captures of one document, oldest first."""

from __future__ import annotations

import zlib

from riskanalytics.extraction import Kept, Taken, extract, unpacked, walked
from riskanalytics.extraction.capture import CaptureCheck
from riskanalytics.extraction.compare import Walk
from riskanalytics.extraction.units import units_of
from riskanalytics.extraction.verdicts import BASES, Readers, Verdict, Verdicts
from tests.service.given import TERMS

POLICY = "We process personal data as this privacy policy says. You have rights, and our services comply.\n\n" * 50
PASTED = POLICY + "These terms of service are the agreement between you and us about the services.\n\n" * 800
LOOKED = POLICY + "Our colleagues look through the drawings that you hand over.\n"
SOLD = POLICY + "We sell your personal data to data brokers.\n"
GOOD = CaptureCheck("good", "passed")


def walk(*captures: tuple[str, str]) -> list[Taken]:
    """Return the results of a walk through texts captured on days of 2024."""
    taken = Walk()
    return [taken.step(f"2024-{day}T00:00:00+00:00", text, text) for day, text in captures]


def checks(*captures: tuple[str, str]) -> list[str]:
    """Return the deciding checks."""
    return [result.check.check for result in walk(*captures)]


def test_a_much_shorter_text_is_collapsed_at_first() -> None:
    assert checks(("02-01", PASTED), ("03-01", POLICY)) == ["passed", "collapsed"]


def test_a_policy_that_stays_short_for_a_month_is_the_document() -> None:
    days = ("03-01", "03-20", "04-02")
    taken = walk(("02-01", PASTED), *((day, POLICY) for day in days))
    assert [result.check.check for result in taken[1:]] == ["collapsed", "collapsed", "shorter_for_good"]
    assert taken[-1].check.state == "good"
    assert taken[-1].reading == extract(POLICY)


def test_the_rest_of_a_policy_after_an_error_never_becomes_the_document() -> None:
    months = [(f"0{month}-01", TERMS[:600]) for month in range(2, 10)]
    assert {result.check.state for result in walk(("01-01", PASTED), *months)[1:]} == {"broken"}


def test_a_long_text_that_is_no_policy_never_becomes_the_document() -> None:
    bread = "We bake bread all day and night for you.\n\n" * 120
    assert 4000 < len(bread) < len(PASTED) / 5
    months = [(f"0{month}-01", bread) for month in range(2, 6)]
    assert {result.check.check for result in walk(("01-01", PASTED), *months)[1:]} == {"collapsed"}


def test_a_whole_text_in_between_restarts_the_month() -> None:
    result = checks(("02-01", PASTED), ("03-01", POLICY), ("03-20", PASTED), ("04-02", POLICY))
    assert result == ["passed", "collapsed", "passed", "collapsed"]
    result = checks(
        ("02-01", PASTED), ("03-01", POLICY), ("03-20", ""), ("04-02", POLICY), ("05-01", POLICY), ("05-02", POLICY)
    )
    assert result == [
        "passed",
        "collapsed",
        "empty",
        "collapsed",
        "collapsed",
        "shorter_for_good",
    ]  # on the thirtieth day


def test_a_failure_after_a_good_text_is_reported_again() -> None:
    for between in (POLICY, SOLD):  # the last good text again, or a new one
        taken = walk(("02-01", POLICY), ("03-01", ""), ("03-02", between), ("03-03", ""))
        assert [bool(one.comparison) for one in (taken[1], taken[3])] == [True, True]


def test_a_repeated_text_is_neither_read_nor_compared() -> None:
    first, again = walk(("02-01", POLICY), ("03-01", POLICY))
    assert first == Taken(GOOD, extract(POLICY))
    assert again == Taken(GOOD)


def test_a_failure_is_reported_once_and_the_next_text_is_compared_with_the_last_good_one() -> None:
    _, failed, still, back = walk(("02-01", POLICY), ("03-01", ""), ("03-02", ""), ("03-03", SOLD))
    assert failed.comparison is not None
    assert failed.comparison.summary == "The capture failed the check empty; the last good text stays current."
    assert (failed.reading, still.reading, still.comparison) == (None, None, None)
    assert back.comparison is not None
    assert [finding.surface for finding in back.comparison.added] == ["ads_tracking"]


def test_walking_all_captures_equals_walking_one_by_one() -> None:
    texts = (POLICY, SOLD, "", POLICY, POLICY)
    kept = [Kept(f"2024-0{at}-01", text, zlib.compress(text.encode())) for at, text in enumerate(texts, start=1)]
    assert walked(kept) == walk(*((f"0{at}-01", text) for at, text in enumerate(texts, start=1)))
    assert unpacked(zlib.compress(b"a\xffb")) == "a\ufffdb"  # so that offsets stay


def reader_of(*texts: str) -> Readers:
    """Return a measured reader who finds in each unit of the texts that the vendor may read content."""
    said = Verdicts((Verdict("human_review", "MED", "raises_risk"),))
    verdicts = {unit.key: said for text in texts for unit in units_of(text)}
    return Readers(("reader@1",), {"reader@1": verdicts}, {"human_review": dict.fromkeys(BASES, 0.97)})


def test_a_clause_that_only_one_side_was_read_for_is_no_change() -> None:
    chosen = reader_of(POLICY)
    first, second = (
        Kept(f"2024-0{at}-01", text, zlib.compress(text.encode())) for at, text in enumerate((POLICY, LOOKED), 1)
    )
    taken = walked([first, second], chosen)
    assert taken[0].reading is not None
    assert taken[0].reading.findings
    assert taken[1].comparison is not None
    assert taken[1].comparison.change_class == "wording"


def test_a_change_between_two_texts_that_readers_read_whole_is_theirs() -> None:
    kept = [Kept(f"2024-0{at}-01", text, zlib.compress(text.encode())) for at, text in enumerate((POLICY, LOOKED), 1)]
    _, second = walked(kept, reader_of(POLICY, LOOKED))
    assert second.comparison is not None
    assert [move.surface for move in second.comparison.added] == ["human_review"]


def test_a_text_that_readers_did_not_read_whole_parts_the_texts_before_and_after() -> None:
    kept = [
        Kept(f"2024-0{at}-01", text, zlib.compress(text.encode())) for at, text in enumerate((POLICY, SOLD, LOOKED), 1)
    ]
    third = walked(kept, reader_of(POLICY, LOOKED))[2]
    assert third.comparison == walked(kept)[2].comparison
