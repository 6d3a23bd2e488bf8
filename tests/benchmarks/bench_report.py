"""A monthly report against `papermill` plus `jupyter nbconvert --to html` on the same notebook: warm caches, and a fresh machine.

Run: `python -m tests.benchmarks.bench_report [repeats]`. Both read the same source: the demo, or RISKANALYTICS_DATABASE;
the fresh machine has no demo yet. The runs of both take turns.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from riskanalytics.reporting import notebooks_folder
from tests.benchmarks.measured import processor_time
from tests.benchmarks.table import row

NOTEBOOK = notebooks_folder() / "monthly_report.ipynb"
PLOTLY = re.compile(r'<script type="text/plain" id="plotly">[^<]*</script>')


class Taken(NamedTuple):
    """Seconds on the clock, and of the processors."""

    clock: float
    cores: float


def taken(commands: Sequence[list[str]], cache: str = "") -> Taken:
    """Return what commands take one after another, with all that they start; in a cache folder of their own where given."""
    environment = {**os.environ, **({"RISKANALYTICS_CACHE": cache} if cache else {})}
    before, start = processor_time(), perf_counter()
    for words in commands:
        subprocess.run(words, check=True, capture_output=True, env=environment)
    clock = perf_counter() - start
    return Taken(clock, processor_time() - before)


def compare(
    measure: str, aim: float, sides: tuple[list[list[str]], list[list[str]]], repeats: int, *, fresh: bool
) -> None:
    """Run both sides in turns, and print their ratio."""
    runs: list[tuple[Taken, Taken]] = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            caches = (first, second) if fresh else ("", "")
            runs.append((taken(sides[0], caches[0]), taken(sides[1], caches[1])))
    for result, part, most in (("", 0, aim), (", processor time", 1, None)):
        ours, stock = (median(run[side][part] for run in runs) for side in (0, 1))
        ratio = median(run[0][part] / run[1][part] for run in runs)
        row(f"{measure}{result}", f"{ours:.1f} s; `papermill` and `nbconvert` {stock:.1f} s", ratio, most)


def main() -> None:
    """Print the rows."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder:
        executed = str(Path(folder) / "executed.ipynb")
        run = [sys.executable, "-m", "papermill", str(NOTEBOOK), executed, "--no-progress-bar"]
        export = [sys.executable, "-m", "nbconvert", "--to", "html", executed]
        ours = [sys.executable, "-m", "riskanalytics.cli", "monthly", "--out", str(Path(folder) / "out")]
        sides = ([ours], [run, export])
        taken([ours])  # builds the demo where there is none
        compare("one monthly report, cold", 0.35, sides, repeats, fresh=False)
        if not os.environ.get("RISKANALYTICS_DATABASE"):
            compare("first page on a fresh machine, the demo built", 1, sides, max(1, repeats // 3), fresh=True)
        (page,) = Path(folder, "out").glob("monthly_report-*.html")
        html, theirs = page.read_text(encoding="utf-8"), Path(executed).with_suffix(".html").stat().st_size
        packed, whole = PLOTLY.search(html), len(html.encode())
        beside = (whole - len(packed[0] if packed else "")) / 1e6
        seen = f"{whole / 1e6:.2f} MB ({beside:.2f} beside plotly); `nbconvert` {theirs / 1e6:.2f} MB"
        row("weight of the monthly page", seen, whole / theirs)


if __name__ == "__main__":
    main()
