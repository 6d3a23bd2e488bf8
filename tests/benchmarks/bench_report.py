"""One monthly report against `papermill` plus `jupyter nbconvert --to html` on the same notebook, and the page's weight.

Run: `python tests/benchmarks/bench_report.py [repeats]`. Both read the same source: the demo, or RISKANALYTICS_DATABASE.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from riskanalytics.reporting import notebooks_folder

NOTEBOOK = notebooks_folder() / "monthly_report.ipynb"
OURS = "from pathlib import Path; from riskanalytics.reporting import run_monthly; print(run_monthly('', None, Path({out!r})))"


def timed(*commands: list[str]) -> tuple[float, str]:
    """Return the seconds that processes take one after another, and what the last one printed."""
    start, said = perf_counter(), ""
    for command in commands:
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return perf_counter() - start, said


def main() -> None:
    """Print seconds, their ratio and the weights."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    ours, stock = [], []
    with tempfile.TemporaryDirectory() as folder:
        executed = str(Path(folder) / "executed.ipynb")
        run = [sys.executable, "-m", "papermill", str(NOTEBOOK), executed, "--no-progress-bar"]
        export = [sys.executable, "-m", "nbconvert", "--to", "html", executed]
        timed([sys.executable, "-c", OURS.format(out=folder)])
        for _ in range(repeats):
            seconds, page = timed([sys.executable, "-c", OURS.format(out=folder)])
            ours.append(seconds)
            stock.append(timed(run, export)[0])
        html = Path(page.strip()).read_text(encoding="utf-8")
    packed = re.search(r'<script type="text/plain" id="plotly">[^<]*</script>', html)
    rest = len(html.encode()) - len(packed[0] if packed else "")
    print(
        f"ours {median(ours):.1f} s, papermill and nbconvert {median(stock):.1f} s, ratio {median(ours) / median(stock):.2f}"
    )
    print(f"page {len(html.encode()) / 1e6:.2f} MB, {rest / 1e6:.2f} MB beside the packed plotly")


if __name__ == "__main__":
    main()
