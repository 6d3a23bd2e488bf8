"""The method: kept clean in git, and its page with labels, without them, and from a service that tells less."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import LabelsError, SettingsError
from riskanalytics.reporting import notebooks_folder, run_report
from tests.accuracy.given import write_labels
from tests.http_server import served
from tests.notebooks.test_monthly_report import HEIGHTS, browser, source
from tests.service.given import Caller, build_database

__all__ = ["browser"]

NOTEBOOK = json.loads((notebooks_folder() / "method.ipynb").read_text(encoding="utf-8"))
SECTIONS = [
    "What is looked for",
    "How a platform is rated",
    "One rating, step by step",
    "How well it reads",
    "Where it fails",
    "What recorded changes are made of",
    "Limits",
    "Reproduction",
]


def sections(html: str) -> list[str]:
    return re.findall(r'<h2[^>]*id="[^"]*">([^<]*)</h2>', html)


def test_the_notebook_is_short_and_kept_without_outputs() -> None:
    cells = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert len(cells) < 15
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    assert len({cell["id"] for cell in NOTEBOOK["cells"]}) == len(NOTEBOOK["cells"])
    assert cells[0]["metadata"]["tags"] == ["parameters"]
    for cell in cells:
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        assert not any(isinstance(node, kinds) for node in ast.walk(ast.parse(source(cell))))


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_report("method", {}, tmp_path_factory.mktemp("reports"))


def test_without_labels_the_recorded_figures_stand_with_their_date(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert html.count("<figure data-chart=") == html.count('class="plot-data"') == 2
    assert re.search(r"Measured on 20\d\d-\d\d-\d\d in \d+ texts of \d+ platforms from which no rule was written", html)
    assert "Of those found, " in html
    assert "expect less on texts never seen" not in html
    assert "can be shown only beside labels" in html
    assert "not verified" not in html
    assert "localhost" not in html


def test_the_mean_is_the_one_that_the_service_rated_by(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    shown = re.search(r"= <strong>(\d\.\d\d)</strong>", html)
    told = re.search(r"rating\.mean=(\d\.\d\d)", html)
    assert shown
    assert told
    assert shown[1] == told[1]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(build_database(tmp_path)))
    return tmp_path


def test_beside_labels_the_faults_are_shown_as_quotes(small: Path) -> None:
    labels = write_labels(small / "labels")
    html = run_report("method", {"labels": str(labels), "platform": "aurelia-chat"}, small / "out").read_text("utf-8")
    assert sections(html) == SECTIONS
    assert "Measured against the labels given, on 5 clauses labelled by hand" in html
    assert "is held out in turn" in html
    assert "are not learned again" in html
    assert "These terms are the agreement between you and the company" in html
    assert "could not be scored" not in html
    assert str(small) not in html


def test_labels_that_the_data_do_not_hold_are_said_to_be_missing(tmp_path: Path) -> None:
    html = run_report("method", {"labels": str(write_labels(tmp_path / "labels"))}, tmp_path / "out").read_text("utf-8")
    assert "could not be scored" in html
    assert "How well they read is not known" in html


def test_labels_of_another_form_end_the_run_with_their_line(small: Path) -> None:
    labels = write_labels(small / "labels", changes="{}\n")
    with pytest.raises(LabelsError, match=r"changes\.jsonl line 1"):
        run_report("method", {"labels": str(labels)}, small / "out")
    assert not (small / "out").exists()


@pytest.mark.parametrize("tier", ["", "starter"])
def test_a_service_that_shows_no_changes_to_this_key_still_gives_the_page(
    tier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(build_database(tmp_path))
    with served(caller.app) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        if tier:
            monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys[tier])
        html = run_report("method", {}, tmp_path / "out").read_text(encoding="utf-8")
        with pytest.raises(SettingsError, match="RISKANALYTICS_DATABASE"):
            run_report("method", {"labels": str(write_labels(tmp_path / "labels"))}, tmp_path / "out")
    caller.close()
    assert sections(html) == SECTIONS
    assert "the service shows changes to Pro keys only" in html
    assert "Measured on 20" in html


def test_plain_papermill_runs_it(small: Path) -> None:
    path = notebooks_folder() / "method.ipynb"
    words = [sys.executable, "-m", "papermill", str(path), "out.ipynb", "-p", "faults", "3", "--no-progress-bar"]
    result = subprocess.run(words, cwd=small, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    outputs = [output for cell in json.loads((small / "out.ipynb").read_text())["cells"] for output in cell.get("outputs", [])]
    told = "\n".join(
        "".join(output["data"]["text/plain"]) for output in outputs if "text/plain" in output.get("data", {})
    )
    assert "How the ratings are made, and how far to trust them" in told
    assert "Aurelia Chat: HIGH, mean " in told or "Café Lumière: HIGH, mean " in told


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
    assert declared == drawn == 2
    assert content <= window
