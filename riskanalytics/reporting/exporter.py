"""An executed notebook -> one self-contained page: `jupyter nbconvert --to riskreport`.

No outside request: plotly is packed once into the page (gzip, base64) and unpacked by the browser
(DecompressionStream). A Content-Security-Policy stands before the first script and names each script by its
hash. Code is hidden; figures keep their words and their table; HTML is taken from our own blocks, any other
is cleaned; widgets are left out. The same notebook gives the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any, Final

import bleach
from markdown_it import MarkdownIt
from nbconvert.exporters.templateexporter import TemplateExporter
from plotly.offline import get_plotlyjs

from riskanalytics.models import DISCLAIMER
from riskanalytics.reporting.display import BLOCK_TYPE, DETAILS, FIGURE_TYPE
from riskanalytics.reporting.escaping import escaped
from riskanalytics.theme import DARK_OF

FACTS_ID: Final = "report-facts"
"""Address of what a page tells machines about itself."""

_FOLDER: Final = "templates"
_HEADING: Final = re.compile(r"<h([2])((?:\s(?!id=)[^>]*)?)>(.*?)</h\1>", re.DOTALL)
_FINDING_ID: Final = re.compile(r" id=(finding-[A-Za-z0-9-]+)(?=>)")
_SCRIPTS: Final = ("page.js", "tables.js", "evidence.js", "plots.js", "heatmap.js")
_MANY_COLUMNS: Final = 9
_UNSHOWN: Final = re.compile(r"<(style|script)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_ADDRESS: Final = re.compile(r"\sid=\"?([^\"\s>]+)")
_TAG: Final = re.compile(r"<[^>]*>")
_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9+/=]")
_NOT_IN_IDS: Final = re.compile(r"[^a-z0-9]+")
_TAGS: Final = frozenset({
    "table", "thead", "tbody", "tr", "th", "td", "caption", "p", "ul", "ol", "li", "strong", "em", "code", "pre",
    "h2", "h3", "h4", "blockquote", "br", "hr", "div", "span",
})  # fmt: skip
_UNSAFE_IN_SCRIPTS: Final = re.compile(
    "[<>&\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c\ud800-\udfff\U000e0000-\U000e007f]"
)


class RiskReportExporter(TemplateExporter):
    """Writes the page of a report.

    Works on any executed notebook; figures that were shown without words get their title as words.
    """

    export_from_notebook = "Risk report (one self-contained HTML file)"
    output_mimetype = "text/html"

    def _file_extension_default(self) -> str:
        """Return the ending of pages."""
        return ".html"

    def _template_name_default(self) -> str:
        """Return the name of our template."""
        return "riskreport"

    @property
    def extra_template_basedirs(self) -> list[str]:
        """Folder that our template stands in, wherever the package is installed."""
        return [str(Path(__file__).parent / _FOLDER)]

    def from_notebook_node(self, nb: Any, resources: Any = None, **options: Any) -> tuple[str, dict[str, Any]]:
        """Return the page and what was gathered on the way.

        Parameters
        ----------
        nb : notebook node
            Executed.
        resources : mapping, optional
            nbconvert's.

        Returns
        -------
        tuple of str and dict
            The HTML; the resources with `report`: `title`, `name`, `charts` (number declared), `toc`.
        """
        gathered = dict(resources or {})
        gathered["report"] = _Page(nb).gathered()
        return super().from_notebook_node(nb, gathered, **options)


class _Page:
    """Gathers the pieces of one page."""

    def __init__(self, nb: Any) -> None:
        self.nb = nb
        self.charts = 0
        self.report: dict[str, Any] = {}
        self.toc: list[tuple[int, str, str]] = []
        self.named: dict[str, int] = {}
        self.addresses: set[str] = set()
        self.markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        self.markdown.add_render_rule("image", _image_words)

    def gathered(self) -> dict[str, Any]:
        """Return what the template fills in."""
        body = "\n".join(piece for cell in self.nb.cells for piece in self._cell(cell))
        self.addresses = {"content", "plotly", FACTS_ID, *_ADDRESS.findall(body)}
        body = _first_addresses(_HEADING.sub(self._heading, body))
        title = self.report.get("title") or str(self.nb.metadata.get("title", "Report"))
        script = _script()
        packed, plotly = _plotly() if self.charts else ("", "")
        return {
            **self.report,
            "title": escaped(title),
            "description": escaped(str(self.report.get("description", title))),
            "charts": self.charts,
            "toc": self.toc,
            "body": body,
            "style": _asset("report.css"),
            "script": script,
            "plotly": packed,
            "policy": _policy(script, plotly),
            "disclaimer": escape(DISCLAIMER),
            "made": _made(self.nb.metadata.get(DETAILS, {}), self.report),
            "facts": self._facts(title),
        }

    def _facts(self, title: str) -> str:
        """Return what the page tells machines about itself, in its head."""
        told = {"title": title} | {key: value for key, value in self.report.items() if key != "name"}
        notebook = self.nb.metadata.get(DETAILS, {})
        return _json({**told, **{key: notebook[key] for key in ("notebook", "sha256") if key in notebook}})

    def _cell(self, cell: Any) -> list[str]:
        """Return the pieces of one cell."""
        if cell.cell_type == "markdown":
            return [self.markdown.render(cell.source)]
        return [self._output(output) for output in cell.get("outputs", ())]

    def _output(self, output: Any) -> str:
        """Return one output; streams and errors of a finished notebook are not for readers."""
        if output.output_type not in ("display_data", "execute_result"):
            return ""
        data = output.data
        details = output.get("metadata", {}).get(DETAILS, {})
        if FIGURE_TYPE in data:
            return self._figure(data[FIGURE_TYPE], details, str(data.get("text/plain", "")))
        if BLOCK_TYPE in data:
            self.report = {**dict(details.get("report", {})), **self.report}  # what the first block says stands
            return str(data[BLOCK_TYPE])
        return _stock(data)

    def _figure(self, record: Any, details: Any, text: str) -> str:
        """Return one figure: its title and place, its words, its table and its data."""
        self.charts += 1
        key = f"chart-{self.charts}"
        layout = dict(record.get("layout") or {})
        title = _plain(str(details.get("title") or details.get("chart") or key).replace("<br>", " "))
        if details.get("title"):
            layout = _untitled(layout)
        kept = {"data": record.get("data", []), "layout": layout}
        table = str(details.get("table", ""))
        numbers = f"<details><summary>Numbers behind this chart</summary>{table}</details>" if table else ""
        words = str(details.get("alternative") or text)
        chart = escape(str(details.get("chart") or key))
        return (
            f'<figure data-chart="{chart}" id="figure-{self._own(chart)}" aria-labelledby="{key}-title">'
            f'<p class="title" id="{key}-title">{escaped(title)}</p>'
            f"{_place(key, title, kept)}"
            f'<script type="application/json" class="plot-data" data-for="{key}">{_json(kept)}</script>'
            f"<figcaption><p>{escaped(words)}</p>{numbers}</figcaption></figure>"
        )

    def _own(self, chart: str) -> str:
        """Return an address for a figure that no other has."""
        stem = _NOT_IN_IDS.sub("-", chart.lower()).strip("-")
        self.named[stem] = self.named.get(stem, 0) + 1
        return stem if self.named[stem] == 1 else f"{stem}-{self.named[stem]}"

    def _heading(self, match: re.Match[str]) -> str:
        """Give a heading an address of its own, and the table of contents its line."""
        level, inner = int(match[1]), match[3]
        words = _plain(inner)
        stem = _NOT_IN_IDS.sub("-", words.lower()).strip("-") or "section"
        taken = {anchor for _, anchor, _ in self.toc} | self.addresses
        anchor = next(
            name for number in range(1, 10_000) if (name := stem if number == 1 else f"{stem}-{number}") not in taken
        )
        self.toc.append((level, anchor, escaped(words)))
        return f'<h{level}{match[2]} id="{anchor}">{inner}</h{level}>'


def _place(key: str, title: str, figure: dict[str, Any]) -> str:
    """Return where a figure is drawn; one with many columns keeps its width and is moved sideways on a phone."""
    place = f'<div class="plot" id="{key}" style="min-height:{int(figure["layout"].get("height") or 420)}px"></div>'
    columns = max((len(trace.get("x") or ()) for trace in figure["data"] if trace.get("type") == "heatmap"), default=0)
    if columns < _MANY_COLUMNS:
        return place
    return f'<div class="wide many" tabindex=0 role=region aria-label="{escaped(title)}">{place}</div>'


def _first_addresses(body: str) -> str:
    """Return a page's body with the address of a finding only where it first stands."""
    seen: set[str] = set()

    def kept(match: re.Match[str]) -> str:
        if match[1] in seen:
            return ""
        seen.add(match[1])
        return match[0]

    return _FINDING_ID.sub(kept, body)


def _stock(data: Any) -> str:
    """Return an output that is none of ours: cleaned; widgets are left out."""
    text = str(data.get("text/plain", ""))
    if any("widget" in kind for kind in data):
        return ""
    if "text/html" in data:
        shown = bleach.clean(_UNSHOWN.sub("", str(data["text/html"])), tags=_TAGS, attributes={}, strip=True)
        return f"<div class=wide>{shown}</div>"
    if "image/png" in data:
        picture = _NOT_BASE64.sub("", str(data["image/png"]))
        return f'<p class="full"><img src="data:image/png;base64,{picture}" alt="{escape(text)}"></p>'
    return f"<pre>{escape(text)}</pre>" if text else ""


def _image_words(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:  # noqa: ARG001 (markdown-it's form)
    """Return the words of a picture that stands outside the page: it is not fetched."""
    return escape(str(tokens[place].content))


def _untitled(layout: dict[str, Any]) -> dict[str, Any]:
    """Return a figure's layout without its title, and without the room that the title took: the page shows it."""
    title = layout.pop("title", None) or {}
    room = 8 + 20 * (1 + str(title.get("text") or "").count("<br>"))
    margin = dict(layout.get("margin") or {})
    if margin.get("t", 0) >= room + 8:
        layout["margin"] = {**margin, "t": margin["t"] - room}
        if layout.get("height"):
            layout["height"] = layout["height"] - room
    return layout


def _plain(html: str) -> str:
    """Return a piece of HTML's words."""
    words = _TAG.sub(" ", html)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&")):
        words = words.replace(entity, character)
    return " ".join(words.split())


def _json(value: Any) -> str:
    """Return JSON that ends no script, turns no text around and can be written, whatever stands in it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
    return _UNSAFE_IN_SCRIPTS.sub(_in_script, text)


def _in_script(match: re.Match[str]) -> str:
    """Return a character as its UTF-16 code units (RFC 8259, section 7)."""
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _made(told: Any, report: Mapping[str, Any]) -> str:
    """Return what the page was made from, as far as the run and its blocks tell it."""
    parts = []
    if report.get("as_of"):
        parts.append(f"Data as of {escape(str(report['as_of']))}")
    parts += [f"{escaped(str(key))} {escaped(str(value))}" for key, value in (report.get("provenance") or {}).items()]
    if told.get("notebook"):
        digest = escape(str(told.get("sha256", "")))
        parts.append(f"notebook {escape(str(told['notebook']))}, SHA-256 <code>{digest}</code>")
    return " · ".join(parts)


@cache
def _asset(name: str) -> str:
    """Return a file of our template."""
    return resources.files(__package__).joinpath(_FOLDER, "riskreport", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return the page's own script, its parts joined."""
    lines = (line.strip() for name in _SCRIPTS for line in _asset(name).splitlines())
    parts = "\n".join(line for line in lines if line and not line.startswith("//"))
    return _asset("report.js").replace("__DARK__", json.dumps(DARK_OF, sort_keys=True)).replace("__PARTS__", parts)


@cache
def _plotly() -> tuple[str, str]:
    """Return the chart library packed, and as it runs."""
    source = get_plotlyjs()
    packed = gzip.compress(source.encode("utf-8"), compresslevel=9, mtime=0)
    return base64.b64encode(packed).decode("ascii"), source


def _policy(*scripts: str) -> str:
    """Return the Content-Security-Policy that lets exactly these scripts run (CSP level 3, hash sources)."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts if text)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
