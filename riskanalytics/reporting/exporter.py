"""Convert an executed notebook to one self-contained page: `jupyter nbconvert --to riskreport`.

The page sends no requests: it contains plotly once, compressed (gzip, base64), for the browser to unpack
(DecompressionStream). A Content-Security-Policy before the first script lists the hash of each script. Code is hidden.
Figures have a description in words and a table of their numbers. Sections of this package are rendered from their structured
content (`pages.values`); HTML from other packages is sanitized; widgets are left out. The same notebook gives the same bytes.
"""

import base64
import contextlib
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from nbconvert.exporters.templateexporter import TemplateExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from plotly.offline import get_plotlyjs

from riskanalytics.files import write_file
from riskanalytics.frames.building import mapping_of
from riskanalytics.models import DISCLAIMER
from riskanalytics.pages.cells import addressed, cleaned, parts_of
from riskanalytics.pages.figures import canvas
from riskanalytics.pages.quoted import Quoted, packed
from riskanalytics.pages.rows import separated
from riskanalytics.pages.section import DETAILS, Figures, decode, encode, html_of, script_json
from riskanalytics.pages.svg.figure import Node
from riskanalytics.pages.values import FIGURE_TYPE, PAGE_TYPE, Figure, Foreign, Paragraph, Parts, Text, Words
from riskanalytics.settings import load_settings
from riskanalytics.text.untrusted import visible
from riskanalytics.text.wording import AMERICAN, plural
from riskanalytics.theme import DARK_OF, figure_template

_FOLDER: Final = Path(__file__).parent / "templates"
_SCRIPTS: Final = ("page.js", "tables.js", "evidence.js", "plots.js", "heatmap.js")


class RiskReportExporter(TemplateExporter):
    """nbconvert's exporter of pages: converts any executed notebook to a page.

    A figure without a description is described by its title.
    """

    export_from_notebook = "Risk report (one self-contained HTML file)"
    output_mimetype = "text/html"

    def _file_extension_default(self) -> str:
        """Return the file extension of pages."""
        return ".html"

    def _template_name_default(self) -> str:
        """Return the name of the page template."""
        return "riskreport"

    @property
    def extra_template_basedirs(self) -> list[str]:
        """Folder of the page template, wherever the package is installed."""
        return [str(_FOLDER)]

    def default_filters(self) -> Iterator[tuple[str, object]]:
        """Yield nbconvert's filters, then a filter that shows hidden characters and a filter that compresses text."""
        yield from super().default_filters()
        yield "visible", visible
        yield "packed", packed

    def from_notebook_node(
        self, nb: NotebookNode, resources: Mapping[str, object] | None = None, **options: object
    ) -> tuple[str, dict[str, Any]]:
        """Return the HTML page of a notebook, and nbconvert's resources with title, contents and quotes of the page.

        Parameters
        ----------
        nb : notebook node
            The executed notebook.
        resources : mapping, optional
            nbconvert's resources.

        Returns
        -------
        tuple of str and dict
            The HTML; and nbconvert's resources, in which `report` contains `title`, `name` (for the file name), `parts` (its
            structured content), `made` (the line on the page's origin), `charts` (number of charts), `toc` (table of contents),
            and `quotes` (the quotes of the page as JSON; empty without quotes).
        """
        report = _Page(nb).gathered()
        parts = {name: report.pop(name) for name in ("parts", "made")}
        # nbconvert copies its input several times; the template needs nothing of the cells
        body, gathered = super().from_notebook_node(new_notebook(), {**(resources or {}), "report": report}, **options)
        gathered["report"] = {**report, **parts}
        return body, gathered


INTRODUCTION: Final = "introduction"
"""Tag of a Markdown cell for readers of the notebook. The page omits this cell, because the page has a headline."""


class _Page:
    """Collects the parts of one page."""

    def __init__(self, nb: NotebookNode) -> None:
        self.nb = nb
        self.report: dict[str, object] = {}
        self.figures = Figures()
        self.quoted = Quoted()

    def gathered(self) -> dict[str, object]:
        """Return the input of the template and the PDF."""
        parts, toc = addressed(tuple(part for cell in self.nb.cells for part in self._cell(cell)))
        body = html_of(parts, figures=self.figures, quoted=self.quoted, cleaned=cleaned)
        title = str(self.report.get("title") or self.nb.metadata.get("title", "Report"))
        notebook, script = self.nb.metadata.get(DETAILS, {}), _script(*["decisions.js"] if self.quoted else [])
        made = _made(notebook, self.report, len(self.quoted))
        packed, plotly = _plotly() if self.figures.count else ("", "")
        facts = {"title": title} | {key: value for key, value in self.report.items() if key not in ("name", "data_end")}
        facts |= {key: notebook[key] for key in ("notebook", "sha256", "list", "origin") if key in notebook}
        return {
            **self.report,
            "parts": parts,
            "title": title,
            "description": str(self.report.get("description", title)),
            "charts": self.figures.count,
            "toc": toc,
            "body": body,
            "style": _asset("report.css"),
            "script": script,
            "plotly": packed,
            "policy": _policy(_digest(script), plotly),
            "disclaimer": DISCLAIMER,
            "made": made,
            "made_html": html_of((Paragraph(made),)),
            "facts": script_json(facts),
            "quotes": script_json(self.quoted.record()) if self.quoted else "",
        }

    def _cell(self, cell: NotebookNode) -> Parts:
        """Return the parts of one cell."""
        if INTRODUCTION in cell.metadata.get("tags", ()):
            return ()
        if cell.cell_type == "markdown":
            return parts_of(cell.source)
        return tuple(part for output in cell.get("outputs", ()) for part in self._output(output))

    def _output(self, output: NotebookNode) -> Parts:
        """Return one output; streams, errors and widgets are not shown to readers."""
        data = output.get("data", {})
        parts = decode(data[PAGE_TYPE]) if PAGE_TYPE in data else ()
        if FIGURE_TYPE in data:
            return (_plotted(parts, data[FIGURE_TYPE], str(data.get("text/plain", ""))),)
        if PAGE_TYPE in data:
            report = output.get("metadata", {}).get(DETAILS, {}).get("report", {})
            self.report = {**report, **self.report}  # the first section to state a fact counts
            return parts
        if not data or any("widget" in kind for kind in data):
            return ()
        return (Foreign(*(str(data.get(kind, "")) for kind in ("text/html", "text/plain", "image/png"))),)


def _plotted(parts: Parts, record: Mapping[str, object], text: str) -> Figure:
    """Return a figure with its plot; the title of a foreign figure becomes its caption."""
    layout = Node(record).part("layout")
    title = layout.part("title").text("text")
    own = next((part for part in parts if isinstance(part, Figure)), None)
    figure = own or Figure("chart", title.replace("<br>", " ") or "Chart", text)
    return replace(figure, plot={"data": record.get("data", []), "layout": _untitled(layout, 1 + title.count("<br>"))})


def _untitled(layout: Node, lines: int) -> dict[str, object]:
    """Return a figure's layout without its title and the space of the title, which the page shows."""
    room, margin = 8 + 20 * lines, layout.part("margin")
    kept = {name: part for name, part in layout.whole.items() if name != "title"}
    if margin.number("t") >= room + 8:
        kept["margin"] = {**margin.whole, "t": margin.number("t") - room}
        if height := layout.number("height"):
            kept["height"] = height - room
    return kept


def _made(facts: Mapping[str, object], report: Mapping[str, object], quotes: int) -> Words:
    """Return the line that names the origin of the page: notebook, data and number of quotes."""
    parts: list[Words] = [str(report["source"])] if report.get("source") else []
    parts += [f"Data as of {report['as_of']}"] if report.get("as_of") else []
    parts += [f"{plural(quotes, 'quote')} on this page"] if quotes else []
    parts += [f"{key} {value}" for key, value in mapping_of(report.get("provenance")).items()]
    if facts.get("notebook"):
        parts.append((f"notebook {facts['notebook']}, SHA-256 ", Text(str(facts.get("sha256", "")), "code")))
    return separated(parts)


def _asset(name: str) -> str:
    """Return a file of the page template."""
    return (_FOLDER / "riskreport" / name).read_text(encoding="utf-8")


@cache
def _script(*more: str) -> str:
    """Return the page's script, its parts joined: `_SCRIPTS`, and the files `more`."""
    lines = (line.strip() for name in (*_SCRIPTS, *more) for line in _asset(name).splitlines())
    parts = "\n".join(line for line in lines if line and not line.startswith("//"))
    values = {"__DARK__": DARK_OF, "__AMERICAN__": AMERICAN, "__TEMPLATE__": figure_template()}
    script = _asset("report.js").replace("__PARTS__", parts)
    for name, value in values.items():
        script = script.replace(name, json.dumps(value, sort_keys=True))
    return script


@cache
def prepare() -> None:
    """Load templates, schemas and the chart library into this process, so that processes forked from it need not load them."""
    _plotly()
    canvas("", height=0)
    output = new_output("display_data", data={PAGE_TYPE: encode((Paragraph(""),))})
    page_of(new_notebook(cells=[new_markdown_cell("## "), new_code_cell(outputs=[output])]))


_exporter = cache(RiskReportExporter)
"""Returns the exporter of this process, whose template is compiled once."""


def page_of(notebook: NotebookNode) -> tuple[str, dict[str, Any]]:
    """Return the HTML page of an executed notebook and nbconvert's resources, as `RiskReportExporter.from_notebook_node` does."""
    return _exporter().from_notebook_node(notebook)


@cache
def _plotly() -> tuple[str, str]:
    """Return the compressed chart library and its digest. They are cached on disk, because compressing is slow."""
    source = get_plotlyjs()
    kept = load_settings().cache / f"plotly-{hashlib.sha256(source.encode()).hexdigest()[:16]}.gz"
    if kept.is_file():
        packed = kept.read_bytes()
    else:
        packed = gzip.compress(source.encode(), compresslevel=9, mtime=0)
        with contextlib.suppress(OSError):
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(kept, packed)
    return base64.b64encode(packed).decode("ascii"), _digest(source)


def _digest(script: str) -> str:
    """Return the SHA-256 of a script in the form of a policy."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _policy(*digests: str) -> str:
    """Return the Content-Security-Policy that allows exactly these scripts (CSP level 3, hash sources)."""
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests if digest)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
