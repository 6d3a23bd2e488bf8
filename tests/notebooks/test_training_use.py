"""Training use: kept clean in git, and its page on the demo, a small database and services that tell less."""

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

NOTEBOOK = json.loads((notebooks_folder() / "training_use.ipynb").read_text(encoding="utf-8"))
SECTIONS = [
    "Consumers beside business users",
    "How common each answer is",
    "Movement over time",
    "Who changed, and what the change said",
    "The clauses",
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
    return run_report("training_use", {}, tmp_path_factory.mktemp("reports"))


def test_the_page_has_its_sections_in_order_and_every_chart(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert re.findall(r'<figure data-chart="([^"]+)"', html) == ["training_use", "stance_shares", "stance_history"]
    assert re.search(r"answer apart for consumers and for business users; \d+ of them", html)
    assert re.search(r"moved in the 24 months to 2026-\d\d-\d\d: ", html)
    assert "not verified" not in html


def test_the_page_is_light_and_every_link_inside_it_has_its_goal(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    packed = re.search(r'<script type="text/plain" id="plotly">[^<]*</script>', html)
    assert packed is not None
    assert len(html.encode()) - len(packed[0]) < 1_000_000
    anchors = re.findall(r'\sid="?([^"\s>]+)', html)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(anchors)
    assert "localhost" not in html
    assert str(Path.home()) not in html


def test_two_runs_give_the_same_bytes(page: Path, tmp_path: Path) -> None:
    assert run_report("training_use", {}, tmp_path).read_bytes() == page.read_bytes()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(build_database(tmp_path)))
    return tmp_path


def test_a_small_database_shows_who_changed_with_the_words_before_and_after(small: Path) -> None:
    html = run_report("training_use", {}, small / "out").read_text("utf-8")
    assert sections(html) == SECTIONS
    assert "1 of 3 platforms moved" in html or "1 of 2 platforms moved" in html
    assert "away from training" in html
    assert "Trains by default → Does not train" in html
    assert re.search(r"<del>[^<]*</del>", html)
    assert str(small) not in html


def test_an_earlier_day_and_named_platforms_give_a_page_of_that_day(small: Path) -> None:
    made = run_report("training_use", {"as_of": "2026-02-10", "platforms": "aurelia-chat"}, small / "out")
    html = made.read_text("utf-8")
    assert made.name == "training_use-2026-02-10-aurelia-chat.html"
    assert "We use the prompts you enter to train our models." in html
    assert "We do not use your prompts" not in html
    assert "No stance moved in the 24 months to 2026-02-10." in html
    assert "-p as_of=2026-02-10 -p platforms=aurelia-chat" in html


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [({"platforms": ["aurelia-chap"]}, ParameterError, "did you mean aurelia-chat"),
     ({"platforms": "<script>"}, ParameterError, "no platform '<script>' is tracked"),
     ({"as_of": "yesterday"}, ParameterError, "a day is YYYY-MM-DD"),
     ({"as_of": "2199-01-01"}, IncompleteReportError, "lies after the data"),
     ({"as_of": "1999-01-01"}, IncompleteReportError, "no platform was tracked yet on 1999-01-01")],
)  # fmt: skip
def test_bad_parameters_end_with_one_line_and_leave_nothing(
    given: dict[str, Any], kind: type[Exception], said: str, small: Path
) -> None:
    with pytest.raises(kind, match=said):
        run_report("training_use", given, small / "out")
    assert not (small / "out").exists()


@pytest.mark.parametrize("tier", ["", "starter"])
def test_a_service_that_shows_no_changes_to_this_key_says_what_is_not_known(
    tier: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(build_database(tmp_path))
    with served(caller.app) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        if tier:
            monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys[tier])
        html = run_report("training_use", {}, tmp_path / "out").read_text(encoding="utf-8")
    caller.close()
    assert sections(html) == SECTIONS
    assert "Who changed is not known: the service shows changes to Pro keys only." in html
    assert "how the answers moved, is not known" in html
    assert html.count("<figure data-chart=") == 2
    assert "We do not use your prompts to train our models." in html
    assert caller.keys["starter"] not in html


def test_plain_papermill_runs_it(small: Path) -> None:
    path = notebooks_folder() / "training_use.ipynb"
    words = [sys.executable, "-m", "papermill", str(path), "out.ipynb", "-p", "platforms", "aurelia-chat", "--no-progress-bar"]
    result = subprocess.run(words, cwd=small, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    outputs = [output for cell in json.loads((small / "out.ipynb").read_text())["cells"] for output in cell.get("outputs", [])]
    told = "\n".join(
        "".join(output["data"]["text/plain"]) for output in outputs if "text/plain" in output.get("data", {})
    )
    assert "Who trains on customer content" in told
    assert "Aurelia Chat: trains_by_default → does_not_train" in told


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
    assert declared == drawn == 3
    assert content <= window


@pytest.mark.browser
def test_the_table_finds_a_platform_and_leads_to_its_clauses(browser: Any, page: Path) -> None:
    context = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True)
    view = context.new_page()
    view.goto(page.as_uri())
    view.wait_for_function("document.documentElement.dataset.plots === 'ready'")
    view.locator(".tools select").select_option("depends_on_plan")
    link = view.locator("#stance-table tbody tr:visible a").last
    goal = str(link.get_attribute("href"))
    link.click()
    opened = view.locator(f"{goal} blockquote").first.is_visible()
    context.close()
    assert opened
