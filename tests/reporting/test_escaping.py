"""Untrusted text in HTML and in the scripts of a page."""

from __future__ import annotations

import json

from riskanalytics.charts.labels import label
from riskanalytics.reporting.escaping import escaped
from riskanalytics.reporting.exporter import _json

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore")


def test_tag_characters_are_shown_and_stand_raw_nowhere() -> None:
    text = f"your data {TAGS}<b>"
    assert escaped(text) == "your data [U+E0069\N{HORIZONTAL ELLIPSIS}]&lt;b&gt;"
    assert not set(TAGS) & set(label(text))
    in_script = _json({"quote": text})
    assert in_script.isascii()
    assert json.loads(in_script) == {"quote": text}


def test_marks_of_direction_are_shown_each() -> None:
    assert escaped("a\u202eb\u2066") == "a[U+202E]b[U+2066]"
