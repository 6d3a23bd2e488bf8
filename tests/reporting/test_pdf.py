"""The PDF of a page: the same words as real text, tagged, with its charts drawn; nothing of the data is markup."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from riskanalytics.errors import ReportError
from riskanalytics.reporting import run_report
from riskanalytics.reporting.display import BLOCK_TYPE, DETAILS, FIGURE_TYPE
from riskanalytics.reporting.exporter import RiskReportExporter
from riskanalytics.reporting.pdf import pdf_of
from tests.reporting.notebooks_given import SHOWN, executed, written

pypdf = pytest.importorskip("pypdf", reason="needs pypdf: pip install -e '.[test]'")
pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")

HEAD = (
    "<header><h1>Risk of Aurelia</h1><p class=meta>3 platforms · data as of 2026-03-05</p>"
    "<p class=lead>Two rose.</p><p class=note>Informational only.</p></header>"
)
HOSTILE = [
    '#panic("out") $x^2$ *bold* _it_ @ref <label> `raw` = Head // gone',
    "</script><script>alert(1)</script>",
    '"); #read("/etc/passwd") ("',
    "{{7*7}} %{x} ${y} \\u{41} \\",
    "= cmd|' /C calc'!A0",
]


def pdf_from(*outputs: dict[str, Any], markdown: str = "## First section", details: Any = None) -> bytes:
    """The PDF of a notebook that shows these outputs."""
    notebook = executed({BLOCK_TYPE: HEAD}, *outputs, markdown=markdown)
    notebook.cells.reverse()
    shown = notebook.cells[0].outputs
    shown[0].metadata[DETAILS] = {"report": {"title": "Risk of Aurelia", "name": "aurelia", "as_of": "2026-03-05"}}
    for output in shown[1:]:
        output.metadata[DETAILS] = details or {}
    shown[1:1] = []
    gathered = RiskReportExporter().from_notebook_node(notebook)[1]
    return pdf_of(gathered["report"], page="aurelia.html")


def block(html: str) -> dict[str, Any]:
    return {BLOCK_TYPE: f"<h2>Findings</h2>{html}"}


def read(body: bytes) -> Any:
    return pypdf.PdfReader(io.BytesIO(body))


def text(body: bytes) -> str:
    """All words, whatever white space parts them."""
    return " ".join(" ".join(page.extract_text() for page in read(body).pages).split())


def tags(body: bytes) -> Iterator[Any]:
    """Every element of the structure tree."""
    todo = [read(body).trailer["/Root"]["/StructTreeRoot"]]
    while todo:
        element = todo.pop().get_object()
        if isinstance(element, list):
            todo += list(element)
        elif isinstance(element, dict):
            yield element
            todo += [element["/K"]] if "/K" in element else []


def kinds(body: bytes) -> set[str]:
    return {str(element["/S"]) for element in tags(body) if "/S" in element}


def test_it_is_tagged_named_dated_and_has_an_outline() -> None:
    body = pdf_from(block("<h3>Part</h3><p>Words.</p>"))
    reader = read(body)
    root = reader.trailer["/Root"]
    assert (root["/Lang"], root["/MarkInfo"]["/Marked"]) == ("en-GB", True)
    assert "pdfuaid" in root["/Metadata"].get_object().get_data().decode()
    assert reader.metadata.title == "Risk of Aurelia"
    assert str(reader.metadata.creation_date).startswith("2026-03-05")
    titles = [entry if isinstance(entry, list) else entry.title for entry in reader.outline]
    assert titles[0] == "Findings"
    assert [entry.title for entry in titles[1]] == ["Part"]
    assert "Contents" in text(body)
    assert "1 of 1" in text(body)
    assert "Informational only, not legal advice" in text(body)
    assert "aurelia.html" in text(body)


def test_the_same_report_gives_the_same_bytes() -> None:
    shown = block("<p>Words.</p>")
    assert pdf_from(shown) == pdf_from(shown)


def test_quotes_keep_their_words_lines_and_source_and_changes_their_marks() -> None:
    body = pdf_from(
        block(
            "<blockquote>We <del>never</del> <ins>may</ins> share.\nAlways.</blockquote>"
            "<p><span class='level H'>HIGH</span> <cite>Terms · 2026-01-02 · <span class=ok>verified</span></cite></p>"
        )
    )
    assert "We never may share." in text(body)
    assert "HIGH Terms · 2026-01-02 · verified" in text(body)
    assert "/BlockQuote" in kinds(body)


def test_what_is_folded_on_the_screen_stands_open_and_tools_of_the_screen_are_gone() -> None:
    body = text(
        pdf_from(
            block(
                "<details><summary>2 more</summary><p>Inner words.</p></details>"
                "<details class=keep><summary>All 9 as a table</summary>"
                "<div class=tools><label>Search <input></label><button>Show</button></div><p>Deep words.</p></details>"
            )
        )
    )
    for words in ("2 more", "Inner words.", "All 9 as a table", "Deep words."):
        assert words in body
    assert "Search" not in body
    assert "Show" not in body


def test_a_table_repeats_its_head_on_every_page_and_keeps_every_row() -> None:
    rows = "".join(f"<tr><th scope=row>Platform {n}<td class=H>HIGH{'<td class=H>H<td>' * 6}" for n in range(320))
    heads = "".join(f"<th scope=col>Surface {n}</th>" for n in range(12))
    heads = f"<tr><th class=flat>Platform<th class=flat>Rating{heads}</tr>"
    table = f"<table class=matrix><caption>Levels</caption><thead>{heads}</thead><tbody>{rows}</tbody></table>"
    body = pdf_from(block(table))
    pages = [page.extract_text() for page in read(body).pages]
    assert len(pages) < 9
    assert all(f"Platform {n}" in " ".join(pages) for n in range(320))
    assert {"/Table", "/TH", "/TD", "/THead"} <= kinds(body)


def test_a_hash_is_broken_rather_than_cut_and_its_letters_can_be_copied() -> None:
    digest = "31f2a6df2eff0a0ed2f2470c9f817457172e26071820f9904667c1de7700361c"
    cells = f"<td>{'many words here ' * 9}</td><td>{'other words here ' * 9}</td><td><code>{digest}</code></td>"
    body = pdf_from(block(f"<table><tbody><tr>{cells}</tr></tbody></table>"))
    assert digest in re.sub(r"\s", "", text(body))
    page = read(body).pages[0]
    spots: list[float] = []
    page.extract_text(visitor_text=lambda words, cm, tm, font, size: spots.append(tm[4]) if words.strip() else None)
    assert max(spots) < float(page.mediabox.width) - 40


def test_links_lead_to_places_that_are_there_and_to_the_web_only() -> None:
    body = pdf_from(
        block(
            "<p><a href='#here'>inside</a> <a href='#nowhere'>lost</a> <a href='https://a.example/x?y=1'>web</a> "
            "<a href='javascript:alert(1)'>script</a> <a href='file:///etc/passwd'>file</a></p>"
            "<table><tbody><tr id=here><td>goal</td></tr></tbody></table><p id=here>twice</p>"
        )
    )
    links = [note.get_object() for page in read(body).pages for note in page.get("/Annots", ())]
    addresses = [link["/A"].get("/URI") for link in links if "/A" in link and "/URI" in link["/A"]]
    assert addresses == ["https://a.example/x?y=1"]
    assert "inside lost web script file" in text(body)


def test_a_chart_is_drawn_with_its_words_as_text_and_its_numbers_below() -> None:
    figure = go.Figure(go.Bar(x=["HIGH", "LOW"], y=[2, 1], text=["two", "one"], textposition="outside"))
    table = "<table><thead><tr><th>level</th></tr></thead><tbody><tr><td>HIGH in the table</td></tr></tbody></table>"
    told = {"chart": "mix", "title": "How is it rated?", "alternative": "Two HIGH, one LOW.", "table": table}
    body = pdf_from({FIGURE_TYPE: figure.to_plotly_json()}, details=told)
    for words in ("How is it rated?", "Two HIGH, one LOW.", "two", "HIGH in the table"):
        assert words in text(body)
    alternatives = [str(element["/Alt"]) for element in tags(body) if "/Alt" in element]
    assert "How is it rated? Two HIGH, one LOW." in " ".join(alternatives)
    assert not any("/Subtype" in item and item["/Subtype"] == "/Image" for item in objects(body))


def test_many_numbers_of_a_chart_stand_at_the_end_and_the_chart_leads_there() -> None:
    rows = "".join(f"<tr><td class=n>{n}</td></tr>" for n in range(60))
    told = {"chart": "mix", "title": "Many", "alternative": "Sixty.", "table": f"<table><tbody>{rows}</tbody></table>"}
    body = text(pdf_from({FIGURE_TYPE: go.Figure(go.Bar(x=[1], y=[1])).to_plotly_json()}, details=told))
    assert "Its 60 rows of numbers stand at the end" in body
    assert "Numbers behind the charts Many 0 1 2" in body


def test_a_chart_that_is_not_drawn_says_so_and_keeps_its_words_and_numbers() -> None:
    table = "<table><tbody><tr><td>HIGH in the table</td></tr></tbody></table>"
    told = {"chart": "pie", "title": "Shares", "alternative": "Half and half.", "table": table}
    body = text(pdf_from({FIGURE_TYPE: {"data": [{"type": "pie", "values": [1, 1]}], "layout": {}}}, details=told))
    assert "This PDF does not draw a chart of the kind pie; the page beside it does." in body
    assert "Half and half." in body
    assert "HIGH in the table" in body


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_data_are_words_wherever_they_stand(words: str) -> None:
    shown = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    body = pdf_from(
        block(f"<h3>{shown}</h3><p>{shown}</p><blockquote>{shown}</blockquote><ul><li>{shown}</li></ul>"
              f"<table><caption>{shown}</caption><tbody><tr id=\"{shown}\"><td>{shown}</td></tr></tbody></table>"
              f"<pre><code>{shown}</code></pre>"),
        markdown=f"## Section\n\n{words}",
    )  # fmt: skip
    assert re.sub(r"\s", "", text(body)).count(re.sub(r"\s", "", words)) >= 5
    assert not any("/JS" in item or "/JavaScript" in item for item in objects(body))


def test_marks_that_no_reader_sees_are_shown_and_explained() -> None:
    body = text(pdf_from(block("<p>paid\u202egnp \u4e2d</p>")))
    assert "paid[U+202E]gnp" in body
    assert "[U+4E2D]" in body
    assert "stands for characters that the fonts of this PDF do not draw" in body


def test_a_word_of_a_megabyte_and_broken_html_still_give_a_pdf() -> None:
    body = pdf_from(block(f"<p>{'x' * 200_000}</p><div><table><tr><td>open<td>ends</table></b></div><p>last"))
    assert "196,000 more characters] open ends last" in text(body)


def test_beside_the_page_stands_the_pdf_and_a_failure_leaves_both_as_they_were(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", SHOWN)
    told: list[str] = []
    page = run_report(path, {}, tmp_path / "out", pdf=True, progress=lambda phase, done, total: told.append(phase))
    first = page.with_suffix(".pdf").read_bytes()
    assert told[-1] == "writing the page and its PDF"
    assert "How is Aurelia rated?" in text(first)
    assert str(tmp_path).encode() not in first
    run_report(path, {}, tmp_path / "out", pdf=True)
    assert page.with_suffix(".pdf").read_bytes() == first
    page.with_suffix(".pdf").unlink()
    page.with_suffix(".pdf").mkdir()
    before = page.read_bytes()
    with pytest.raises(ReportError, match=r"small\.pdf .*cannot be written"):
        run_report(path, {"name": "Lumen"}, tmp_path / "out", pdf=True)
    assert page.read_bytes() == before
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "feed.json",
        "index.html",
        "small.html",
        "small.pdf",
    ]


def test_without_typst_one_line_says_what_to_install_before_anything_runs(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    path = written(tmp_path / "small.ipynb", f"open({str(ran)!r}, 'w')")
    program = (
        "import sys; sys.modules['typst'] = None\n"
        f"sys.argv = ['riskanalytics', 'report', {str(path)!r}, '--pdf', '--out', {str(tmp_path / 'out')!r}]\n"
        "from riskanalytics.cli import main\nmain()"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert 'PDF needs typst: pip install "riskanalytics[pdf]"' in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not ran.exists()
    assert not (tmp_path / "out").exists()


def objects(body: bytes) -> Iterator[Any]:
    """Every dictionary of a PDF."""
    reader = read(body)
    for number in range(1, int(reader.trailer["/Size"])):
        item = reader.get_object(pypdf.generic.IndirectObject(number, 0, reader))
        if isinstance(item, dict):
            yield item
