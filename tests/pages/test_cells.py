"""Cells of a notebook as parts of a page: Markdown keeps its structure, and HTML only its harmless tags."""

from __future__ import annotations

import pytest

from riskanalytics.pages.cells import addressed, cleaned, parts_of
from riskanalytics.pages.print import plain
from riskanalytics.pages.values import BREAK, Command, Heading, Link, Listing, Paragraph, Part, Quote, Table, Text


@pytest.mark.parametrize(
    ("markdown", "part"),
    [
        ("##### deep", Heading((("deep",),), 4)),
        ("a *b* **c** `d`\ne  \nf", Paragraph((("a ", Text(("b",), "em"), " ", Text(("c",), "strong"), " ", Text("d", "code"), "\n",
                                                "e", BREAK, "f"),))),
        ("1. a\n2. b\n\n       c", Listing(((("a",),), (("b",), BREAK, Text("c\n", "code"))), ordered=True)),
        ("- a", Listing(((("a",),),))),
        ("> a\n>\n> b", Quote((("a",), BREAK, ("b",)))),
        ("```\na\nb\n```", Command("a\nb\n")),
        ("    a\n", Command("a\n")),
        ("---\n\n# a\n", Heading((("a",),), 1)),
        ("[a](https://a.example/)", Paragraph(((Link(("a",), "https://a.example/"),),))),
        ("![words](x.png) <b>", Paragraph(((("words",), " <b>"),))),
    ],
)  # fmt: skip
def test_markdown_keeps_its_structure(markdown: str, part: Part) -> None:
    assert parts_of(markdown) == (part,)


def test_a_table_in_markdown_keeps_every_row_below_its_headings() -> None:
    (table,) = parts_of("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |")
    assert isinstance(table, Table)
    assert [plain(column.title) for column in table.columns] == ["a", "b"]
    assert [[plain(cell) for cell in row.cells] for row in table.rows] == [["1", "2"], ["3", "4"]]


def test_headings_of_level_2_get_anchors_and_are_the_contents() -> None:
    parts, toc = addressed((Heading("Terms", 2), Heading("Terms", 3), Heading("漢字", 2), Heading("Terms  & more", 2)))
    assert [getattr(part, "anchor", "") for part in parts] == ["terms", "", "section", "terms-more"]
    assert toc == [("terms", "Terms"), ("section", "漢字"), ("terms-more", "Terms & more")]
    taken = (
        Heading("Title", 1),
        Quote("q", anchor="terms"),
        Heading("Terms", 2),
        Heading("Terms", 2),
        Heading("Chart 1", 2),
    )
    parts, toc = addressed((*taken, Heading("Content", 2), Heading("plotly", 2), Heading("Report quotes", 2)))
    anchors = ["terms-2", "terms-3", "chart-1-2", "content-2", "plotly-2", "report-quotes-2"]
    assert [anchor for anchor, _ in toc] == [getattr(part, "anchor", "") for part in parts[2:]] == anchors
    assert getattr(parts[0], "anchor", "") == ""


def test_foreign_html_keeps_its_words_and_tables_only() -> None:
    html = "<STYLE>\na\n</style ><form><p class=x onclick=y>kept</p></form><table><tr><td>1</td></tr></table><a href=x>l</a>"
    assert cleaned("<script>alert(1)</script>a<SCRIPT src=x>b\n</SCRIPT >c<img src=x onerror=y>") == "ac"
    assert cleaned(html) == "<p>kept</p><table><tbody><tr><td>1</td></tr></tbody></table>l"
