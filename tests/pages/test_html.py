"""Values of a page as HTML: links to the public web alone, text as text, each address once."""

from __future__ import annotations

import json

import pytest

from riskanalytics.pages.encoding import decode, encode
from riskanalytics.pages.html import html_of
from riskanalytics.pages.rows import link
from riskanalytics.pages.values import Fold, Group, Heading, Level, Link, Paragraph, Quote, Row, Table, Text


def words(told: object) -> str:
    return html_of((Paragraph(told),)).removeprefix("<p>").removesuffix("</p>")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://169.254.169.254/", "http://localhost/x", None,
     "https://embedded.localhost/archive/1", "http://10.0.0.1/", "//a.example", "https://a.example\n.b", "http://[::1",
     "http://127.1/", "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://a.0x7f/", "http://127.0.0.1./", "http://foo.local./",
     "http://\uff11\uff12\uff17.0.0.1/", "http://127\u30020.0.1/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
     "http://[::127.0.0.1]/", "https://a.example\\.b.example/", "http://2130706433/", "http://%31%32%37.0.0.1/", "http://localhost./",
     "http://a.example../", "http://[2606:4700::1%25eth0]/"],
)  # fmt: skip
def test_only_public_addresses_become_links(url: str | None) -> None:
    assert words(link("archive", url)) == "archive"


@pytest.mark.parametrize(
    "url", ["https://a.example/", "https://A.example.:8080/x?y#z", "http://1.1.1.1/", "http://[2606:4700:4700::1111]/", "http://xn--bcher-kva.example/"]
)  # fmt: skip
def test_public_hosts_of_every_form_become_links(url: str) -> None:
    assert words(Link("archive", url)).startswith("<a ")


def test_a_public_address_is_a_link_without_a_trace_of_where_it_came_from() -> None:
    made = words(Link("archive", 'https://archive.example/a"b'))
    assert made == '<a href="https://archive.example/a&#34;b" rel="noreferrer noopener">archive</a>'


def test_a_long_text_is_cut_with_a_mark() -> None:
    assert words("x" * 1_000_000).endswith("more characters]")


def test_a_level_that_is_not_known_is_a_question_mark_that_tells_its_word() -> None:
    assert words(Level("HIGH")) == '<span class="level H">HIGH</span>'
    assert words(Level("SEVERE")) == '<span class="level U" title="SEVERE">?</span>'


def test_an_address_stands_where_it_is_first_needed() -> None:
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
