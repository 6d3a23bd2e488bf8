"""Reference copies of the notebooks with the text that their cells show on the demo: `python -m tests.notebooks.keep`.

nbval runs the copies and compares. Run the command after a change of a notebook, of a sentence that pages say, or of
the rules, and read the difference before it is committed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat

from riskanalytics.reporting import notebooks_folder
from riskanalytics.reporting.execution import executed
from riskanalytics.reporting.kernel import report_kernel
from riskanalytics.reporting.placing import Job
from riskanalytics.settings import load_settings
from tests.notebooks.words import write_words

KEPT = Path(__file__).parent / "kept"


def copies() -> dict[str, Any]:
    """Run every notebook on the demo; return its name -> the notebook with text outputs only."""
    made = {}
    for path in sorted(notebooks_folder().glob("*.ipynb")):
        job = Job(path, {}, load_settings())
        with report_kernel(job.environment) as kernel:
            notebook = executed(job, kernel, lambda done, total: None)
        made[path.stem] = texts_of(notebook, json.loads(path.read_text(encoding="utf-8"))["metadata"])
    return made


def texts_of(notebook: Any, metadata: dict[str, Any]) -> Any:
    """Return an executed notebook whose outputs hold text alone."""
    notebook.metadata = nbformat.from_dict(metadata)
    for cell in notebook.cells:
        for name in ("papermill", "execution"):  # when it ran, and how long
            cell.metadata.pop(name, None)
        if cell.cell_type != "code":
            continue
        for output in cell.outputs:
            if "data" in output:
                output.data = {kind: text for kind, text in output.data.items() if kind == "text/plain"}
                output.metadata = {}
    return notebook


def main() -> None:
    """Write the copies, and what `words.py` keeps; copies of notebooks that are gone are removed."""
    KEPT.mkdir(exist_ok=True)
    made = copies()
    for path in KEPT.glob("*.ipynb"):
        if path.stem not in made:
            path.unlink()
    for name, notebook in made.items():
        nbformat.write(notebook, KEPT / f"{name}.ipynb")
    write_words()


if __name__ == "__main__":
    main()
