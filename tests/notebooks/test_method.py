"""The method notebook: its page with labels, without labels and from a service that shows less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from riskanalytics.errors import LabelsError, SettingsError
from riskanalytics.reporting import run_report
from tests.accuracy.given import CAFE, write_labels
from tests.service.given import FILES, build_database
from tests.notebooks.conftest import PageOf, papermill, sections

SECTIONS = [
    "Questions and levels",
    "How a platform is rated",
    "One rating, step by step",
    "Accuracy",
    "Errors",
    "Kinds of recorded changes",
    "Limits",
    "Reproduction",
]


def test_without_labels_the_recorded_figures_are_shown_with_their_date(page_of: PageOf) -> None:
    html = page_of("method").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert html.count("<figure data-chart=") == html.count('class="plot-data"') == 3
    assert re.search(r"Measured on 20\d\d-\d\d-\d\d; version <code>", html)
    assert "A clause that the readers did not label counts as wrong" in html
    assert "the two shares differ by 0." in html
    assert "<h3>Withdrawn</h3>" in html
    assert "To list missed clauses and false alarms, give documents that you labelled" in html
    assert "not verified" not in html
    assert "localhost" not in html


def test_the_mean_is_the_one_the_service_used(page_of: PageOf) -> None:
    html = page_of("method").read_text(encoding="utf-8")
    shown = re.search(r"weighted mean of its levels is \d+ / \d+ = (\d\.\d\d)", html)
    result = re.search(r"By the formula, the rating is [^.]*the mean(?: is|,) (\d\.\d\d)", html)
    assert shown
    assert result
    assert shown[1] == result[1]


def test_with_labels_the_errors_are_shown_as_quotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small, files = tmp_path, FILES | {"Café Lumière/Privacy Policy/2026-02-01.md": CAFE}
    monkeypatch.setenv("RISKANALYTICS_DATABASE", str(build_database(small, files)))
    labels = write_labels(small / "labels")
    html = run_report("method", {"labels": str(labels), "platform": "aurelia-chat"}, small / "out").read_text("utf-8")
    assert sections(html) == SECTIONS
    assert "documents: 3, families: 2, labels: 6, firm: 5" in html
    assert "Withdrawn" not in html
    assert "These terms are the agreement between you and the company" in html
    assert "could not be scored" not in html
    assert str(small) not in html


@pytest.mark.slow
def test_labels_without_data_are_reported_missing(tmp_path: Path) -> None:
    html = run_report("method", {"labels": str(write_labels(tmp_path / "labels"))}, tmp_path / "out").read_text("utf-8")
    assert "could not be scored" in html
    assert "Their accuracy is not known" in html


def test_invalid_labels_end_the_run_with_their_line(small: Path) -> None:
    labels = write_labels(small / "labels", changes="{}\n")
    with pytest.raises(LabelsError, match=r"changes\.jsonl line 1"):
        run_report("method", {"labels": str(labels)}, small / "out")
    assert not (small / "out").exists()


@pytest.mark.slow
def test_a_service_that_shows_no_changes_to_this_key_still_gives_the_page(less: Path) -> None:
    html = run_report("method", {}, less / "out").read_text(encoding="utf-8")
    with pytest.raises(SettingsError, match="RISKANALYTICS_DATABASE"):
        run_report("method", {"labels": str(write_labels(less / "labels"))}, less / "out")
    assert sections(html) == SECTIONS
    assert "the service shows changes with a Pro key only" in html
    assert "Measured on 20" in html
