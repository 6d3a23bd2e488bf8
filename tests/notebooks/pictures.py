"""The README's pictures, taken of the demo's pages by Chromium: `python -m tests.notebooks.pictures`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from riskanalytics.reporting import notebooks_folder, run_report
from tests.notebooks.conftest import CHROMIUM_FLAGS, chromium

PICTURES: Final = notebooks_folder().parent / "reports"
LEAD: Final = "monthly_report"
_WIDTH: Final = 1200
_TALL: Final = 1500
_SCALE: Final = 0.4
_SIDES: Final = """<body style="margin:0;background:#e9ebee;padding:24px;width:1500px;box-sizing:border-box;display:flex;gap:20px">
<div style="width:820px;height:700px;overflow:hidden;background:#fff"><img src="{top}" style="width:820px"></div>
<div style="width:612px;height:700px;overflow:hidden;background:#fff"><img src="{side}" style="width:580px;padding:16px"></div>
</body>"""


def take(browser: Any, page: Path, target: Path) -> None:
    """Take the top of a page, as a thumbnail."""
    view = browser.new_context(viewport={"width": _WIDTH, "height": _TALL}, device_scale_factor=_SCALE).new_page()
    view.goto(page.as_uri())
    view.wait_for_selector("html[data-plots=ready]", state="attached")
    view.screenshot(path=target)
    view.context.close()


def take_lead(browser: Any, page: Path, target: Path, folder: Path) -> None:
    """Take the top of the monthly report beside its heatmap."""
    view = browser.new_context(viewport={"width": _WIDTH, "height": 1000}).new_page()
    view.goto(page.as_uri())
    view.wait_for_selector("html[data-plots=ready]", state="attached")
    view.screenshot(path=folder / "top.png")
    view.locator("figure[data-chart=risk_matrix]").screenshot(path=folder / "side.png")
    made = folder / "sides.html"
    made.write_text(_SIDES.format(top=(folder / "top.png").as_uri(), side=(folder / "side.png").as_uri()))
    view.set_viewport_size({"width": 1500, "height": 748})
    view.goto(made.as_uri())
    view.screenshot(path=target)
    view.context.close()


def main() -> None:
    """Make every page and take its picture."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as started:
        folder = Path(name)
        browser = started.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        for notebook in sorted(path.stem for path in notebooks_folder().glob("*.ipynb")):
            page = run_report(notebook, {}, folder / "out")
            if notebook == LEAD:
                take_lead(browser, page, PICTURES / f"{notebook}.png", folder)
            else:
                take(browser, page, PICTURES / f"{notebook}.png")
        browser.close()


if __name__ == "__main__":
    main()
