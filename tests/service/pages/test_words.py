"""Third parties' text inside Markdown: it forms nothing and hides nothing."""

from __future__ import annotations

from riskanalytics.service.pages.words import inline, level_class, mark, quoted


def test_marks_stand_as_references_and_hidden_characters_as_code_points() -> None:
    assert inline("# [a](b) <i>*c*") == "&#35; &#91;a&#93;(b) &#60;i&#62;&#42;c&#42;"
    assert inline("one\r\n\u2028two") == "one two"
    assert "202E" in inline("a\u202eb")
    assert "\u202e" not in inline("a\u202eb")


def test_a_quote_is_quoted_line_by_line() -> None:
    assert quoted("a\n# b") == "> a\n> &#35; b"
    assert quoted("") == "> "


def test_a_level_that_nobody_knows_yet_is_marked_as_unknown() -> None:
    assert [(mark(level), level_class(level)) for level in ("HIGH", "CRITICAL")] == [("▲", "high"), ("?", "unknown")]
