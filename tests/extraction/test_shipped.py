"""The readings that the package ships."""

from __future__ import annotations

import gzip
import json
import re
from itertools import chain

import pytest

from riskanalytics.extraction.reading import READINGS
from riskanalytics.extraction.records import COURSES, Course
from riskanalytics.extraction.shipped import readers_with, shipped
from riskanalytics.extraction.verdicts import ACTORS, ANSWERS, AUDIENCES, BASES, LEVELS, POLARITIES, Readers, Vote
from riskanalytics.models import STANCES
from riskanalytics.surfaces import SURFACES

MOST_BYTES = 2_000_000


def test_they_have_hashes_and_fixed_words_but_no_words_of_policies() -> None:
    assert len(READINGS) < MOST_BYTES
    readers = shipped()
    for key, verdicts in chain.from_iterable(of.items() for of in readers.verdicts.values()):
        assert re.fullmatch("[0-9a-f]{24}", key)
        for said in verdicts.said:
            assert said.surface in SURFACES
            assert (said.risk in LEVELS, said.polarity in POLARITIES, said.actor in ACTORS) == (True, True, True)
            assert said.stance in (None, *ANSWERS)
            assert said.audience in (None, *AUDIENCES)
            assert type(said.conditional) is bool
            assert said.own in (None, False)
    assert set(chain.from_iterable(readers.shown.values())) <= set(BASES)


def test_each_unit_was_read_by_at_least_two_readers() -> None:
    first, second, *others = shipped().verdicts.values()
    assert first.keys() == second.keys()
    assert all(third.keys() <= first.keys() for third in others)


def test_each_reader_has_the_verdicts_that_it_gave() -> None:
    held = json.loads(gzip.decompress(READINGS))
    readers = shipped()
    assert (readers.names, readers.read_by) == (
        tuple(f"{held['label']} {number}" for number in (1, 2, 3, 4, 5, 6)),
        held["label"],
    )
    for number, name in enumerate(readers.names):
        said = {key: [one.surface for one in verdicts.said] for key, verdicts in readers.verdicts[name].items()}
        given = {
            key: [one[0] for one in votes[number]] for key, votes in held["units"].items() if votes[number] is not None
        }
        assert said == ({key: [] for key in held["nothing"]} | given if number < 2 else given)
        assert any(given.values()) is (number < 3)  # the others judged changes only
        assert readers.courses[name] == {
            key: Course.parsed(votes[number]) for key, votes in held["changes"].items() if votes[number]
        }
    assert {way for of in readers.courses.values() for course in of.values() for way in course.whole.split()} <= set(
        COURSES
    )


def test_votes_on_stances_belong_to_the_reader_that_gave_them(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {"label": "read", "readers": 3, "shown": {}, "nothing": [], "units": {}, "changes": {}}
    said = {"k": [["silent", "does_not_train", ["a", "b"]], None, ["silent", "silent", []]], "l": [None, None, None]}
    for stances, expected in (
        ({}, {"read 1": {}, "read 2": {}, "read 3": {}}),
        (
            {"stances": said},
            {
                "read 1": {"k": Vote("silent", "does_not_train", ["a", "b"])},
                "read 2": {},
                "read 3": {"k": Vote("silent", "silent", [])},
            },
        ),
    ):
        monkeypatch.setattr(
            "riskanalytics.extraction.shipped.READINGS", gzip.compress(json.dumps(held | stances).encode())
        )
        assert shipped.__wrapped__().stances == expected


def test_shipped_votes_on_stances_have_hashes_and_fixed_words() -> None:
    for key, vote in chain.from_iterable(of.items() for of in shipped().stances.values()):
        assert {vote.consumer, vote.business} <= set(STANCES)
        assert all(re.fullmatch("[0-9a-f]{24}", one) for one in (key, *vote.units))
        assert vote.units or not {vote.consumer, vote.business} & set(ANSWERS)


def test_the_readers_of_a_database_come_first() -> None:
    chosen = Readers(("reader@1",), {}, {})
    assert readers_with(chosen) == (chosen, shipped())
    assert readers_with(None) == (shipped(),)
