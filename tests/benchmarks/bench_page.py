"""The monthly page in Chromium: how soon it is drawn beside a page with one small heatmap, and how soon a filter answers.

Run: `python tests/benchmarks/bench_page.py [repeats]`. Both pages carry the same packed plotly; the peer is made by the
same exporter from 4 x 4 cells. The filter is timed from the key to the narrowed table, laid out, and to the heatmap drawn.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from nbformat.v4 import new_code_cell, new_notebook, new_output
from playwright.sync_api import sync_playwright

from riskanalytics.pages.figures import Chart
from riskanalytics.reporting import run_report
from riskanalytics.reporting.exporter import RiskReportExporter
from tests.benchmarks.table import row
from tests.notebooks.conftest import CHROMIUM_FLAGS, chromium

READY = "html[data-plots=ready]"
FILTER = """async (word) => {
  const input = document.querySelector('.tools[data-chart] input');
  const place = document.querySelector('figure[data-chart=risk_matrix] .plot');
  const drawn = new Promise((done) => place.once('plotly_afterplot', done));
  const start = performance.now();
  input.value = word;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  document.querySelector('#risk-matrix').getBoundingClientRect();
  const answered = performance.now() - start;
  await drawn;
  return [answered, performance.now() - start];
}"""


def small_page(folder: Path) -> Path:
    """Write a page with one small heatmap."""
    figure = go.Figure(go.Heatmap(z=[[1, 2, 3, 4]] * 4))
    chart = Chart("small", figure, "Sixteen cells.", pd.DataFrame({"cells": [16]}))
    cell = new_code_cell("", outputs=[new_output("display_data", data=chart._repr_mimebundle_())])
    page = folder / "small.html"
    page.write_text(RiskReportExporter().from_notebook_node(new_notebook(cells=[cell]))[0], encoding="utf-8")
    return page


def seconds_to_draw(browser: Any, page: Path) -> float:
    """Return the seconds from the navigation's start to the last chart drawn."""
    view = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True).new_page()
    view.add_init_script(
        "new MutationObserver(() => { if (document.documentElement.dataset.plots) window.drawnAt ??= performance.now(); })"
        ".observe(document, { attributes: true, subtree: true, attributeFilter: ['data-plots'] });"
    )
    view.goto(page.as_uri())
    view.wait_for_selector(READY, state="attached")
    taken = float(view.evaluate("window.drawnAt"))
    view.context.close()
    return taken / 1000


def main() -> None:
    """Print the seconds of both pages, their ratio, and the milliseconds of the filter."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        monthly, small = run_report("monthly_report", {}, Path(name)), small_page(Path(name))
        browser = started.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        pairs = [(seconds_to_draw(browser, monthly), seconds_to_draw(browser, small)) for _ in range(repeats)]
        ours, peer = (median(side) for side in zip(*pairs, strict=True))
        row("monthly page until drawn", f"{ours:.2f} s; a page with one small heatmap {peer:.2f} s", ours / peer)
        view = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True).new_page()
        view.goto(monthly.as_uri())
        view.wait_for_selector(READY, state="attached")
        times = [view.evaluate(FILTER, word) for word in ("a", "ai", "agent", "", "o", "or", "no such", "")]
        rows = view.locator("#risk-matrix tbody tr").count()
        answered, drawn = (sorted(side) for side in zip(*times, strict=True))
        print(
            f"filter of {rows} platforms: table median {median(answered):.0f} ms, worst {answered[-1]:.0f} ms; "
            f"heatmap drawn median {median(drawn):.0f} ms, worst {drawn[-1]:.0f} ms"
        )
        browser.close()


if __name__ == "__main__":
    main()
