"""The recipes of CONTRIBUTING.md: each names at most three files, and following one in a copy of the project works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RECIPES = dict(
    re.findall(
        r"^\*\*(Add [^*]+)\*\*\n((?:\d\. [^\n]*\n)+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M
    )
)
CHART = '''

def ratings_in_a_row(mix: pd.DataFrame) -> Chart:
    """Draw the number of platforms of each rating.

    Examples
    --------
    >>> charts.ratings_in_a_row(analysis.rating_mix(data.platforms)).title
    'How are platforms rated?'
    """
    figure = canvas("How are platforms rated?", height=200).add_bar(x=mix["rating"], y=mix["platforms"])
    return Chart("ratings_in_a_row", figure, "Platforms by rating.", mix)


__all__ += ["ratings_in_a_row"]
'''
ENDPOINT = '''

@router.get("/api/machine/newest", responses=answers(Newest))
def newest(service: TheService, request: Request) -> Response:
    """Tell the newest day of the data."""
    return answer(request, {"day": (service.store.newest or "")[:10]})
'''
RECORD = '''

class Newest(Record):
    """The newest day of the data."""

    day: str
    """YYYY-MM-DD."""
'''
CALLED = """
import json, sys
from pathlib import Path
from starlette.testclient import TestClient
from tests.service.given import Caller, build_database
caller = Caller(build_database(Path(sys.argv[1])))
with TestClient(caller.app) as client:
    day = client.get("/api/machine/newest").json()
    schema = client.get("/openapi.json").json()["components"]["schemas"]["Newest"]
print(json.dumps([day, schema["properties"]["day"]["type"], schema["required"]]))
caller.close()
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy what a recipe may touch."""
    ignored = shutil.ignore_patterns("__pycache__", ".*")
    for folder in ("riskanalytics", "notebooks", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    return tmp_path


def run(copy: Path, *words: str) -> str:
    """Run Python on the copy, and return the last line that it prints."""
    done = subprocess.run(
        [sys.executable, *words], cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().splitlines()[-1]


def test_there_is_a_recipe_for_each_thing_that_is_added_often_and_each_names_at_most_three_files() -> None:
    assert list(RECIPES) == ["Add a surface", "Add a chart", "Add a notebook", "Add an endpoint"]
    for steps in RECIPES.values():
        assert 1 <= steps.count("\n") <= 3


@pytest.mark.slow
def test_a_chart_needs_its_module_and_is_offered_and_shown(copy: Path) -> None:
    with (copy / "riskanalytics/topics/ratings/chart.py").open("a", encoding="utf-8") as module:
        module.write(CHART)
    path = copy / "notebooks/method.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"][-1]["source"] = ["charts.ratings_in_a_row(ra.analysis.rating_mix(data.platforms))"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    page = Path(run(copy, "-m", "riskanalytics.cli", "report", "method", "--out", str(copy / "out")))
    assert '<figure data-chart="ratings_in_a_row"' in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_notebook_needs_its_file_and_is_a_page_a_command_and_a_line_of_the_list(copy: Path) -> None:
    shutil.copy(copy / "notebooks/method.ipynb", copy / "notebooks/own_method.ipynb")
    page = Path(run(copy, "-m", "riskanalytics.cli", "report", "own_method", "--out", str(copy / "out")))
    assert page.name.startswith("own_method-")
    assert page.name in (copy / "out/index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_endpoint_needs_its_handler_and_its_record_and_is_described(copy: Path) -> None:
    module = copy / "riskanalytics/service/routes.py"
    text = module.read_text(encoding="utf-8").replace(
        "    MachinePlatform,\n", "    MachinePlatform,\n    Newest,\n", 1
    )
    module.write_text(text + ENDPOINT, encoding="utf-8")
    with (copy / "riskanalytics/models/records.py").open("a", encoding="utf-8") as records:
        records.write(RECORD)
    assert json.loads(run(copy, "-c", CALLED, str(copy))) == [{"day": "2026-03-05"}, "string", ["day"]]
