"""Verdicts of readers and requests to them are stored by reader, and a second verdict replaces the first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riskanalytics.extraction.records import Course
from riskanalytics.extraction.verdicts import Verdict, Verdicts, Vote
from riskanalytics.service.store import verdicts as stored
from riskanalytics.service.store.write import Writer

SAID = Verdict(
    "training_use", "HIGH", "raises_risk", "user", "trains_by_default", "business", conditional=True, own=False
)
FIRST, SECOND = Verdicts((SAID, Verdict("data_retention", "LOW", "neutral"))), Verdicts((), trusted=False)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with Writer(tmp_path / "a.sqlite") as opened:
        yield opened


def test_verdicts_come_back_unchanged_for_their_reader_and_the_last_one_counts(writer: Writer) -> None:
    with writer.transaction() as db:
        stored.keep_verdicts(db, "one", {"a": FIRST, "b": FIRST})
        stored.keep_verdicts(db, "two", {"a": FIRST})
        stored.keep_verdicts(db, "one", {"b": SECOND})
        assert stored.verdicts_of(db, "one") == {"a": FIRST, "b": SECOND}
        assert stored.verdicts_of(db, "two") == {"a": FIRST}
        assert stored.verdicts_of(db, "three") == {}


def test_only_chosen_readers_decide_with_their_verdicts_and_confidence(writer: Writer) -> None:
    shown = {"training_use": {"majority": 0.9}}
    with writer.transaction() as db:
        stored.keep_verdicts(db, "one", {"a": FIRST})
        assert (stored.has_readers(db), stored.readers_of(db)) == (False, None)
        stored.choose_readers(writer, ["two", "one"], shown)
        chosen = stored.readers_of(db)
        assert chosen is not None
        assert chosen[:3] == (("two", "one"), {"two": {}, "one": {"a": FIRST}}, shown)
        assert stored.has_readers(db)
        stored.choose_readers(writer, [], {})
        assert (stored.has_readers(db), stored.readers_of(db)) == (False, None)


def test_judgements_of_changes_are_kept_apart_from_verdicts_and_go_with_their_reader(writer: Writer) -> None:
    up, down = Course("up", (("training_use", "up"), ("ip_liability", "none"))), Course("down")
    with writer.transaction() as db:
        stored.keep_verdicts(db, "one", {"a": FIRST})
        stored.keep_courses(db, "one", {"a": up, "b": up})
        stored.keep_courses(db, "one", {"b": down})
        stored.keep_courses(db, "two", {"a": down})
        assert stored.courses_of(db, "one") == {"a": up, "b": down}
        assert stored.verdicts_of(db, "one") == {"a": FIRST}
        stored.choose_readers(writer, ["one", "two"], {})
        chosen = stored.readers_of(db)
    assert chosen is not None
    assert (chosen.courses, chosen[1]) == (
        {"one": {"a": up, "b": down}, "two": {"a": down}},
        {"one": {"a": FIRST}, "two": {}},
    )


def test_votes_on_stances_are_kept_apart_and_go_with_their_reader(writer: Writer) -> None:
    trains, silent = Vote("trains_by_default", "silent", ["u", "v"]), Vote("silent", "silent", [])
    with writer.transaction() as db:
        stored.keep_courses(db, "one", {"a": Course("up")})
        stored.keep_stances(db, "one", {"a": silent, "b": trains})
        stored.keep_stances(db, "one", {"a": trains})
        stored.keep_stances(db, "two", {"a": silent})
        assert stored.stances_of(db, "one") == {"a": trains, "b": trains}
        assert (stored.courses_of(db, "one"), stored.verdicts_of(db, "one")) == ({"a": Course("up")}, {})
        stored.choose_readers(writer, ["one", "three"], {})
        chosen = stored.readers_of(db)
    assert chosen is not None
    assert chosen.stances == {"one": {"a": trains, "b": trains}, "three": {}}


def test_a_request_waits_for_each_reader_until_it_is_answered_and_is_not_replaced(writer: Writer) -> None:
    with writer.transaction() as db:
        stored.keep_sent(db, "one", {"r1": [["a", 1]], "r2": [["b", 2]]})
        stored.keep_sent(db, "two", {"r1": [["c", 3]]})
        stored.keep_sent(db, "one", {"r1": [["d", 4]]})
        assert stored.sent_to(db, "one") == {"r1": [["a", 1]], "r2": [["b", 2]]}
        stored.keep_sent(db, "one of two", {"r1": [["e", 5]]})
        assert stored.sent_to(db, "one of two") == {"r1": [["e", 5]]}
        stored.forget_sent(db, "one", ["r1"])
        assert (stored.sent_to(db, "one"), stored.sent_to(db, "two")) == ({"r2": [["b", 2]]}, {"r1": [["c", 3]]})
