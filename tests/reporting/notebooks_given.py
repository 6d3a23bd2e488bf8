"""Small notebooks for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

PARAMETERS = 'name: str = "Aurelia"  # who\nlimit: int = 3  # rows shown\nshare: float = 0.5\nwide: bool = False\nslugs: list = []'
SHOWN = (
    "import pandas as pd\nimport plotly.graph_objects as go\nfrom riskanalytics.pages.figures import Chart\n"
    'frame = pd.DataFrame({"level": ["HIGH", "LOW"], "platforms": [2, 1]})\n'
    'figure = go.Figure(go.Bar(x=frame["level"], y=frame["platforms"]), layout={"title": {"text": f"How is {name} rated?"}})\n'
    'Chart("mix", figure, "Two HIGH, one LOW.", frame)'
)
WORDS = "from IPython.display import HTML\nHTML(f'<p>Words on {name}, {limit}</p>')"


def notebook(*cells: Any, given: str = PARAMETERS) -> Any:
    """Return a notebook with a parameters cell before the given code."""
    first = new_code_cell(given, metadata={"tags": ["parameters"]})
    made = new_notebook(cells=[first, *(new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells)])
    for place, cell in enumerate(made.cells):
        cell.id = f"cell-{place}"
    made.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return made


def written(path: Path, *cells: Any, given: str = PARAMETERS) -> Path:
    """Write such a notebook."""
    nbformat.write(notebook(*cells, given=given), path)
    return path


def executed(*outputs: dict[str, Any], markdown: str = "## First section") -> Any:
    """Return a notebook whose one cell has these outputs (media type -> content, as displayed)."""
    shown = [new_output("display_data", data=data) for data in outputs]
    return new_notebook(cells=[new_markdown_cell(markdown), new_code_cell("secret_code()", outputs=shown)])


def table(tmp_path: Path, text: str | bytes, name: str = "rows.csv") -> Path:
    """Write a table."""
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
