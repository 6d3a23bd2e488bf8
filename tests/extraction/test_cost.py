"""The cost of reading grows with the text, whatever the text."""

from __future__ import annotations

import time

import pytest

from riskanalytics.extraction import extract, pieces
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


def test_what_is_kept_of_texts_counts_their_characters_and_a_text_read_again_adds_nothing() -> None:
    kept = pieces._block.cache
    text = "".join(f"We keep log {number} of your visits for {number} days.\n\n" for number in range(40))
    sizes = [kept.currsize]
    for _ in range(2):
        extract(text)
        sizes.append(kept.currsize)
    before, once, again = sizes
    assert before + len(text) < once == again < kept.maxsize
