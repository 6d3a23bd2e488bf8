"""Rules for all notebooks and their pages."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.reporting import notebooks_folder, run_report
from tests.notebooks.conftest import Opened, PageOf, pages_opened

NOTEBOOKS = sorted(path.stem for path in notebooks_folder().glob("*.ipynb"))
ONE_BY_DEFAULT, SHORT_BY_DEFAULT = (
    [name if name == default else pytest.param(name, marks=pytest.mark.slow) for name in NOTEBOOKS]
    for default in ("monthly_report", "platform_dossier")
)
"""The slow run checks the pages of all notebooks; the default run one page: that of the main job, or a shorter one where the check
takes long."""
VARIED = ("monthly_report", "platform_dossier", "portfolio", "explore")
"""Notebooks whose pages have all kinds of parts, for checks that take long."""
WIDTHS = "[document.documentElement.scrollWidth, window.innerWidth]"
SHORTENED = "document.querySelectorAll('tbody tr:nth-child(n+12)').forEach((row) => row.remove())"
"""Leaves some rows of each table, since most have the same form: the check of every cell takes seconds."""
BUDGETS = {"monthly_report": 760_000}
"""Bytes beside the packed chart library; 1 MB for any page that is not named. A link to live words takes 190 a quote."""


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_a_notebook_is_short_and_kept_without_outputs(notebook: str) -> None:
    kept = json.loads((notebooks_folder() / f"{notebook}.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in kept["cells"] if cell["cell_type"] == "code"]
    assert len(cells) < 15
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert len({cell["id"] for cell in kept["cells"]}) == len(kept["cells"])
    assert kept["metadata"]["kernelspec"]["name"] == "python3"
    assert cells[0]["metadata"]["tags"] == ["parameters"]
    for cell in cells:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        assert not any(isinstance(node, kinds) for node in ast.walk(ast.parse("".join(cell["source"]))))


@pytest.mark.parametrize("notebook", ONE_BY_DEFAULT)
def test_a_page_declares_its_charts_and_stays_small(page_of: PageOf, notebook: str) -> None:
    html = page_of(notebook).read_text(encoding="utf-8")
    packed = re.search(r'<script type="text/plain" id="plotly">[^<]*</script>', html)
    assert html.count("<figure data-chart=") == html.count('class="plot-data"')
    assert len(html.encode()) - len(packed[0] if packed else "") < BUDGETS.get(notebook, 1_000_000)


@pytest.mark.parametrize("notebook", ONE_BY_DEFAULT)
def test_every_internal_link_has_a_target_and_no_address_is_local(page_of: PageOf, notebook: str) -> None:
    html = page_of(notebook).read_text(encoding="utf-8")
    anchors = re.findall(r'\sid="?([^"\s>]+)', html)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(anchors)
    assert "localhost" not in html
    assert str(Path.home()) not in html
    assert html.count("Informational only, not legal advice") >= 2


@pytest.mark.slow
@pytest.mark.parametrize("notebook", ["platform_dossier"])
def test_two_runs_give_the_same_bytes_of_page_and_pdf(page_of: PageOf, tmp_path: Path, notebook: str) -> None:
    again, first = run_report(notebook, {}, tmp_path, pdf=True), page_of(notebook)
    assert again.read_bytes() == first.read_bytes()
    assert again.with_suffix(".pdf").read_bytes() == first.with_suffix(".pdf").read_bytes()


def check_charts(view: Any) -> None:
    """Every chart is drawn, and the page is not wider than the window."""
    declared = view.locator("figure[data-chart]").count()
    assert view.locator("figure[data-chart] .js-plotly-plot .main-svg:first-child").count() == declared
    content, window = view.evaluate(WIDTHS)
    assert content <= window


@pytest.mark.browser
def test_every_chart_is_drawn_offline_without_requests(reader: Callable[..., Any], page_of: PageOf) -> None:
    check_charts(reader(page_of("monthly_report")))


@pytest.fixture(scope="module")
def phone(browser: Any, page_of: PageOf) -> Iterator[Opened]:
    """Functions that open the page of a notebook on a phone in dark colours, once for the tests of this file, and check it."""
    with pages_opened(browser) as (opened, check):
        yield cache(lambda notebook: opened(page_of(notebook), 320, "dark")), check


@pytest.fixture
def view_of(phone: Opened) -> Iterator[Callable[[str], Any]]:
    """Open the page of a notebook; console messages and requests fail the test at its end."""
    yield phone[0]
    phone[1]()


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_every_chart_is_drawn_on_a_phone_in_dark_colours(view_of: Callable[[str], Any], notebook: str) -> None:
    check_charts(view_of(notebook))


@pytest.mark.browser
@pytest.mark.parametrize("notebook", ONE_BY_DEFAULT)
def test_a_page_reads_without_scripts(reader: Callable[..., Any], page_of: PageOf, notebook: str) -> None:
    page = page_of(notebook)
    view = reader(page, scripts=False)
    assert view.locator("h2").all_inner_texts()[-1].endswith("eproduction")
    assert view.locator("figure[data-chart] figcaption").count() == view.locator("figure[data-chart]").count()
    assert view.locator("figure[data-chart] details table").count() == view.locator("figure[data-chart]").count()
    assert view.locator("table tbody tr").count() > 10
    assert view.locator(".plot:visible").count() == 0


@pytest.mark.slow
def test_pages_and_lists_of_pages_are_valid_html(page_of: PageOf) -> None:
    jar = os.environ.get("VNU_JAR", "")
    if not jar or shutil.which("java") is None:
        pytest.skip("needs Java, and the W3C checker's vnu.jar named by VNU_JAR")
    files = [str(file) for page in map(page_of, VARIED) for file in (page, page.parent / "index.html")]
    words = ["java", "-Xss8m", "-jar", jar, "--errors-only", *files]
    result = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    assert [line.partition("html")[2][:300] for line in result.stderr.splitlines()] == []
    assert result.returncode == 0


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("notebook", VARIED)
def test_a_page_breaks_no_accessibility_rule(view_of: Callable[[str], Any], notebook: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe: pip install -e '.[browser]'")
    view = view_of(notebook)
    view.set_viewport_size({"width": 1200, "height": 900})
    view.evaluate(SHORTENED)
    contrast = {"runOnly": ["color-contrast"]}  # the other rules are the same in both schemes
    for scheme, rules in (("light", {}), ("dark", contrast)):
        view.emulate_media(color_scheme=scheme)
        found = axe.Axe().run(view, options={"resultTypes": ["violations"]} | rules).response["violations"]
        assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found] == [], scheme
