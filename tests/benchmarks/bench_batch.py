"""Batches against papermill and nbconvert in a loop, a further report against a plain script, kernels, and memory.

Run: `python -m tests.benchmarks.bench_batch [dossiers] [most for memory]`. All read the same source: the demo, or
RISKANALYTICS_DATABASE. The loop is three dossiers, told for as many as the batch makes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import nbformat
import papermill
from nbformat.v4 import new_code_cell, new_notebook
from papermill.engines import papermill_engines

from riskanalytics.dataset.connecting import connect
from riskanalytics.dataset.loading import listed_slugs
from riskanalytics.reporting import notebooks_folder
from riskanalytics.reporting.engine import WarmKernelEngine
from tests.benchmarks.bench_report import taken
from tests.benchmarks.measured import memory as memory_of
from tests.benchmarks.table import row

DOSSIER = notebooks_folder() / "platform_dossier.ipynb"
LOOP = 3
SCRIPT = """
import json, sys, time
from pathlib import Path
from IPython.core.interactiveshell import InteractiveShell
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from riskanalytics import Report, analysis, charts, dataset, sections
from riskanalytics.pages.section import Section
from riskanalytics.reporting.execution import contents_of
from riskanalytics.reporting.placing import named, place
Section.for_others = False
shell, out = InteractiveShell.instance(), Path(sys.argv[1])
notebook = json.loads(Path(sys.argv[2]).read_text())
for slug in sys.argv[3:]:
    begun, cells = time.perf_counter(), []
    shell.reset(new_session=False)
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            cells.append(new_markdown_cell(source))
            continue
        shown = []
        shell.display_pub.publish = lambda data, metadata=None, **_: shown.append((data, metadata or {}))
        if "parameters" in cell["metadata"].get("tags", ()):
            source += f"\\nplatform = {slug!r}"
        result = shell.run_cell(source, silent=True)
        result.raise_error()
        if result.result is not None:
            shown.append(shell.display_formatter.format(result.result))
        cells.append(new_code_cell(source, outputs=[new_output("display_data", data, metadata=told) for data, told in shown]))
    contents = contents_of(new_notebook(cells=cells), "platform_dossier", part=slug)
    place(contents, out / named("platform_dossier", contents.name))
    print(time.perf_counter() - begun, flush=True)
"""


def batch(rows: list[str], folder: Path, *words: str) -> list[str]:
    """Return the words of a batch of dossiers."""
    table = folder / f"{len(rows)}.csv"
    table.write_text("\n".join(["platform", *rows]) + "\n")
    out = tempfile.mkdtemp(dir=folder)
    return [
        sys.executable,
        "-m",
        "riskanalytics.cli",
        "batch",
        "platform_dossier",
        "--over",
        str(table),
        "--out",
        out,
        *words,
    ]


def levels_of(rows: list[str], folder: Path) -> list[float]:
    """Return the memory of a batch, as it was seen over and over."""
    seen: list[float] = []
    with subprocess.Popen(batch(rows, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        ended = threading.Event()
        threading.Thread(target=lambda: (process.wait(), ended.set())).start()
        while not ended.wait(0.25):
            seen.append(memory_of(process.pid))
    return seen


def kernels(folder: Path, engine: str, count: int = 10) -> float:
    """Return the seconds from asking papermill to the first cell; the median of warm runs."""
    cell = new_code_cell("import time\nprint(time.time())")
    output = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python"}}
    nbformat.write(new_notebook(cells=[cell], metadata=output), folder / "in.ipynb")
    after = []
    for _ in range(count + 1):
        start = time.time()
        made = papermill.execute_notebook(
            folder / "in.ipynb", folder / "out.ipynb", engine_name=engine, progress_bar=False
        )
        after.append(float(made.cells[0].outputs[0].text) - start)
    return median(after[1:])


def main() -> None:
    """Print the rows."""
    count, most = map(int, [*sys.argv[1:], *("24", "100")[len(sys.argv) - 1 :]][:2])
    papermill_engines.register("riskanalytics", WarmKernelEngine)
    with tempfile.TemporaryDirectory() as name, connect() as client:
        folder, slugs = Path(name), listed_slugs(client, None)
        stock, ours = kernels(folder, "nbclient"), kernels(folder, "riskanalytics")
        seen = f"{ours * 1000:.0f} ms; papermill's own engine {stock * 1000:.0f} ms; allowed 50 ms"
        row("first cell of a warm kernel", seen, ours / 0.05, 1)
        many(folder, slugs[:count])
        further(folder, slugs[:10])
        steady(folder, slugs[:most])


def many(folder: Path, slugs: list[str]) -> None:
    """Compare a batch with two commands in a loop."""
    loop, executed = [], str(folder / "executed.ipynb")
    for slug in slugs[:LOOP]:
        run = [sys.executable, "-m", "papermill", str(DOSSIER), executed, "-p", "platform", slug]
        loop.append(taken([run, [sys.executable, "-m", "nbconvert", "--to", "html", executed]]))
    clock, cores = (median(column) * len(slugs) for column in zip(*loop, strict=True))
    whole = taken([batch(slugs, folder)])
    peer = f"`papermill` and `nbconvert` in a loop ({LOOP} of them, told for all)"
    row(f"{len(slugs)} dossiers", f"{whole.clock:.1f} s; {peer} {clock:.0f} s", whole.clock / clock, 1 / 15)
    row("the same, processor time", f"{whole.cores:.1f} s; {cores:.0f} s", whole.cores / cores)


def further(folder: Path, slugs: list[str]) -> None:
    """Compare a report that follows others with a script that has imported everything."""
    one, ten = (taken([batch(slugs[:size], folder, "-j", "1")]).clock for size in (2, len(slugs)))
    words = [sys.executable, "-c", SCRIPT, str(folder), str(DOSSIER), *slugs]
    output = subprocess.run(words, check=True, capture_output=True, text=True)
    script, ours = median(map(float, output.stdout.split()[1:])), (ten - one) / (len(slugs) - 2)
    seen = f"{ours:.2f} s; a plain script with everything imported {script:.2f} s"
    row("each further dossier of a batch, one at once", seen, ours / script, 1.5)


def steady(folder: Path, slugs: list[str]) -> None:
    """Measure the memory of a batch."""
    levels = levels_of(slugs, folder)
    half = len(levels) // 2
    first, second = median(levels[:half]), median(levels[half:])
    named = f"memory of {len(slugs)} dossiers (PSS of all processes)"
    row(named, f"at most {max(levels):.0f} MB; allowed 1,536 MB", max(levels) / 1536, 1)
    row("the same over time", f"second half {second:.0f} MB; first half {first:.0f} MB", second / first, 1.1)


if __name__ == "__main__":
    main()
