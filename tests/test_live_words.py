"""Text fragments lead a real browser to exactly the words of a quote, and to no others."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.extraction import extract
from riskanalytics.text.page_words import text_fragment
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

## \u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22

\u0e40\u0e23\u0e32\u0e43\u0e0a\u0e49\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25\u0e02\u0e2d\u0e07\u0e04\u0e38\u0e13\u0e40\u0e1e\u0e37\u0e48\u0e2d\u0e1d\u0e36\u0e01\u0e41\u0e1a\u0e1a\u0e08\u0e33\u0e25\u0e2d\u0e07\u0e41\u0e25\u0e30\u0e41\u0e1a\u0e48\u0e07\u0e1b\u0e31\u0e19\u0e02\u0e49\u0e2d\u0e21\u0e39\u0e25\u0e2a\u0e48\u0e27\u0e19\u0e1a\u0e38\u0e04\u0e04\u0e25\u0e01\u0e31\u0e1a\u0e1a\u0e38\u0e04\u0e04\u0e25\u0e17\u0e35\u0e48\u0e2a\u0e32\u0e21\u0e40\u0e1e\u0e37\u0e48\u0e2d\u0e01\u0e32\u0e23\u0e15\u0e25\u0e32\u0e14
"""
THAI = WRITTEN.splitlines()[-1]
"""A sentence of more than 80 characters without a blank."""
QUOTES = (
    "We may share it. Always sold.", "Your data.** See [our terms", "Training\n\nA. We may", "never-ever sold\xa0\xa0on",
    "we train on it, on what you write, on what you show us, on\nwhat you say to us & on all that comes of it \u2014 \"for ever\".",
)  # fmt: skip
FEWEST, WANTED = 20, 0.95
"""Number of quotes, at most four of each document (nobody tuned for these documents), and the smallest share that must be
marked right: 114 of 120 were. Of 1,000 quotes drawn from all clauses of these services, 981 were, and 15 led to their page only."""


@pytest.mark.slow
def test_quotes_of_every_form_are_highlighted_in_place(browser: Any) -> None:
    places = [(WRITTEN.index(quote), WRITTEN.index(quote) + len(quote)) for quote in QUOTES]
    places += [(at, at + 10) for at in _all("We keep it")]
    places += [(at, at + 14) for at in _all("We rent it out")]
    places.append((WRITTEN.index(THAI), len(WRITTEN) - 1))
    places.append((second := WRITTEN.rindex("We may share it"), second + 15))
    for found in looked_up(browser, [(WRITTEN, *place) for place in places]):
        assert found["right"], found


@pytest.mark.slow
def test_a_wrong_text_fragment_is_detected(browser: Any) -> None:
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
    assert len(looked) >= 0.98 * len(quotes)
    wrong = [text_fragment(*quotes[one["number"]]) for one in looked if not one["right"]]
    assert len(wrong) <= (1 - WANTED) * len(looked) + 1, wrong


def _all(words: str) -> Iterator[int]:
    """Give the places at which words stand."""
    at = WRITTEN.find(words)
    while at >= 0:
        yield at
        at = WRITTEN.find(words, at + 1)
