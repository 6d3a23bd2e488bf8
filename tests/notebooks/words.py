"""What every section and chart of the notebooks says on the demo, in files to review: `python -m tests.notebooks.keep`.

`tables.txt` has a hash of each table of the demo. Any other file has the sentences, headings and captions of each output of one notebook, and a hash of the whole output, which changes
also with a number, a row, a quote or a mark of a chart. Run the command after a change of a sentence, an analysis or the
rules, and read the difference before it is committed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from platform import python_version
from typing import Any

import riskanalytics as ra
from riskanalytics.pages.figures import Chart
from riskanalytics.pages.section import Section, encode
from riskanalytics.reporting import notebooks_folder

KEPT = Path(__file__).parent / "kept"
_BLOCKS = ("p", "li", "h1", "h2", "h3", "h4", "summary", "caption", "dt", "dd", "figcaption")
_LINES = 40
"""Most lines of an output; what comes after them changes the hash alone."""
_ROWS = ("tr", "blockquote", "script", "style", "svg")


class Prose(HTMLParser):
    """The texts of blocks outside of tables and quotes."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._left_out, self._text = 0, ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """End a block at the next one; leave out what is in a row or a quote."""
        self._left_out += tag in _ROWS
        if tag in _BLOCKS:
            self.ended()

    def handle_endtag(self, tag: str) -> None:
        """End a block."""
        self._left_out -= tag in _ROWS
        if tag in _BLOCKS:
            self.ended()

    def handle_data(self, data: str) -> None:
        """Add text to the block."""
        if not self._left_out:
            self._text += data

    def ended(self) -> None:
        """Keep the block as a line if it has words."""
        line, self._text = " ".join(self._text.split()), ""
        if re.search(r"[a-z]{2}", line) and line not in self.lines:
            self.lines.append(line)


def said(output: Any) -> Iterator[str]:
    """Return what one output says, line by line, and the hash of all that it shows."""
    if isinstance(output, Chart):
        drawn = [{key: trace[key] for key in ("x", "y", "z", "text", "customdata") if key in trace} for trace in output._plot["data"]]
        yield from (output.title, output.words)
        whole = json.dumps([encode((output.value,)), drawn], sort_keys=True, default=str)
    elif isinstance(output, Section):
        prose = Prose()
        prose.feed(output.html)
        prose.ended()
        yield from prose.lines[:_LINES]
        whole = json.dumps([encode(output.parts), output.text, {**output.report, "provenance": ""}], sort_keys=True, default=str)
    else:
        return
    whole = whole.replace(f'"{python_version()}"', '"3"')  # every machine has its own
    yield f"# {type(output).__name__} {sha256(whole.encode()).hexdigest()[:12]}"


def shown(name: str) -> str:
    """Run the cells of a notebook here, on the demo, and return what their outputs say."""
    cells = json.loads((notebooks_folder() / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs: list[Any] = []
    names: dict[str, Any] = {"display": lambda *values: outputs.extend(values)}
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        *before, last = "".join(cell["source"]).strip().split("\n")
        exec("\n".join(before), names)  # the package's own notebooks
        outputs.append(exec(last, names) if re.match(r"\w+ *[:=]|\w+: ", last) else eval(last, names))
    return "\n".join(line for output in outputs for line in said(output)) + "\n"


def tables() -> str:
    """Return the number of rows and the hash of each table of the demo."""
    data = ra.load()
    named = {name: getattr(data, name) for name in ("platforms", "surfaces", "findings", "leads", "documents")}
    named["changes"] = data.changes()
    lines = (
        f"{name}: {len(table)} rows {sha256(table.to_csv(float_format='%.9g').encode()).hexdigest()[:12]}\n"
        for name, table in named.items()
    )
    return "".join(lines)


def kept() -> dict[str, Callable[[], str]]:
    """Return the name of each file, and the function that makes its text."""
    notebooks = sorted(path.stem for path in notebooks_folder().glob("*.ipynb"))
    return {"tables": tables} | {name: partial(shown, name) for name in notebooks}


def write_words() -> None:
    """Write the files."""
    for name, text in kept().items():
        (KEPT / f"{name}.txt").write_text(text(), encoding="utf-8")
