"""What no reader sees is shown as its code points; what is seen stays as it is."""

from __future__ import annotations

import pytest

from riskanalytics.service.pages.words import inline
from riskanalytics.untrusted import visible_line, without_tags


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Café 隐私政策, “quoted” – 100 %", "Café 隐私政策, “quoted” – 100 %"),
        ("a\u202efdp.exe", "a\\u{202E}fdp.exe"),
        ("a\x1b]0;title\x07\r\n", "a\\u{001B}]0;title\\u{0007}\\u{000D}\\u{000A}"),
        ("a\U000e0041", "a\\u{E0041}"),
        ("a\u200bb\u2028c\ud800", "a\\u{200B}b\\u{2028}c\\u{D800}"),
    ],
)
def test_every_hidden_character_is_made_visible(text: str, shown: str) -> None:
    assert visible_line(text) == shown


def test_only_tags_are_escaped_where_quotes_stay_verbatim_otherwise() -> None:
    assert without_tags("a\u202e\U000e0041\U000e0042b") == "a\u202e\\u{E0041 E0042}b"


def test_markdown_hides_nothing_either() -> None:
    assert inline("a\r\nb\u202e\U000e0041*") == "a b&#92;u&#123;202E&#125;&#92;u&#123;E0041&#125;&#42;"
