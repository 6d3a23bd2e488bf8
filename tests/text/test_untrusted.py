"""Untrusted text: what hides in it is shown, in words and in the scripts of a page."""

from __future__ import annotations

import json
import re

import pytest

from riskanalytics.pages.figures import label
from riskanalytics.pages.section import script_json
from riskanalytics.service.pages.platform import inline
from riskanalytics.text.untrusted import inert, marked, visible, visible_line, without_tags

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "ignore")


def test_tag_characters_are_shown_and_never_appear_raw() -> None:
    text = f"your data {TAGS}<b>"
    assert visible(text) == "your data [U+E0069\N{HORIZONTAL ELLIPSIS}]<b>"
    assert not set(TAGS) & set(label(text))
    in_script = script_json({"quote": text})
    assert in_script.isascii()
    assert json.loads(in_script) == {"quote": text}


def test_marks_of_direction_are_shown_each() -> None:
    assert visible("a\u202eb\u2066\u200f\u061c") == "a[U+202E]b[U+2066][U+200F][U+061C]"
    assert visible("a\x00\x0b\r\x7f\x85\ufffa\n\tb") == "a\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\n\tb"
    assert marked("a\u202eb") == "a\ufffdb"
    assert visible("a\ufffeb\uffffc\ufffdd\ud800") == "a\ufffdb\ufffdc\ufffdd\ufffd"  # XML forbids the first two


def test_a_long_text_is_cut_and_says_so() -> None:
    assert visible("x" * 5000) == "x" * 4000 + " [… 1,000 more characters]"
    assert visible("é\u200e" * 2000) == "é[U+200E]" * 2000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Café 隐私政策, “quoted” – 100 %", "Café 隐私政策, “quoted” – 100 %"),
        ("a\u202efdp.exe", "a\\u{202E}fdp.exe"),
        ("a\x1b]0;title\x07\r\n", "a\\u{001B}]0;title\\u{0007}\\u{000D}\\u{000A}"),
        ("a\U000e0041", "a\\u{E0041}"),
        ("a\u200bb\u2028c\ud800", "a\\u{200B}b\\u{2028}c\\u{D800}"),
        ("a\u2029b\ue000c\u0378d\u00ad", "a\\u{2029}b\\u{E000}c\\u{0378}d\\u{00AD}"),
    ],
)
def test_every_hidden_character_is_made_visible(text: str, shown: str) -> None:
    assert visible_line(text) == shown
    assert marked(text) == re.sub(r"\\u\{\w+\}", "\ufffd", shown)


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"])
def test_a_cell_that_begins_like_a_formula_is_made_a_text(first: str) -> None:
    assert inert(f"{first}1") == f"'{first}1"
    for value in (f"1{first}1", "", "'a", 1, -1.5, None, True):
        assert inert(value) == value


def test_only_tags_are_escaped_and_quotes_stay_verbatim() -> None:
    assert without_tags("a\u202e\U000e0041\U000e0042b") == "a\u202e\\u{E0041 E0042}b"


def test_markdown_hides_nothing_either() -> None:
    assert inline("a\r\nb\u202e\U000e0041*") == "a b&#92;u&#123;202E&#125;&#92;u&#123;E0041&#125;&#42;"


def test_breaks_and_tabs_stay_in_lines_and_are_shown_in_one_line() -> None:
    assert visible_line("a\n\tb\x1b", "\n\t") == "a\n\tb\\u{001B}"
    assert visible_line("a\n\tb") == "a\\u{000A}\\u{0009}b"
    assert visible_line("caf\u00e9 \u00a0") == "caf\u00e9 \u00a0"
