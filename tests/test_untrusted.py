"""Untrusted text: what hides in it is shown, in words and in the scripts of a page."""

from __future__ import annotations

import json

from riskanalytics.charting.labels import label
from riskanalytics.pages.html import script_json
from riskanalytics.untrusted import visible

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore")


def test_tag_characters_are_shown_and_stand_raw_nowhere() -> None:
    text = f"your data {TAGS}<b>"
    assert visible(text) == "your data [U+E0069\N{HORIZONTAL ELLIPSIS}]<b>"
    assert not set(TAGS) & set(label(text))
    in_script = script_json({"quote": text})
    assert in_script.isascii()
    assert json.loads(in_script) == {"quote": text}


def test_marks_of_direction_are_shown_each() -> None:
    assert visible("a\u202eb\u2066") == "a[U+202E]b[U+2066]"


def test_a_long_text_is_cut_and_says_so() -> None:
    assert visible("x" * 5000).endswith("x [… 1,000 more characters]")
