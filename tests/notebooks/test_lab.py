"""The explorer in a real JupyterLab, by mouse and keyboard, and the export of the notebook saved there."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from nbconvert import HTMLExporter

from riskanalytics.reporting import notebooks_folder
from riskanalytics.reporting.exporter import RiskReportExporter
from tests.service.given import build_database

pytestmark = [pytest.mark.slow, pytest.mark.browser]
WAIT = 240_000
SLOW = """const address = URL.createObjectURL;
URL.createObjectURL = (of) => {
  const large = of.size > 1e6 && of.type === "text/javascript";
  return address(large ? new Blob(["await new Promise((done) => setTimeout(done, 4000));", of], { type: of.type }) : of);
};"""
"""Large scripts are read as on a busy machine: longer than the two seconds after which anywidget gives up a model."""

CELL = """([column, row]) => {
  const plot = document.querySelector(".ra .js-plotly-plot"), box = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  const place = (axis, words) => axis._offset + axis.d2p(axis._categories.find((one) => one.includes(words)));
  return [box.x + place(xaxis, column), box.y + place(yaxis, row)];
}"""
"""Where a cell of the heatmap stands now: platforms are ordered anew by each filter."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("lab")
    (made / "notebooks").mkdir()
    shutil.copy(notebooks_folder() / "explore.ipynb", made / "notebooks")
    return made


@pytest.fixture(scope="module")
def lab(folder: Path) -> Iterator[str]:
    """Serve JupyterLab on a copy of the notebook, with folders of its own, beside a small database."""
    pytest.importorskip("jupyterlab", reason="needs JupyterLab: pip install -e '.[lab]' in an environment of its own")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = {name: str(folder / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    words = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [*words, "--IdentityProvider.token=t", "--notebook-dir", str(folder / "notebooks")],
            env={**os.environ, **own, "RISKANALYTICS_DATABASE": str(build_database(folder))}, stdout=log, stderr=log,
        )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    for _ in range(120):
        try:
            urlopen(f"{address}/api").close()
            break
        except OSError:
            time.sleep(0.5)
    yield address
    server.terminate()
    server.wait(20)


@pytest.fixture(scope="module")
def view(lab: str, browser: Any) -> Iterator[Any]:
    """Open the notebook, run all its cells, and give the page; it may say no error and ask nobody else."""
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    context.set_default_timeout(WAIT)
    context.add_init_script(SLOW)
    page = context.new_page()
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{lab}/lab/tree/explore.ipynb?token=t")
    page.get_by_text("| Idle").wait_for(timeout=WAIT)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_selector(".ra .js-plotly-plot .main-svg", timeout=WAIT)
    page.locator(".ra").first.scroll_into_view_if_needed()
    yield page
    context.close()
    assert errors == []
    assert [url for url in asked if not url.startswith((lab, lab.replace("http", "ws"), "data:", "blob:"))] == []


@pytest.fixture
def page(view: Any) -> Any:
    """The page with all filters taken back; letters still on their way to the kernel come before the empty line."""
    view.get_by_label("Search", exact=True).fill("")
    view.get_by_role("button", name="Clear filters").click()
    view.get_by_label("Surface", exact=True).first.select_option("Training use")
    view.wait_for_function("document.querySelector('.ra [role=status]').textContent.startsWith('3 of 3')")
    return view


def card(page: Any) -> Any:
    return page.locator(".ra blockquote").first


def options(page: Any, label: str) -> list[str]:
    found = page.get_by_label(label, exact=True).first.evaluate("one => [...one.options].map(o => o.textContent)")
    return [str(text).replace("\u00a0", " ") for text in found]


def waited(page: Any, locator: Any, words: str) -> None:
    locator.filter(has_text=words).wait_for(timeout=WAIT)


def test_typing_and_filters_show_matching_rows(page: Any) -> None:
    page.get_by_label("Surface", exact=True).first.select_option("all surfaces")
    page.get_by_label("Search", exact=True).fill("irrevocable")
    waited(page, page.locator(".ra [role=status]").first, "1 of 3 platforms match, with 1 clause")
    waited(page, card(page), "perpetual, irrevocable")
    assert [line.split()[-2:] for line in options(page, "Platform")] == [["Aurelia", "Chat"]]
    page.get_by_role("button", name="Clear filters").click()
    waited(page, page.locator(".ra [role=status]").first, "3 of 3 platforms match")
    page.get_by_label("Level there").select_option("not read")
    waited(page, page.locator(".ra [role=status]").first, "2 of 3 platforms match")
    result = [line.split()[-2:] for line in options(page, "Platform")]
    assert result == [["Café", "Lumière"], ["Northwind", "Draft"]]
    page.get_by_label("Level there").select_option("any")
    page.get_by_label("Search", exact=True).press_sequentially("irrevocable", delay=20)
    waited(page, page.locator(".ra [role=status]").first, "1 of 3 platforms match, with 1 clause")
    assert page.get_by_label("Search", exact=True).input_value() == "irrevocable"


def test_a_click_on_a_cell_shows_its_clause_and_verify_checks_it(page: Any) -> None:
    for _ in range(20):  # until the figure, which is drawn again after each filter, stands still under the pointer
        page.wait_for_timeout(500)
        x, y = page.evaluate(CELL, ["Content licence", "Aurelia Chat"])
        page.mouse.move(x - 2, y - 2)
        page.mouse.click(x, y)
        page.wait_for_timeout(1500)
        if "perpetual, irrevocable" in card(page).inner_text():
            break
    waited(page, card(page), "perpetual, irrevocable")
    page.get_by_role("button", name="Verify now").click()
    waited(page, page.locator(".ra [role=status]").nth(1), "verified, checked 20")
    assert page.locator(".ra [role=status]").nth(1).inner_text().count("✓") == 3
    assert page.locator(".ra .modebar-btn").count() > 0
    assert page.locator(".modebar-btn[data-title^=Share]").count() == 0


def test_a_clause_is_verified_by_keyboard_alone(page: Any) -> None:
    page.get_by_label("Platform", exact=True).first.focus()
    page.keyboard.press("Home")
    here = options(page, "Platform").index(next(one for one in options(page, "Platform") if one.endswith("Chat")))
    for _ in range(here):
        page.keyboard.press("ArrowDown")
    waited(page, page.locator(".ra strong").first, "Aurelia Chat")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    waited(page, card(page), "change these terms")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Verify now"
    page.keyboard.press("Enter")
    waited(page, page.locator(".ra [role=status]").nth(1), "verified, checked 20")


def test_enter_sends_a_search_and_a_question(page: Any) -> None:
    page.get_by_label("Words", exact=True).fill("irrevocable licence")
    page.keyboard.press("Enter")
    waited(page, page.locator(".ra").nth(2), "You grant us a worldwide, perpetual, irrevocable")
    page.get_by_label("Question", exact=True).fill("What is the weather?")
    page.keyboard.press("Enter")
    waited(page, page.locator(".ra").nth(3), "No answer.")


def test_text_columns_of_tables_are_left_aligned(page: Any) -> None:
    page.locator(".jp-WindowedPanel-outer").evaluate("one => one.scrollTo(0, one.scrollHeight)")
    cells = page.locator(".ra-page :is(td, th):not(.n)")
    cells.first.wait_for(timeout=WAIT)
    assert set(cells.evaluate_all("all => all.map((one) => getComputedStyle(one).textAlign)")) == {"start"}


def test_the_saved_notebook_exports_without_widget_state(page: Any, folder: Path) -> None:
    saved = folder / "notebooks" / "explore.ipynb"
    before = saved.stat().st_mtime_ns
    page.keyboard.press("Control+s")
    for _ in range(60):
        if saved.stat().st_mtime_ns != before:
            break
        time.sleep(0.5)
    kept = saved.read_text(encoding="utf-8")
    assert "application/vnd.jupyter.widget-view+json" in kept
    assert "widgets" not in json.loads(kept)["metadata"]
    assert len(kept) < 300_000
    html, _ = RiskReportExporter().from_filename(str(saved))
    assert "We do not use your prompts to train our models." in html
    assert re.search("jupyter|widget", html.replace("widgets.", "")) is None
    stock, _ = HTMLExporter().from_filename(str(saved))
    shown = stock[stock.index("<body") :]
    assert "We do not use your prompts to train our models." in shown
    assert "<svg" in shown
    assert [words for words in re.findall("<pre>(.*)", shown) if "platforms on" in words or "object at" in words] == []
