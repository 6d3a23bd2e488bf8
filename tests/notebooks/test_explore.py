"""The explore notebook: its page on the demo, on a small database and without a key, and under plain papermill."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import ParameterError
from riskanalytics.reporting import run_report
from tests.notebooks.conftest import PageOf, papermill, sections, slow

SECTIONS = ["Platforms, levels and clauses", "The worst platforms side by side", "Method and reproduction"]


def test_the_page_has_sections_heatmap_and_clauses_worst_first(page_of: PageOf) -> None:
    html = page_of("explore").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert re.findall(r'<figure data-chart="([^"]+)"', html) == ["surface_matrix"]
    assert re.search(r"<h1>Training use: \d+ of \d+ platforms with a clear result are rated HIGH</h1>", html)
    assert re.search(r"95 % interval \d+ to \d+ %", html)
    groups = re.findall(r'<h3>(At [A-Z]+|To be read|Not read|No clause found) <span class="thin">(\d+) platform', html)
    assert [name for name, _ in groups] == ["At HIGH", "At MED", "To be read", "Not read", "No clause found", "At LOW"]
    assert sum(int(number) for _, number in groups) == 320
    assert "not verified" not in html
    assert "jupyter.widget" not in html


@pytest.mark.slow
def test_another_surface_gives_a_page_of_that_surface(small: Path) -> None:
    made = run_report("explore", {"surface": "content_license"}, small / "out")
    html = made.read_text("utf-8")
    assert made.name.startswith("explore-content_license-2026-")
    assert "Content licence: 1 of 1 platform with a clear result is rated HIGH" in html
    assert "You grant us a worldwide, perpetual, irrevocable" in html
    assert "riskanalytics report explore -p surface=content_license" in html
    assert str(small) not in html


@pytest.mark.parametrize(
    ("surface", "said"),
    [("trainig_use", "did you mean training_use"), slow("<script>", "there is no surface '<script>'"),
     slow("", "the surfaces are training_use, ")],
)  # fmt: skip
def test_bad_parameters_end_with_one_line_and_leave_nothing(surface: str, said: str, small: Path) -> None:
    with pytest.raises(ParameterError, match=said):
        run_report("explore", {"surface": surface}, small / "out")
    assert not (small / "out").exists()


@pytest.mark.slow
def test_a_service_without_a_key_or_with_a_starter_key_gives_the_whole_page(less: Path) -> None:
    html = run_report("explore", {}, less / "out").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "We do not use your prompts to train our models." in html
    assert "not verified" not in html


@pytest.mark.slow
def test_plain_papermill_runs_it_without_a_front_end_and_leaves_no_widget_state(small: Path) -> None:
    result = papermill("explore", small, "-p", "surface", "data_retention")
    assert "Data retention" in result
    assert "Aurelia Chat" in result
    kept = (small / "out.ipynb").read_text(encoding="utf-8")
    assert "widgets" not in json.loads(kept)["metadata"]
    assert "application/vnd.jupyter.widget" not in kept
    assert len(kept) < 300_000


@pytest.mark.slow
@pytest.mark.browser
def test_the_table_leads_to_the_clauses_of_a_platform(reader: Callable[..., Any], page_of: PageOf) -> None:
    view = reader(page_of("explore"))
    view.get_by_text("320 platforms on this surface, as a table").click()
    link = view.locator("#surface-platforms tbody tr:visible a").nth(60)
    goal = str(link.get_attribute("href"))
    link.click()
    view.locator(f"{goal} blockquote").first.wait_for()
