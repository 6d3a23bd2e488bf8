"""The PDF of a page: the same words as real text, tagged, with its charts drawn; nothing of the data is markup."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from riskanalytics.errors import ReportError
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.print import pdf_of
from riskanalytics.pages.section import DETAILS, encode
from riskanalytics.pages.values import (
    FIGURE_TYPE,
    PAGE_TYPE,
    Cell,
    Column,
    Command,
    Figure,
    Fold,
    Group,
    Heading,
    Level,
    Link,
    Listing,
    Matrix,
    MatrixRow,
    Paragraph,
    Quote,
    Row,
    Table,
    Text,
)
from riskanalytics.reporting import run_report
from riskanalytics.reporting.exporter import RiskReportExporter
from tests.reporting.notebooks_given import SHOWN, executed, written

pypdf = pytest.importorskip("pypdf", reason="needs pypdf: pip install -e '.[test]'")
pytest.importorskip("typst", reason="needs typst: pip install 'riskanalytics[pdf]'")

HEAD = (
    Heading("Risk of Aurelia", 1),
    Paragraph("3 platforms · data as of 2026-03-05", "meta"),
    Paragraph("Two rose.", "lead"),
    Paragraph("Informational only.", "note"),
)
HOSTILE = [
    '#panic("out") $x^2$ *bold* _it_ @ref <label> `raw` = Head // gone',
    "</script><script>alert(1)</script>",
    '"); #read("/etc/passwd") ("',
    "{{7*7}} %{x} ${y} \\u{41} \\",
    "= cmd|' /C calc'!A0",
]


def pdf_from(*outputs: dict[str, Any], markdown: str = "## First section") -> bytes:
    """The PDF of a notebook that shows these outputs."""
    notebook = executed({PAGE_TYPE: encode((Group(HEAD, "header"),))}, *outputs, markdown=markdown)
    notebook.cells.reverse()
    output = {"title": "Risk of Aurelia", "name": "aurelia", "as_of": "2026-03-05"}
    notebook.cells[0].outputs[0].metadata[DETAILS] = {"report": output}
    report = RiskReportExporter().from_notebook_node(notebook)[1]["report"]
    return pdf_of(report["parts"], report, page="aurelia.html", disclaimer=DISCLAIMER, made=report["made"])


def block(*parts: Any) -> dict[str, Any]:
    return {PAGE_TYPE: encode((Heading("Findings", 2), *parts))}


def chart(figure: dict[str, Any], name: str, title: str, words: str, table: Table) -> dict[str, Any]:
    return {FIGURE_TYPE: figure, PAGE_TYPE: encode((Figure(name, title, words, table),))}


def read(body: bytes) -> Any:
    return pypdf.PdfReader(io.BytesIO(body))


@cache
def spots_of(body: bytes) -> list[tuple[str, list[tuple[float, float, float]]]]:
    """The text of each page, and the place and size of each piece of it, in points."""
    pages = []
    for page in read(body).pages:
        spots: list[tuple[float, float, float]] = []

        def note(words: str, cm: list[float], tm: list[float], font: object, size: float) -> None:
            if words.strip():
                spots.append((tm[4] * cm[0] + cm[4], tm[5] * cm[3] + cm[5], size * abs(cm[3])))  # noqa: B023

        pages.append((page.extract_text(visitor_text=note), spots))
    return pages


def text(body: bytes) -> str:
    """All words, whatever white space parts them."""
    return " ".join(" ".join(said for said, _ in spots_of(body)).split())


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
    body = pdf_from(block(Heading("Part"), Paragraph("Words.")))
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
    shown = block(Paragraph("Words."))
    assert pdf_from(shown) == pdf_from(shown)


def test_quotes_keep_their_words_lines_and_source_and_changes_their_marks() -> None:
    words = ("We ", Text("never", "del"), " ", Text("may", "ins"), " share.\nAlways.")
    source = (Level("HIGH"), " ", Text("Terms · 2026-01-02 · verified", "cite"))
    body = pdf_from(block(Quote(words, source)))
    assert "We never may share." in text(body)
    assert "HIGH Terms · 2026-01-02 · verified" in text(body)
    assert "/BlockQuote" in kinds(body)


def test_parts_folded_on_screen_are_open_in_print_and_screen_tools_are_absent() -> None:
    matrix = Matrix(
        (("training_use", "Training use"),), (MatrixRow("a", "Aurelia", "HIGH", "verified", "H", "", (Cell("L"),)),), 25
    )
    body = text(
        pdf_from(
            block(
                Fold("2 more", (Paragraph("Inner words."),)), Fold("Kept", (Paragraph("Deep words."),), "keep"), matrix
            )
        )
    )
    for words in ("2 more", "Inner words.", "Kept", "Deep words.", "Aurelia", "Training use"):
        assert words in body
    assert "Group by" not in body
    assert "Show" not in body


def test_a_table_repeats_its_head_on_every_page_and_keeps_every_row() -> None:
    surfaces = tuple((f"surface-{n}", f"Surface {n}") for n in range(12))
    cells = (Cell("H", "1a"), Cell("L"), Cell("?"), *(Cell(),) * 9)
    rows = tuple(MatrixRow(f"p-{n}", f"Platform {n}", "HIGH", "verified", "H", "3", cells) for n in range(320))
    body = pdf_from(block(Matrix(surfaces, rows, 40)))
    pages = [page.extract_text() for page in read(body).pages]
    assert len(pages) < 9
    assert all(f"Platform {n}" in " ".join(pages) for n in range(320))
    assert {"/Table", "/TH", "/TD", "/THead"} <= kinds(body)


def test_a_hash_is_broken_rather_than_cut_and_its_letters_can_be_copied() -> None:
    digest = "31f2a6df2eff0a0ed2f2470c9f817457172e26071820f9904667c1de7700361c"
    cells = ("many words here " * 9, "other words here " * 9, Text(digest, "code"))
    body = pdf_from(block(Table((Row(cells),), named=False)))
    assert digest in re.sub(r"\s", "", text(body))
    page = read(body).pages[0]
    spots: list[float] = []
    page.extract_text(visitor_text=lambda words, cm, tm, font, size: spots.append(tm[4]) if words.strip() else None)
    assert max(spots) < float(page.mediabox.width) - 40


def test_links_lead_to_places_that_are_there_and_to_the_web_only() -> None:
    goals = {
        "inside": "#here", "lost": "#nowhere", "web": "https://a.example/x?y=1", "script": "javascript:alert(1)",
        "file": "file:///etc/passwd",
    }  # fmt: skip
    words = tuple(piece for name, to in goals.items() for piece in (Link(name, to), " "))
    twice = Quote("twice", anchor="here")
    body = pdf_from(block(Paragraph(words), Table((Row(("goal",), anchor="here"),)), twice))
    links = [note.get_object() for page in read(body).pages for note in page.get("/Annots", ())]
    addresses = [link["/A"].get("/URI") for link in links if "/A" in link and "/URI" in link["/A"]]
    assert addresses == ["https://a.example/x?y=1"]
    assert "inside lost web script file" in text(body)


def test_a_chart_is_drawn_with_its_words_as_text_and_its_numbers_below() -> None:
    figure = go.Figure(go.Bar(x=["HIGH", "LOW"], y=[2, 1], text=["two", "one"], textposition="outside"))
    table = Table((Row(("HIGH in the table",)),), (Column("level"),))
    body = pdf_from(chart(figure.to_plotly_json(), "mix", "How is it rated?", "Two HIGH, one LOW.", table))
    for words in ("How is it rated?", "Two HIGH, one LOW.", "two", "HIGH in the table"):
        assert words in text(body)
    alternatives = [str(element["/Alt"]) for element in tags(body) if "/Alt" in element]
    assert "How is it rated? Two HIGH, one LOW." in " ".join(alternatives)
    assert not any("/Subtype" in item and item["/Subtype"] == "/Image" for item in objects(body))


def test_a_long_table_of_a_chart_is_at_the_end_and_the_chart_links_to_it() -> None:
    table = Table(tuple(Row((str(n),)) for n in range(60)), (Column("n", "n"),), named=False)
    body = text(pdf_from(chart(go.Figure(go.Bar(x=[1], y=[1])).to_plotly_json(), "mix", "Many", "Sixty.", table)))
    assert "Its 60 rows of numbers are listed at the end" in body
    assert "Numbers behind the charts Many n 0 1 2" in body


def test_a_chart_that_is_not_drawn_says_so_and_keeps_its_words_and_numbers() -> None:
    table = Table((Row(("HIGH in the table",)),), (Column("level"),))
    pie = {"data": [{"type": "pie", "values": [1, 1]}], "layout": {}}
    body = text(pdf_from(chart(pie, "pie", "Shares", "Half and half.", table)))
    assert "This PDF does not draw the chart: the chart is of the type pie, but only" in body
    assert "Half and half." in body
    assert "HIGH in the table" in body


@pytest.mark.parametrize("words", HOSTILE)
def test_words_of_data_stay_plain_words_everywhere(words: str) -> None:
    table = Table((Row((words,), anchor=words),), (Column("words"),), caption=words)
    parts = (Heading(words), Paragraph(words), Quote(words), Listing((words,)), table, Command(words))
    body = pdf_from(block(*parts), markdown=f"## Section\n\n{words}")
    assert re.sub(r"\s", "", text(body)).count(re.sub(r"\s", "", words)) >= 5
    assert not any("/JS" in item or "/JavaScript" in item for item in objects(body))


def direct(*parts: Any, quotes: str = "") -> Any:
    """A PDF of some parts, as a reader opens it."""
    report = {"title": "Risk", "as_of": "2026-03-05", "description": "Two rose."}
    return read(pdf_of(parts, report, page="a.html", disclaimer=DISCLAIMER, made="Data abc", quotes=quotes))


def test_the_records_of_quotes_are_attached_unchanged_and_added_words_never_look_removed() -> None:
    with_quotes = direct(Quote(Text("gone", "del")), quotes='{"quotes": "é"}')
    assert dict(with_quotes.attachments.items()) == {"quotes.json": ['{"quotes": "é"}'.encode()]}
    assert (with_quotes.metadata.subject, with_quotes.metadata.author) == ("Two rose.", "riskanalytics")
    without = direct(Quote(Text("new", "ins")))
    assert not without.attachments
    undated = read(
        pdf_of((Listing(("one", "two"), ordered=True),), {"title": "T" * 300}, page="a", disclaimer="D", made="")
    )
    assert (undated.metadata.title, undated.metadata.creation_date) == ("T" * 200, None)
    assert "1. one\n2. two" in undated.pages[0].extract_text()
    assert "Made by" not in undated.pages[0].extract_text()
    colours = ["0.9647059 0.8745098 0.88235295", "0.8627451 0.9372549 0.8745098"]
    shown = [reader.pages[0].get_contents().get_data().decode("latin1") for reader in (with_quotes, without)]
    assert [[colour in page for colour in colours] for page in shown] == [[True, False], [False, True]]


def test_numbers_are_aligned_at_their_end_every_item_is_listed_and_later_pages_are_dated() -> None:
    table = Table((Row(("a", "7")), Row(("b", "7,000,000"))), (Column("A"), Column("Number", "n")))
    first, second = direct(Heading("Part", 2), Listing(tuple(f"item {n}" for n in range(100))), table).pages
    spots: dict[str, float] = {}
    first.extract_text(visitor_text=lambda words, cm, tm, font, size: spots.setdefault(words.strip(), cm[4] + tm[4]))
    assert spots["7,000,000"] + 20 < spots["7"]
    assert spots["a"] == spots["b"] == spots["A"]
    assert {f"item {n}" for n in range(100)} <= set(spots)
    assert "Data as of 2026-03-05" in second.extract_text()
    assert "Data as of" not in first.extract_text()
    assert "Made by riskanalytics: Data abc. The page a.html next to this PDF" in " ".join(
        second.extract_text().split()
    )
    assert "A bracket" not in second.extract_text()


def test_marks_that_no_reader_sees_are_shown_and_explained() -> None:
    body = text(pdf_from(block(Paragraph("paid\u202egnp \u4e2d"))))
    assert "paid[U+202E]gnp" in body
    assert "[U+4E2D]" in body
    assert "replaces characters that the fonts of this PDF lack" in body


def test_a_word_of_a_megabyte_still_gives_a_pdf() -> None:
    body = text(pdf_from(block(Paragraph("x" * 200_000), Paragraph("last"))))
    assert "196,000 more characters] last" in body


@pytest.mark.slow
def test_the_pdf_is_written_next_to_its_page_and_a_failure_leaves_both_unchanged(tmp_path: Path) -> None:
    path = written(tmp_path / "small.ipynb", SHOWN)
    output: list[str] = []
    page = run_report(path, {}, tmp_path / "out", pdf=True, progress=lambda phase, done, total: output.append(phase))
    first = page.with_suffix(".pdf").read_bytes()
    assert output[-1] == "writing the page and its PDF"
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
