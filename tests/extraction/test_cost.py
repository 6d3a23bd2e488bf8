"""The time to read any text grows linearly with its length."""

from __future__ import annotations

import time

import pytest

from riskanalytics.extraction import extract
from riskanalytics.extraction.rules import SurfaceRules, surface_rules

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
def test_a_hundred_kilobytes_of_any_text_are_read_in_two_seconds(name: str) -> None:
    started = time.process_time()
    extract(ADVERSARIAL[name])
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize("surface", surface_rules().values(), ids=surface_rules())
def test_rules_are_fast_on_a_long_clause(surface: SurfaceRules) -> None:
    words = "not use train content share third party license terms change " * 65
    started = time.process_time()
    surface.look(words, words)
    assert time.process_time() - started < 0.25
