"""The dossier of one platform: kept clean in git, and its page from the demo, a small database, a service that tells less."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.reporting import notebooks_folder, run_report
from tests.http_server import served
from tests.notebooks.test_method import sections
from tests.notebooks.test_monthly_report import HEIGHTS, browser, source
from tests.service.given import Caller, build_database

__all__ = ["browser"]

PATH = notebooks_folder() / "platform_dossier.ipynb"
NOTEBOOK = json.loads(PATH.read_text(encoding="utf-8"))
SECTIONS = [
    "The rating, and how it was made",
    "Against its peers",
    "History",
    "What changed",
    "Every clause in its paragraph",
    "Where its words disagree",
    "Read, and nothing found",
    "Documents",
    "Method and reproduction",
]


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
    return run_report("platform_dossier", {}, tmp_path_factory.mktemp("reports"))


def test_the_page_is_of_the_worst_platform_with_all_sections_and_charts(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "rated HIGH" in html
    assert html.count("<figure data-chart=") == html.count('class="plot-data"') == 2
    assert "not verified" not in html
    assert "localhost" not in html
    assert str(Path.home()) not in html


def test_every_clause_stands_once_with_its_offsets_and_verified(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    said = re.search(r"HIGH: (\d+) citations extracted", html)
    assert said
    clauses = html[html.index("section aria-label=Clauses") :]
    clauses = clauses[: clauses.index("</section>")]
    assert clauses.count("<blockquote>") + clauses.count("Same words: ") == int(said[1])
    assert clauses.count("characters ") == clauses.count("<span class=ok>verified") == int(said[1])


def test_the_page_is_light_and_its_links_have_their_goals(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    packed = re.search(r'<script type="text/plain" id="plotly">[^<]*</script>', html)
    assert packed is not None
    assert len(html.encode()) - len(packed[0]) < 300_000
    anchors = re.findall(r'\sid="?([^"\s>]+)', html)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(anchors)


def test_two_runs_give_the_same_bytes(page: Path, tmp_path: Path) -> None:
    again = run_report("platform_dossier", {}, tmp_path)
    assert again.name == page.name
    assert again.read_bytes() == page.read_bytes()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(build_database(tmp_path)))
    return tmp_path


def told(folder: Path, **parameters: str) -> str:
    return run_report("platform_dossier", parameters, folder / "out").read_text(encoding="utf-8")


def test_of_an_ingested_platform_the_change_that_moved_it_is_told_with_its_words(small: Path) -> None:
    html = told(small, platform="aurelia-chat")
    assert sections(html) == SECTIONS
    assert "2026-03-05" in html
    assert "We do not use your prompts to train our models." in html
    assert re.search(r'href="#change-[0-9a-f]+">now says</a>', html)
    assert "not verified" not in html


def test_a_past_day_shows_the_state_of_that_day_and_nothing_later(small: Path) -> None:
    html = told(small, platform="aurelia-chat", as_of="2026-02-20")
    assert "data as of 2026-02-20" in html
    assert "We use the prompts you enter to train our models." in html
    assert "We do not use your prompts" not in html
    assert "2026-03-05" not in html


def test_a_platform_that_could_not_be_read_has_a_page_that_says_so(small: Path) -> None:
    html = told(small, platform="northwind-draft")
    assert "Northwind Draft: not rated" in html
    assert "No clause was found" in html
    assert "Not read, so not known" in html


@pytest.mark.parametrize(
    ("parameters", "kind", "said"),
    [
        ({"platform": "aurelia"}, ParameterError, "no platform 'aurelia' is tracked; slugs are such as aurelia-chat"),
        ({"platform": "aurelia-chat,northwind-draft"}, ParameterError, "platform is one slug"),
        ({"platform": "northwind-draft", "as_of": "2026-01-12"}, ParameterError, "slugs are such as aurelia-chat"),
        ({"as_of": "yesterday"}, ParameterError, "as_of is a day, YYYY-MM-DD"),
        ({"as_of": "2199-01-01"}, IncompleteReportError, "lies after the data"),
        ({"as_of": "1999-01-01"}, IncompleteReportError, "no platform was tracked on that day"),
    ],
)
def test_bad_parameters_end_with_one_line_that_says_what_to_do(
    small: Path, parameters: dict[str, str], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said) as raised:
        told(small, **parameters)
    assert "\n" not in str(raised.value)
    assert not (small / "out").exists()


@pytest.mark.parametrize("tier", ["", "starter"])
@pytest.mark.parametrize("as_of", ["", "2026-01-20"])
def test_without_a_pro_key_the_changes_are_said_to_be_not_known(
    tier: str, as_of: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(build_database(tmp_path))
    with served(caller.app) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        if tier:
            monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys[tier])
        html = told(tmp_path, platform="aurelia-chat", as_of=as_of)
    caller.close()
    assert sections(html) == SECTIONS
    assert "the service shows changes to Pro keys only" in html
    assert "No change is recorded" not in html
    assert html.count("<blockquote>") >= 3
    assert caller.keys["starter"] not in html


def test_plain_papermill_runs_it(small: Path) -> None:
    words = [sys.executable, "-m", "papermill", str(PATH), "out.ipynb", "-p", "platform", "aurelia-chat", "--no-progress-bar"]
    result = subprocess.run(words, cwd=small, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    cells = json.loads((small / "out.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert any(
        "".join(output.get("data", {}).get("text/plain", "")).startswith("Aurelia Chat: rated ") for output in outputs
    )


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
