"""Two texts side by side: the words that differ are marked, and no word of either is lost."""

from __future__ import annotations

from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import Paragraph, Words
from riskanalytics.topics.changes.section import marked


def written(words: Words) -> str:
    return html_of((Paragraph(words),)).removeprefix("<p>").removesuffix("</p>")


def test_the_words_that_differ_are_marked_and_long_runs_in_common_left_out() -> None:
    assert tuple(map(written, marked("a b c", "a x c"))) == ("a <del>b</del> c", "a <ins>x</ins> c")
    near = ("a <del>b c</del> d <del>e</del>", "a <ins>x y</ins> d <ins>f</ins>")
    assert tuple(map(written, marked("a b c d e", "a x y d f"))) == near
    assert tuple(map(written, marked("\u201ca\u201d  b", '"a" b'))) == ("\u201ca\u201d  b", "&#34;a&#34; b")
    assert tuple(map(written, marked("it\u2019s", "it's"))) == ("it\u2019s", "it&#39;s")
    long = " ".join(f"w{number}" for number in range(300))
    left, right = (written(words) for words in marked(f"{long} old", f"{long} new"))
    mark = '<span class="meta"> […] </span>'
    last, first = (" ".join(f"w{number}" for number in some) for some in (range(280, 300), range(20)))
    assert (left, right) == (f"{mark}{last} <del>old</del>", f"{mark}{last} <ins>new</ins>")
    assert written(marked(f"old {long}", f"new {long}")[0]) == f"<del>old</del> {first}{mark}"
    assert written(marked(f"old {long} a", f"new {long} b")[1]) == f"<ins>new</ins> {first}{mark}{last} <ins>b</ins>"
    assert tuple(map(written, marked("我们使用内容", "我们不使用内容"))) == (
        "我们使用内容",
        "我们<ins>不</ins>使用内容",
    )


def test_empty_and_very_long_texts_are_whole_and_unmarked() -> None:
    assert marked("", "words") == ("", "words")
    long = "word " * 1600
    assert marked(long, "other") == (long, "other")
