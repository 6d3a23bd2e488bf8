"""Values of a page as HTML: links to the public web alone, text as text, each address once."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from riskanalytics.errors import ReportError
from riskanalytics.pages.rows import link
from riskanalytics.pages.section import decode, encode, html_of
from riskanalytics.pages.values import (
    BREAK,
    PAGE_TYPE,
    Cell,
    Choice,
    Column,
    Command,
    Figure,
    Fold,
    Foreign,
    Group,
    Heading,
    Level,
    Link,
    Listing,
    Matrix,
    MatrixRow,
    Pair,
    Paragraph,
    Quote,
    Row,
    Table,
    Text,
)


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


@pytest.mark.parametrize(
    "value",
    [
        None,
        "a",
        [{"kind": "odd"}],
        [{"kind": "paragraph", "words": 3}],
        [{"words": "a"}],
        [{"kind": "heading", "level": 2}],
    ],
)
def test_a_value_that_is_no_part_of_a_page_is_refused_with_what_to_do(value: object) -> None:
    with pytest.raises(
        ReportError, match=f"^an output of media type {re.escape(PAGE_TYPE)} cannot be read: run the notebook again$"
    ):
        decode(value)


def test_each_style_of_words_has_its_element() -> None:
    styles = (
        "strong", "code", "name", "mark", "ins", "del", "quote", "cite", "em", "day", "withdrawn", "up", "down",
        "mixed", "sign", "thin",
    )  # fmt: skip
    assert words(tuple(Text("a", style) for style in styles)) == (
        "<strong>a</strong><code>a</code><bdi>a</bdi><mark>a</mark><ins>a</ins><del>a</del><q>a</q><cite>a</cite><i>a</i>"
        '<time>a</time><s>a</s><span class="dir up">a</span><span class="dir down">a</span><span class="dir mixed">a</span>'
        '<span aria-hidden="true">a</span><span class="thin">a</span>'
    )
    assert words(("a", BREAK, Text("b", anchor="b"), Text(Text("c", "em"), ""), Level("MED", short=True))) == (
        'a<br><span id="b">b</span><i>c</i><span class="level M">M</span>'
    )
    apart = '<a href="https://a.example/" rel="noreferrer noopener" target=_blank>a</a>'
    assert words((Link("a", "https://a.example/", apart=True), Link("b", "http://a.example/b"))) == (
        f'{apart}<a href="http://a.example/b" rel="noreferrer noopener">b</a>'
    )


def test_each_kind_of_block_has_its_element() -> None:
    shown = {
        Fold("s", (Paragraph("a"),), "keep", open=True, anchor="f"):
            '<details class="keep" id="f" open><summary>s</summary><p>a</p></details>',
        Fold("s", ()): "<details><summary>s</summary></details>",
        Listing(("a", "b"), ordered=True): "<ol><li>a</li><li>b</li></ol>", Listing(("a",)): "<ul><li>a</li></ul>",
        Pair((Group((Paragraph("a"),), anchor="g"), Group(())), "columns"):
            '<div class="pair columns"><div id="g"><p>a</p></div><div></div></div>',
        Group((), "section", "S", "s"): '<section aria-label="S" id="s"></section>', Group((), "header"): "<header></header>",
        Group((), "article"): "<article></article>", Group((), "article full"): "<article class=full></article>",
        Group((), "row", anchor="r"): '<div class="row" id="r"></div>', Heading("h", 2, "h"): '<h2 id="h">h</h2>',
        Paragraph("a", "alarm"): '<p class="alarm">a</p>', Paragraph(""): "", Command("<a>"): "<pre><code>&lt;a&gt;</code></pre>",
        Foreign("<b>x</b>", "<t>"): "<pre>&lt;t&gt;</pre>", Table(()): "",
        Foreign(text="t", png="a\nb"): '<p class="full"><img src="data:image/png;base64,ab" alt="t"></p>',
        Quote("q", "s", "f", "del"): '<blockquote class="del" id="f">q</blockquote><p>s</p>',
    }  # fmt: skip
    assert {part: html_of((part,)) for part in shown} == shown


def test_a_table_has_its_filter_its_row_headings_and_the_number_of_rows_left_out() -> None:
    rows = Row(("a", "1", Text("c", "code")), "first", "slug<", "v"), Row(("b",))
    columns = Column("A"), Column("N", "n whole"), Column("", "roomy")
    choice = Choice("Kind", (("v", "One"), ("w", "Two")), 1)
    html = html_of((Table(rows, columns, "cap", "sortable", anchor="t", choice=choice, left_out=1200),))
    assert html == (
        '<div class=tools data-for="t" data-first=1 hidden><label>Platform <input type=search></label><label>Kind <select><option '
        'value=\'\'>all</option><option value="v">One</option><option value="w">Two</option></select></label><button type=button>'
        'Show all 2</button><output></output></div><div class=wide tabindex=0 role=region aria-label="cap"><table class="sortable" '
        'id="t"><caption>cap</caption><thead><tr><th scope=col>A</th><th scope=col class="n">N</th><td></td></tr></thead><tbody>'
        '<tr id="first" data-s="slug&lt;" data-v="v"><th scope=row>a<td class="n whole">1<td class="roomy"><code>c</code>\n'
        "<tr><th scope=row>b\n</tbody></table></div><p class=note>1,200 more rows are not shown.</p>"
    )
    bare = html_of((Table(rows[1:], named=False, choice=Choice("K", (), 1), left_out=0),))
    assert bare.endswith("<div class=wide><table><tbody><tr><td>b\n</tbody></table></div>")
    assert "Show all" not in bare
    assert html_of((Table(rows, left_out=1),)).endswith("<p class=note>1 more row is not shown.</p>")


def test_a_matrix_keeps_what_its_search_filter_and_links_need() -> None:
    rows = (
        MatrixRow("opal", "Opal", "MED", "verified", "M", "1,3", (Cell("H", "2a"), Cell("?", hint="to read"), Cell()), linked=True),
        MatrixRow("q<", "Q<", "", "stale", "?", "", (Cell("L", "1a"), Cell(), Cell("–"))),
        *(MatrixRow(slug, slug.upper(), "HIGH", "stale", "H", "", (Cell(),) * 3) for slug in "rs"),
    )  # fmt: skip
    surfaces = ("training_use", "Training"), ("ads", "Ads"), ("other", "Other")
    tools, _, table = html_of((Matrix(surfaces, rows, 2, "2026-07-31"),)).partition("<details class=keep>")
    options = [re.findall("<option[^>]*>.*?(?=<|$)", select) for select in re.findall("<select.*?</select>", tools)]
    assert options == [
        ["<option value=''>all", "<option>HIGH", "<option>MED"],
        ["<option value=''>any", "<option value=3>Training", "<option value=4>Ads", "<option value=5>Other"],
        ["<option value=all>any", "<option value='H'>high", "<option value='M'>medium", "<option value='L'>low",
         "<option value='?'>clauses to read", "<option value='–'>not read", "<option value=''>no clause found"],
        ["<option value=''>all", "<option>stale", "<option>verified"],
        ["<option value=''>nothing", "<option value=1>rating", "<option value=2>evidence"],
    ]  # fmt: skip
    selects = ["data-column=1", "class=surface", "class=level", "data-column=2", "class=group"]
    assert re.findall("<select (.*?)>", tools) == selects
    assert tools.startswith("<div class=tools data-for=risk-matrix data-first=2 data-chart=risk_matrix hidden>")
    assert tools.endswith("<button type=button>Show all 4</button><output></output></div>\n")
    assert "Show all" not in html_of((Matrix(surfaces, rows, 4),))
    assert table.startswith("<summary>All 4 platforms as a table</summary>")
    assert (
        'id=risk-matrix data-day="2026-07-31"><caption>H high, M medium, L low, ? clauses to read, – not read, blank: '
        in table
    )
    assert table.partition("<tbody>")[2].splitlines()[:3] == [
        '<tr data-s="opal" data-d="1,3" data-c="2a,,"><th scope=row><a href="#platform-opal">Opal</a><td class=M>MED<td>verified'
        '<td><a class=H href="#opal-training_use">H</a><td class=U title="to read">?<td>',
        '<tr data-s="q&lt;" data-d="" data-c="1a,,"><th scope=row>Q&lt;<td class=U>?<td>stale<td class=L>L<td><td class=U>–',
        '<tr data-s="r" data-d="" data-c=",,"><th scope=row>R<td class=H>HIGH<td>stale<td><td><td>',
    ]


def test_a_figure_has_its_words_and_numbers_and_only_one_with_many_columns_scrolls() -> None:
    numbers = Table((Row(("1",)),), (Column("n"),), left_out=1200)
    plots = [
        {"data": [{"type": kind, "x": list(range(size))}]}
        for kind, size in (("heatmap", 8), ("heatmap", 9), ("bar", 9))
    ]
    html = [html_of((Figure("Mix", "A <b>", "In words.", numbers, plot),)) for plot in plots]
    assert ['class="wide many"' in one for one in html] == [False, True, False]
    assert all('<p class="title" id="chart-1-title">A &lt;b&gt;</p>' in one for one in html)
    assert all(
        "<figcaption><p>In words.</p><details><summary>Numbers behind this chart</summary>" in one for one in html
    )
    assert 'style="min-height:420px"' in html[0]
    assert "<details>" not in html_of((Figure("Mix", "A", "B"),))


def test_no_place_of_a_page_lets_a_hidden_character_or_markup_through() -> None:
    bad = "<i>&\u202e"
    table = Table(
        (Row((bad, (bad, Text(bad, "code"))), bad, bad, bad),),
        (Column(bad),),
        bad,
        choice=Choice(bad, ((bad, bad),), 0),
    )
    matrix = Matrix(((bad, bad),), (MatrixRow(bad, bad, bad, bad, "?", "", (Cell("H", "1", bad),), linked=True),), 1)
    inner = Text(
        (
            bad,
            Text(bad, "strong"),
            Text(bad, "thin"),
            Text(bad, anchor=bad),
            Level(bad),
            Link(bad, f"#{bad}"),
            Link(bad, bad),
        )
    )
    parts = (
        table, replace(table, named=False, anchor=bad, choice=None), Paragraph(inner),
        matrix, replace(matrix, rows=(replace(matrix.rows[0], linked=False),)),
        Quote(bad, bad, bad), Heading(bad), Fold(bad, (Paragraph(bad),), anchor=bad), Group((), "section", bad, bad),
        Pair((Group((), anchor=bad),)), Listing((bad, inner)), Command(bad), Foreign(text=bad), Foreign(text=bad, png="a"),
        Figure("mix", bad, bad, table), Figure("many", bad, "", plot={"data": [{"type": "heatmap", "x": [1] * 9}]}),
    )  # fmt: skip
    for part in parts:
        html = html_of((part,))
        assert "[U+202E]" in html
        assert "\u202e" not in html
        assert "<i>" not in html
