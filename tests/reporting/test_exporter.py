"""The page of an executed notebook: every chart, no foreign markup, no scripts but ours."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re

import plotly.graph_objects as go
import pytest
from nbconvert.exporters import get_exporter
from nbformat.v4 import new_markdown_cell, new_output

from riskanalytics.errors import ReportError
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.print import plain
from riskanalytics.pages.section import DETAILS, encode
from riskanalytics.pages.values import FIGURE_TYPE, PAGE_TYPE, Column, Evidence, Heading, Paragraph, Quote, Row, Table
from riskanalytics.reporting.exporter import RiskReportExporter, _made
from riskanalytics.reporting.placing import facts_in
from tests.reporting.notebooks_given import executed

FIGURE = {FIGURE_TYPE: go.Figure(go.Bar(x=["</script><script>alert(1)</script>"], y=[1])).to_plotly_json()}
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(2)><a href='javascript:alert(3)'>x</a><iframe src=//a.example>"
)


def page_of(*outputs: dict[str, object], markdown: str = "## First section") -> str:
    return str(RiskReportExporter().from_notebook_node(executed(*outputs, markdown=markdown))[0])


def test_it_is_found_by_its_name() -> None:
    assert get_exporter("riskreport") is RiskReportExporter


def test_every_figure_is_declared_with_words_and_data() -> None:
    page, gathered = RiskReportExporter().from_notebook_node(executed(FIGURE, FIGURE, FIGURE))
    assert gathered["report"]["charts"] == 3
    assert page.count("<figure data-chart=") == page.count('class="plot-data"') == page.count("<figcaption>") == 3
    assert page.count('id="plotly"') == 1


def test_a_page_without_a_chart_carries_no_chart_library() -> None:
    assert len(page_of({"text/plain": "quiet"})) < 40_000


def test_the_content_security_policy_precedes_scripts_and_lists_their_hashes() -> None:
    page = page_of(FIGURE)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy.start() < page.index("<script")
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy[1]
    for directive in ("default-src 'none'", "connect-src 'none'", "form-action 'none'", "base-uri 'none'"):
        assert directive in policy[1]
    assert "unsafe-eval" not in policy[1]
    (plotly,) = set(re.findall("'sha256-[^']+'", policy[1])) - {f"'sha256-{digest}'"}
    packed = re.search('id="plotly">([^<]+)', page)
    assert packed is not None
    source = gzip.decompress(base64.b64decode(packed[1]))
    assert plotly == f"'sha256-{base64.b64encode(hashlib.sha256(source).digest()).decode()}'"
    assert '<meta name="referrer" content="no-referrer">' in page
    assert DISCLAIMER in page.partition("<footer>")[2]
    assert '<html lang="en">' in page


def test_only_a_page_with_quotes_carries_the_script_for_decisions() -> None:
    evidence = Evidence("We keep it.", "ab" * 32, 0, 11, slug="vellumo", document="Terms")
    quoted = {PAGE_TYPE: encode((Quote("We keep it.", "Terms", evidence=evidence),))}
    assert "function decidable(" in page_of(quoted)
    assert "function decidable(" not in page_of({"text/plain": "quiet"})


def test_a_page_contains_only_our_scripts() -> None:
    outputs = [{"text/html": HOSTILE}, {"text/plain": HOSTILE}, FIGURE]
    page = page_of(
        *outputs, markdown=f"## Section\n\n{HOSTILE}\n\n[x](javascript:alert(4)) ![y](https://a.example/y.png)"
    )
    assert len(re.findall(r"<script[ >]", page)) == 4
    assert not re.search(r"<(?:img|iframe|a)[^>]*(?:onerror|javascript:|a\.example)", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


def test_the_introduction_of_a_notebook_is_left_off_its_page() -> None:
    notebook = executed(FIGURE)
    notebook.cells.insert(0, new_markdown_cell("# Only for the notebook", metadata={"tags": ["introduction"]}))
    assert "Only for the notebook" not in str(RiskReportExporter().from_notebook_node(notebook)[0])


def test_code_streams_errors_and_widgets_are_not_shown() -> None:
    notebook = executed({"application/vnd.jupyter.widget-view+json": {"model_id": "x"}, "text/plain": "Button()"})
    notebook.cells[1].outputs.append(new_output("stream", name="stderr", text="FutureWarning: soon"))
    page = str(RiskReportExporter().from_notebook_node(notebook)[0])
    assert "secret_code" not in page
    assert "FutureWarning" not in page
    assert "Button()" not in page


def test_headings_get_unique_anchors_and_the_contents_link_to_them() -> None:
    heading = {PAGE_TYPE: encode((Heading("Risk & rights", 2),)), "text/html": "no"}
    page = page_of(heading, markdown="## Twice\n\n## Twice")
    assert '<li><a href="#risk-rights">Risk &amp; rights</a></li>' in page
    for anchor in ("twice", "twice-2", "risk-rights"):
        assert f'<h2 id="{anchor}">' in page
        assert f'<a href="#{anchor}">' in page


@pytest.mark.parametrize("words", ["Plotly", "Content", "Chart 1", "Report facts", "Mix table"])
def test_a_heading_does_not_take_an_anchor_in_use(words: str) -> None:
    table = Table((Row(("1",)),), (Column("a"),), anchor="mix-table")
    page = page_of(FIGURE, {PAGE_TYPE: encode((table,))}, markdown=f"## {words}")
    anchors = re.findall(r'\sid="?([^"\s>]+)', page)
    assert len(anchors) == len(set(anchors))
    assert f'<a href="#{words.lower().replace(" ", "-")}-2">' in page


def test_a_pandas_table_is_shown_without_its_style() -> None:
    page = page_of({"text/html": "<style scoped>.dataframe {color: red}</style><table><tr><td>kept</td></tr></table>"})
    assert "kept" in page
    assert "color: red" not in page


def test_our_own_outputs_are_values_and_their_text_is_escaped() -> None:
    page = page_of({PAGE_TYPE: encode((Paragraph(HOSTILE), Paragraph("styled", 'x" onclick="alert(5)')))})
    assert "&lt;script&gt;alert(1)" in page
    assert 'class="x&#34; onclick=&#34;alert(5)"' in page
    assert "<img" not in page


@pytest.mark.parametrize("result", ["<p>markup</p>", [{"kind": "script"}], [{"kind": "paragraph"}], {"kind": 3}, None])
def test_an_invalid_output_of_our_media_type_is_a_one_line_error(result: object) -> None:
    with pytest.raises(ReportError, match="cannot be read: run the notebook again"):
        page_of({PAGE_TYPE: result})


def test_the_first_section_to_state_a_fact_counts_and_the_foot_names_the_origin() -> None:
    sections = [new_output("display_data", {PAGE_TYPE: encode((Paragraph(text),))}, metadata={DETAILS: {"report": report}})
                for text, report in (("a", {"title": "First", "description": "Words", "as_of": "2026-07-31", "data_end": "d"}),
                                     ("b", {"title": "Second", "source": "Demo", "provenance": {"data": "ab12"}}))]  # fmt: skip
    notebook = executed()
    notebook.cells[1].outputs = sections
    notebook.metadata[DETAILS] = {"notebook": "small", "sha256": "cd34", "origin": "1 demo", "other": 1}
    notebook.metadata.title = "Of the notebook"
    page, gathered = RiskReportExporter().from_notebook_node(notebook)
    report = gathered["report"]
    assert plain(report["made"]) == "Demo · Data as of 2026-07-31 · data ab12 · notebook small, SHA-256 cd34"
    assert plain(report["made"]) in re.sub("<[^>]+>", "", page.partition("<footer>")[2])
    assert facts_in(page) == {
        "title": "First", "description": "Words", "as_of": "2026-07-31", "source": "Demo", "provenance": {"data": "ab12"},
        "notebook": "small", "sha256": "cd34", "origin": "1 demo",
    }  # fmt: skip
    assert [part.words for part in report["parts"][1:]] == ["a", "b"]
    assert '<meta name="description" content="Words">' in page
    assert "<title>First</title>" in page
    notebook.cells[1].outputs = []
    page = str(RiskReportExporter().from_notebook_node(notebook)[0])
    assert "<title>Of the notebook</title>" in page
    assert '<meta name="description" content="Of the notebook">' in page
    del notebook.metadata["title"]
    assert "<title>Report</title>" in str(RiskReportExporter().from_notebook_node(notebook)[0])


@pytest.mark.parametrize(("count", "said"), [(0, ""), (1, "1 quote on this page"), (1200, "1,200 quotes on this page")])
def test_the_foot_counts_the_quotes_of_the_page(count: int, said: str) -> None:
    assert plain(_made({}, {"source": "Demo"}, count)) == " · ".join(filter(None, ["Demo", said]))


def test_a_foreign_figure_has_its_title_above_it_and_loses_its_place() -> None:
    layout = {"title": {"text": "One<br>two"}, "height": 400, "margin": {"t": 60, "l": 8}, "width": 300}
    data = {FIGURE_TYPE: {"data": [], "layout": layout}, "text/plain": "words"}
    (_, figure) = RiskReportExporter().from_notebook_node(executed(data))[1]["report"]["parts"]
    assert (figure.title, figure.words) == ("One two", "words")
    assert figure.plot["layout"] == {"height": 352, "margin": {"t": 12, "l": 8}, "width": 300}
    (_, low) = RiskReportExporter().from_notebook_node(
        executed({FIGURE_TYPE: {"layout": {"height": 400, "margin": {"t": 35}}}})
    )[1]["report"]["parts"]
    assert (low.title, low.plot["layout"]) == ("Chart", {"height": 400, "margin": {"t": 35}})


def test_the_same_notebook_gives_the_same_bytes() -> None:
    assert page_of(FIGURE) == page_of(FIGURE)
