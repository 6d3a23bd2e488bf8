"""Decisions on a page opened from a file: recorded by keyboard, kept, saved, merged, and held against the service."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics.frames import rows_of
from riskanalytics.pages.quoted import QUOTES_ID, unpacked
from riskanalytics.topics.decisions import differ, latest_of
from riskanalytics.topics.decisions.records import read_decisions, write_decisions
from tests.notebooks.conftest import PageOf

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CHANGE = "article[id^=change-] .decide"
CLAUSE = ".decide:not(article[id^=change-] *)"


def record(view: Any, control: Any, decision: str, name: str, note: str) -> None:
    """Decide with the keyboard alone."""
    made = view.locator(".decide.made").count()
    control.locator("summary").press("Enter")
    control.locator("select").select_option(decision)
    for words in (name, note):
        view.keyboard.press("Tab")
        view.keyboard.press("Control+A")
        view.keyboard.type(words)
    view.keyboard.press("Enter")
    view.wait_for_function(f"document.querySelectorAll('.decide.made').length > {made}")
    assert control.locator("summary").evaluate("(one) => one === document.activeElement")


def ready(view: Any) -> Any:
    view.wait_for_selector("html[data-decisions=ready]", state="attached")
    return view


def download(view: Any, path: Path) -> Path:
    with view.expect_download() as saved:
        view.get_by_role("button", name="Save as a file").click()
    saved.value.save_as(path)
    return path


def test_three_reviewers_record_save_and_merge(
    reader: Callable[..., Any], page_of: PageOf, tmp_path: Path, embedded_demo: Path
) -> None:
    page, files = page_of("platform_dossier"), []
    for name, first in (("Ann", "accept"), ("Bo", "dispute"), ("Cy", "accept")):
        view = ready(reader(page))
        assert not view.get_by_role("button", name="Save as a file").is_visible()
        record(view, view.locator(CHANGE).first, first, name, f"{name} knows: <b>é</b>")
        clause = view.locator(f"{CLAUSE}:visible").first
        record(view, clause, "ask_counsel", name, "Which plan?")
        assert clause.locator("summary").inner_text() == f"Counsel asked by {name}: Which plan?"
        files.append(download(view, tmp_path / f"{name}.json"))
    read = [one for file in files for one in read_decisions(file)]
    write_decisions(tmp_path / "merged.json", read)
    assert len(read_decisions(tmp_path / "merged.json")) == 6
    change = json.loads(files[0].read_text("utf-8"))["decisions"][0]
    assert (change["note"], change["day"], bool(change["change_id"])) == ("Ann knows: <b>é</b>", "2026-10-31", True)
    assert {"added", "removed"} >= {"removed" if one["removed"] else "added" for one in change["clauses"]}
    groups = [group for group in latest_of(read) if differ(group)]
    assert [sorted(group) for group in groups] == [["ann", "bo", "cy"]]
    with ra.connect() as client:
        slugs = sorted({clause.platform for one in read for clause in one.clauses})
        states = ra.decisions(tmp_path / "merged.json", ra.load(client, platforms=slugs))
    assert (set(states["state"]), int(states["conflict"].sum())) == ({"holds"}, 3)


def test_decisions_stay_when_the_page_is_opened_again_and_can_be_changed_and_removed(
    reader: Callable[..., Any], page_of: PageOf
) -> None:
    view = ready(reader(page_of("platform_dossier")))
    control = view.locator(".decide:visible").first
    record(view, control, "accept", "Ann", "Known.")
    view.reload()
    ready(view)
    assert control.locator("summary").inner_text() == "Accepted by Ann: Known."
    assert view.locator(".decisions output").inner_text() == "1 decision"
    control.locator("summary").click()
    control.locator("input").last.wait_for()
    assert control.locator("input").evaluate_all("(all) => all.map((one) => one.value)") == ["Ann", "Known."]
    control.locator("input").last.fill("   ")
    control.get_by_role("button", name="Record").click()
    assert control.locator("form").is_visible()  # a note needs words
    control.get_by_role("button", name="Remove").click()
    view.wait_for_selector(".decide.made", state="detached")
    view.reload()
    ready(view)
    assert control.locator("summary").inner_text() == "Decide"
    assert not view.locator(".decisions").is_visible()


def test_every_quote_and_change_has_one_labelled_control_and_none_without_scripts(
    reader: Callable[..., Any], page_of: PageOf
) -> None:
    page = page_of("monthly_report")
    view = ready(reader(page, 390, "dark"))
    assert view.locator("article[id^=change-]").count() == view.locator(CHANGE).count() > 0
    assert view.locator("article[id^=change-] blockquote ~ p .decide, .decide .decide").count() == 0
    labels = view.locator(".decide summary").evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))")
    assert all(re.fullmatch(r"Decide \(this (clause|change) of [a-z0-9-]+, .+\)", label) for label in labels)
    control = view.locator(".decide:visible").first
    control.locator("summary").click()
    control.locator("label").last.wait_for()
    assert control.locator("label").all_inner_texts()[1:] == ["Your name", "Note"]
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert control.locator("select").input_value() == ""  # nothing is decided in advance
    plain = reader(page, scripts=False)
    assert plain.locator(".decide, .decisions").count() == 0


def test_the_records_of_a_page_have_the_lead_in_of_each_finding(page_of: PageOf, embedded_demo: Path) -> None:
    with ra.connect() as client:
        findings = {row["finding_id"]: row["lead_in"] for row in rows_of(ra.load(client).findings)}
    for notebook in ("monthly_report", "platform_dossier"):
        html = page_of(notebook).read_text("utf-8")
        packed = re.search(rf'id="{QUOTES_ID}">([^<]*)<', html)
        assert packed is not None
        for quote in json.loads(unpacked(packed[1]))["quotes"]:
            lead_in = findings.get(quote["finding_id"])
            assert quote.get("lead_in") == (lead_in if isinstance(lead_in, str) else None) or lead_in is None, notebook
