"""The readings that the package ships."""

from __future__ import annotations

import re
from itertools import chain

from riskanalytics.extraction.reading import READINGS
from riskanalytics.extraction.shipped import readers_with, shipped
from riskanalytics.extraction.verdicts import ACTORS, ANSWERS, AUDIENCES, BASES, LEVELS, POLARITIES, Readers
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


def test_the_readers_of_a_database_come_first() -> None:
    chosen = Readers(("reader@1",), {}, {})
    assert readers_with(chosen) == (chosen, shipped())
    assert readers_with(None) == (shipped(),)
