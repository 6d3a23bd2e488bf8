"""Two texts side by side: the words that differ are marked, and no word of either is lost."""

from __future__ import annotations

from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import Paragraph, Words
from riskanalytics.topics.changes.section import marked


def written(words: Words) -> str:
    return html_of((Paragraph(words),)).removeprefix("<p>").removesuffix("</p>")


def test_the_words_that_differ_are_marked_and_long_runs_in_common_left_out() -> None:
    assert tuple(map(written, marked("a b c", "a x c"))) == ("a <del>b</del> c", "a <ins>x</ins> c")
    assert tuple(map(written, marked("it\u2019s", "it's"))) == ("it\u2019s", "it&#39;s")
    long = " ".join(f"w{number}" for number in range(300))
    left, right = (written(words) for words in marked(f"{long} old", f"{long} new"))
    assert "[…]" in left
    assert len(right) < len(long) / 2


def test_empty_and_very_long_texts_are_whole_and_unmarked() -> None:
    assert marked("", "words") == ("", "words")
    long = "word " * 1600
    assert marked(long, "other") == (long, "other")
