"""Values of a page as HTML: links to the public web alone, text as text, each address once."""

from __future__ import annotations

import json

from riskanalytics.pages.rows import link
from riskanalytics.pages.section import decode, encode, html_of
from riskanalytics.pages.values import Fold, Group, Heading, Level, Link, Paragraph, Quote, Row, Table, Text


def words(result: object) -> str:
    return html_of((Paragraph(result),)).removeprefix("<p>").removesuffix("</p>")  # type: ignore[arg-type]


def test_only_public_addresses_become_links() -> None:
    for url in (None, "javascript:alert(1)", "http://10.0.0.1/"):
        assert words(link("archive", url)) == "archive"
    assert words(Link("archive", "https://a.example/")).startswith("<a ")


def test_a_public_address_is_a_link_without_a_referrer() -> None:
    made = words(Link("archive", 'https://archive.example/a"b'))
    assert made == '<a href="https://archive.example/a&#34;b" rel="noreferrer noopener">archive</a>'


def test_a_long_text_is_cut_with_a_mark() -> None:
    assert words("x" * 1_000_000).endswith("more characters]")


def test_an_unknown_level_is_a_question_mark_with_its_word_as_hover_text() -> None:
    assert words(Level("HIGH")) == '<span class="level H">HIGH</span>'
    assert words(Level("SEVERE")) == '<span class="level U" title="SEVERE">?</span>'


def test_an_address_is_given_where_it_is_first_needed() -> None:
    html = html_of((Quote("a", anchor="finding-1"), Quote("b", anchor="finding-1")))
    assert html.count('id="finding-1"') == 1
    assert html.index("finding-1") < html.index(">b<")


def test_values_travel_as_json_and_come_back_as_they_were() -> None:
    parts = (
        Heading("A <b>"),
        Group(
            (Paragraph(("x", Text("y", "strong"), Level("LOW"))), Fold("more", (Paragraph("in"),), "keep")),
            "section",
            "S",
        ),
        Table((Row(("a", ("b", Link("c", "#d")))),), caption="T"),
    )
    assert decode(json.loads(json.dumps(encode(parts)))) == parts
