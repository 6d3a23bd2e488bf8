"""Text fragments lead a real browser to exactly the words of a quote, and to no others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.extraction import extract
from riskanalytics.page_words import text_fragment
from tests.live_words import looked_up
from tests.notebooks.conftest import browser

__all__ = ["browser"]

WRITTEN = """# Terms

## Training

A. We may share it. Never sold.

A. We may share it. Always sold.

**Your data.** See [our terms \\[2\\]](https://a.example/x_y): we train on it, on what you write, on what you show us, on
what you say to us & on all that comes of it \u2014 "for ever".

*   \u2022We keep it.
*   Photos, never-ever sold\xa0\xa0on.

1.  We keep it.

### Photos

We rent it out.

### Words

We rent it out.

### Photos

We rent it out.

## Uses

| Kind | Use |
| --- | --- |
| Photos | We keep it. |
| Words | We keep it. |
"""
QUOTES = (
    "We may share it. Always sold.", "Your data.** See [our terms", "Training\n\nA. We may", "never-ever sold\xa0\xa0on",
    "we train on it, on what you write, on what you show us, on\nwhat you say to us & on all that comes of it \u2014 \"for ever\".",
)  # fmt: skip
FEWEST, WANTED = 60, 0.88
"""Quotes of documents that nobody tuned for, and the share that is marked rightly at least: 55 of 61 were; the aim is .97."""


@pytest.mark.slow
def test_quotes_of_every_form_are_marked_where_they_stand(browser: Any) -> None:
    places = [(WRITTEN.index(quote), WRITTEN.index(quote) + len(quote)) for quote in QUOTES]
    places += [(at, at + 10) for at in _all("We keep it")]
    places += [(at, at + 14) for at in _all("We rent it out")]
    places.append((second := WRITTEN.rindex("We may share it"), second + 15))
    for found in looked_up(browser, [(WRITTEN, *place) for place in places]):
        assert found["right"], found


@pytest.mark.slow
def test_a_text_fragment_that_names_other_words_is_seen_to_be_wrong(browser: Any) -> None:
    start = WRITTEN.index("Always sold")
    (found,) = looked_up(browser, [(WRITTEN, start, start + 11)], name=lambda *_: "text=Never%20sold")
    assert not found["right"]
    (found,) = looked_up(browser, [(WRITTEN, start, start + 11)], name=lambda *_: "text=Always")
    assert not found["right"]


@pytest.mark.slow
def test_quotes_of_real_policies_are_found_by_their_text_fragments(browser: Any, shared: Path) -> None:
    files = sorted((shared / "data" / "more-policies").glob("*/*/*.md"))
    random.Random(14).shuffle(files)
    quotes: list[tuple[str, int, int]] = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        found = extract(text).findings
        quotes += [(text, one.start, one.end) for one in random.Random(len(text)).sample(found, min(len(found), 4))]
        if len(quotes) >= FEWEST:
            break
    looked = [one for one in looked_up(browser, quotes) if not one["skipped"]]
    wrong = [text_fragment(*quotes[one["number"]]) for one in looked if not one["right"]]
    assert len(wrong) <= (1 - WANTED) * len(looked) + 1, wrong


def _all(words: str) -> Iterator[int]:
    """Give the places at which words stand."""
    at = WRITTEN.find(words)
    while at >= 0:
        yield at
        at = WRITTEN.find(words, at + 1)
