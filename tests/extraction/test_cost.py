"""The cost of reading grows with the text, whatever the text."""

from __future__ import annotations

import time

import pytest

from riskanalytics.extraction import extract
from riskanalytics.extraction.cache import TextCache
from riskanalytics.extraction.deciding import RULES

ADVERSARIAL = {
    "negations": "not " * 25_000,
    "brackets": "[" * 100_000,
    "links": "[a](" * 25_000,
    "dashes": "-" * 100_000 + "x",
    "dots": ". " * 50_000,
    "stars": "*a " * 33_000,
    "one word": "a" * 100_000,
    "at signs": "a@" * 50_000,
    "spaces": "We train" + " " * 100_000 + "models",
    "keywords": "train your content licence share advertising transfer change terms " * 1_500,
    "pipes": "| a " * 25_000,
    "breaks": "<br>" * 25_000,
    "empty lines": "\n \n" * 33_000,
    "lead-ins": "".join(f"{' ' * (number % 40)}* to:\n" for number in range(5_000)),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_a_hundred_kilobytes_of_anything_are_read_in_time(name: str) -> None:
    started = time.process_time()
    extract(ADVERSARIAL[name])
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize("surface", RULES.surfaces, ids=lambda surface: surface.id)
def test_every_rule_answers_quickly_on_a_long_clause(surface: object) -> None:
    words = "not use train content share third party license terms change " * 65
    started = time.process_time()
    surface.look(words, words)  # type: ignore[attr-defined]
    assert time.process_time() - started < 0.25


def test_the_cache_lets_go_of_the_older_half() -> None:
    cache: TextCache[int, int] = TextCache(100)
    made: list[int] = []
    for key in range(30):
        cache.get(key, 10, lambda key=key: made.append(key) or key)
    assert len(cache) <= 10
    assert cache.get(29, 10, lambda: -1) == 29
    assert cache.get(0, 10, lambda: -1) == -1
