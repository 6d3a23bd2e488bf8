"""The monthly report: kept clean in git, and its page as a reader and a browser meet it."""

from __future__ import annotations

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import IncompleteReportError
from riskanalytics.reporting import notebooks_folder, run_monthly, run_report
from tests.http_server import served
from tests.service.given import Caller, build_database

NOTEBOOK = json.loads((notebooks_folder() / "monthly_report.ipynb").read_text(encoding="utf-8"))
SECTIONS = [
    "What changed",
    "Ratings",
    "Risk heatmap",
    "Training use",
    "Coverage and freshness",
    "Evidence",
    "Method and reproduction",
]
HEIGHTS = "(() => [document.documentElement.scrollWidth, window.innerWidth])()"


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_the_notebook_is_short_and_kept_without_outputs() -> None:
    cells = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert len(cells) < 15
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])
    assert NOTEBOOK["metadata"]["kernelspec"]["name"] == "python3"
    for cell in cells:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        assert not any(isinstance(node, kinds) for node in ast.walk(ast.parse(source(cell))))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_monthly("", None, tmp_path_factory.mktemp("reports"))


def test_the_page_has_its_sections_in_order_and_every_chart(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert re.findall(r'<h2[^>]*id="[^"]*">([^<]*)</h2>', html) == SECTIONS
    assert html.count("<figure data-chart=") == html.count('class="plot-data"') >= 5
    assert html.count("Informational only, not legal advice") >= 2
    assert "not verified" not in html


def test_the_page_is_light_beside_the_packed_chart_library(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    packed = re.search(r'<script type="text/plain" id="plotly">[^<]*</script>', html)
    assert packed is not None
    assert len(html.encode()) - len(packed[0]) < 600_000


def test_every_link_inside_the_page_has_its_goal_and_no_address_is_local(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    anchors = re.findall(r'\sid="?([^"\s>]+)', html)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(anchors)
    assert "localhost" not in html
    assert str(Path.home()) not in html


def test_a_portfolio_narrows_the_page_and_lists_what_it_did_not_find(page: Path, tmp_path: Path) -> None:
    slugs = re.findall(r'id="platform-([a-z0-9-]+)"', page.read_text(encoding="utf-8"))[:2]
    (tmp_path / "ours.csv").write_text("slug\n" + "\n".join([*slugs, "no-such-platform"]) + "\n", encoding="utf-8")
    narrow = run_monthly("", tmp_path / "ours.csv", tmp_path / "out")
    html = narrow.read_text(encoding="utf-8")
    assert narrow.name.endswith("-ours.html")
    assert "2 of 3" in html
    assert "no-such-platform" in html
    assert str(tmp_path) not in html


@pytest.mark.parametrize(("month", "said"), [("2199-01", "lies after the data"), ("1999-01", "the months there are")])
def test_a_month_without_data_is_refused_and_told_which_there_are(month: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(IncompleteReportError, match=said):
        run_report("monthly_report", {"month": month}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install -e '.[browser]'")
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("needs a Chromium on this machine")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=found, args=flags)
        yield opened
        opened.close()


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (320, "dark")])
def test_offline_every_chart_is_drawn_and_nothing_is_asked_for(
    browser: Any, page: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    view = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    view.on("console", lambda message: said.append(message.text))
    view.on("pageerror", lambda error: said.append(str(error)))
    view.on("request", lambda request: asked.append(request.url))
    view.goto(page.as_uri())
    view.wait_for_function("document.documentElement.dataset.plots === 'ready'")
    declared = view.locator("figure[data-chart]").count()
    drawn = view.locator("figure[data-chart] .js-plotly-plot .main-svg:first-child").count()
    content, window = view.evaluate(HEIGHTS)
    context.close()
    assert said == []
    assert asked == [page.as_uri()]
    assert declared == drawn >= 5
    assert content <= window


@pytest.mark.browser
def test_the_table_answers_a_search_and_a_cell_leads_to_its_clauses(browser: Any, page: Path) -> None:
    context = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True)
    view = context.new_page()
    view.goto(page.as_uri())
    view.wait_for_function("document.documentElement.dataset.plots === 'ready'")
    view.locator("summary", has_text="Search, filter and sort").click()
    word = view.locator("#risk-matrix tbody th").first.inner_text()
    view.locator(".tools input").fill(word)
    rows = view.locator("#risk-matrix tbody tr:visible")
    shown = rows.count()
    cell = rows.first.locator("td a").first
    goal = str(cell.get_attribute("href"))
    cell.click()
    opened = view.locator(goal).is_visible()
    context.close()
    assert shown == 1
    assert opened


@pytest.mark.browser
def test_the_page_reads_without_scripts(browser: Any, page: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    view = context.new_page()
    view.goto(page.as_uri())
    assert view.locator("h2").count() == len(SECTIONS)
    assert view.locator("blockquote").count() > 10
    assert view.locator("#risk-matrix tbody tr").count() > 100
    context.close()


def test_a_starter_key_gets_the_whole_page_but_for_the_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(build_database(tmp_path))
    with served(caller.app) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys["starter"])
        page = run_monthly("2026-03", None, tmp_path / "out")
    caller.close()
    html = page.read_text(encoding="utf-8")
    assert re.findall(r'<h2[^>]*id="[^"]*">([^<]*)</h2>', html) == SECTIONS
    assert "the service shows changes to Pro keys only" in html
    assert "What changed is not known" in html
    assert "quiet month" not in html
    assert caller.keys["starter"] not in html
