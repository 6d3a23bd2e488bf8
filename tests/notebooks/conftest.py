"""The demo's pages, made once for all tests, and a browser to read them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from riskanalytics.reporting import notebooks_folder, run_report
from tests.http_server import served
from tests.service.given import Caller, build_database

PageOf = Callable[[str], Path]


CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


def chromium() -> str | None:
    """Return the path of a Chromium on this machine."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def slow(*values: object) -> Any:
    """Return the values of a test's case that runs with `-m slow` only: a variant of a default one."""
    return pytest.param(*values, marks=pytest.mark.slow)


def sections(html: str) -> list[str]:
    """Return the titles of a page's sections."""
    return re.findall(r'<h2[^>]*id="[^"]*">([^<]*)</h2>', html)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a small database, and set it as the source."""
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(build_database(tmp_path)))
    return tmp_path


@pytest.fixture(params=["starter"])
def less(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Set as the source a service that shows no changes to a Starter key, or to nobody without a key (parameter `""`)."""
    caller = Caller(build_database(tmp_path))
    with served(caller.app) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        if request.param:
            monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys[request.param])
        yield tmp_path
    caller.close()
    for page in tmp_path.rglob("*.html"):
        assert caller.keys["starter"] not in page.read_text(encoding="utf-8")


def papermill(notebook: str, folder: Path, *parameters: str) -> str:
    """Run a notebook with plain papermill and return the text outputs of its cells."""
    path = notebooks_folder() / f"{notebook}.ipynb"
    words = [sys.executable, "-m", "papermill", str(path), "out.ipynb", *parameters, "--no-progress-bar"]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    cells = json.loads((folder / "out.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return "\n".join("".join(output["data"].get("text/plain", "")) for output in outputs if "data" in output)


@pytest.fixture(scope="session")
def page_of(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> PageOf:
    """Return a function that makes a notebook's demo page once, with its PDF if a test of this run needs it."""
    base = tmp_path_factory.getbasetemp()  # the workers of a run share the pages
    printed = {item.name for item in request.session.items if "pdf" in item.name}
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pages"

    def page(notebook: str) -> Path:
        out = folder / notebook
        out.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{notebook}.lock"):
            made = next(iter(sorted(out.glob(f"{notebook}*.html"))), None)
            return made or run_report(notebook, {}, out, pdf=any(f"[{notebook}]" in name for name in printed))

    return page


@pytest.fixture(scope="module")  # its event loop runs while it is open; other modules run their own loops
def browser() -> Iterator[Any]:
    """Return a headless Chromium; skip the test if Chromium is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install -e '.[browser]'")
    found = chromium()
    if found is None:
        pytest.skip("needs a Chromium on this machine")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=found, args=CHROMIUM_FLAGS)
        yield opened
        opened.close()


Opened = tuple[Callable[..., Any], Callable[[], None]]
"""A function that opens a page, and a function that fails if a page has sent a console message or a request since its last call."""


@pytest.fixture
def reader(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open pages offline; console messages and requests fail the test at its end."""
    with pages_opened(browser) as (opened, check):
        yield opened
    check()


@contextmanager
def pages_opened(browser: Any) -> Iterator[Opened]:
    """Give the functions that open pages offline, and check them; close the pages at the end."""
    contexts: list[Any] = []
    said: list[str] = []

    def opened(page: Path, width: int = 1200, scheme: str = "light", *, scripts: bool = True) -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True, java_script_enabled=scripts
        )
        contexts.append(context)
        view, own = context.new_page(), page.as_uri()
        view.on("console", lambda message: said.append(message.text))
        view.on("pageerror", lambda error: said.append(str(error)))
        view.on("request", lambda request: said.extend({request.url.partition("#")[0]} - {own}))
        view.goto(own)
        if scripts:
            view.wait_for_selector("html[data-plots=ready]", state="attached")
        return view

    def check() -> None:
        messages = said.copy()
        said.clear()
        assert messages == []

    yield opened, check
    for context in contexts:
        context.close()
