"""A pattern is tried only where words stand without which it meets nothing, and finds what it finds alone."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from riskanalytics import extraction
from riskanalytics.extraction.deciding import RULES
from riskanalytics.extraction.rules import patterns_of
from riskanalytics.extraction.rules.needed import Pattern, needed
from riskanalytics.surfaces.declared import declared

FOLDER = Path(extraction.__file__).parent / "rules"
FILES = sorted(path.name for path in FOLDER.glob("*.toml") if path.name not in ("words.toml", "measured.toml"))
SAID = [
    said
    for surface in declared()
    for rule in surface.rule
    for said in (*(" ".join(taken).strip() for taken in rule.taken), *rule.counter)
]


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"not sold|never (?:sold|shared)", {"not sold", "never sold", "never shared"}),
        (r"\bnot\b|\bnever\b|n't\b", {"not", "never", "n't"}),
        (r"colou?r", {"color", "colour"}),
        (r"gr[ae]y", {"gray", "grey"}),
        (r"\w+ data\b", {" data"}),
        (r"we (?:may )?(?:sell|rent)\w* it", {"we may sell", "we may rent", "we sell", "we rent"}),
        (r"(?<!non-)personal(?! computer)", {"personal"}),
        (r"(?:opt|option)al", {"optal", "optional"}),
        (r"opt|option", {"opt"}),
        (r"(?:ab)+c", {"ab"}),
        (r"x|\d+", set()),
        (r"(?:sold)?", set()),
        (r"[^a]b*", set()),
        (r"(?i)sold", set()),
        (r"(?i:sold) it", {" it"}),
    ],
)
def test_what_a_pattern_needs_is_read_out_of_it(pattern: str, words: set[str]) -> None:
    assert needed(pattern) == words


def test_a_pattern_of_too_many_words_is_tried_at_once() -> None:
    many = Pattern("|".join(f"x{number:03}" for number in range(101)))
    assert needed(many.pattern) == frozenset()
    assert many.search("it is x100")


def every_pattern() -> list[Pattern]:
    """All patterns that clauses are read by."""
    of_surfaces = [
        pattern
        for surface in RULES.surfaces
        for pattern in (surface.trigger, surface.exclude, surface.ignore, surface.context)
    ]
    of_rules = [
        pattern
        for surface in RULES.surfaces
        for rule in surface.rules
        for pattern in chain(rule.own, rule.context, rule.none)
    ]
    return [*of_surfaces, *of_rules, *chain.from_iterable(patterns_of(file).values() for file in FILES)]


def test_no_pattern_overlooks_what_it_meets_alone() -> None:
    said = [words.lower() for words in SAID]
    patterns = every_pattern()
    assert sum(bool(needed(one.pattern)) for one in patterns) > len(patterns) / 2
    for one in patterns:
        alone = re.compile(one.pattern)
        assert [bool(one.search(words)) for words in said] == [bool(alone.search(words)) for words in said]
        assert [one.sub(" ", words) for words in said[::9]] == [alone.sub(" ", words) for words in said[::9]]


def test_a_search_may_begin_behind_what_it_would_find() -> None:
    pattern = Pattern("not sold")
    found = pattern.search("not sold, not sold", 3)
    assert found is not None
    assert found.start() == 10
    assert pattern.search("not sold", 1) is None
