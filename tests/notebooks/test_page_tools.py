"""The tools of a page: filters and groups of the heatmap, clauses of a cell, saved tables, links."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from riskanalytics.pages.figures import Chart
from riskanalytics.pages.section import DETAILS, encode
from riskanalytics.pages.values import PAGE_TYPE, Evidence, Group, Heading, Pair, Paragraph, Quote
from riskanalytics.reporting.exporter import RiskReportExporter
from tests.notebooks.conftest import PageOf, pages_opened

pytestmark = pytest.mark.browser
HEATMAP = "figure[data-chart=risk_matrix]"
HOSTILE = [
    '=HYPERLINK("//a.example")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\uff1d1",
    "<img src=x onerror=alert(1)>",
    'a "b", c',
]


AS_OPENED = """() => {
  document.querySelectorAll(".tools").forEach((tools) => {
    tools.querySelectorAll("select").forEach((one) => { one.selectedIndex = 0; });
    tools.querySelectorAll("input").forEach((one) => { one.value = ""; });
    tools.querySelectorAll("button").forEach((one) => { one.hidden = false; });
    delete tools.dataset.all;
    tools.dispatchEvent(new Event("input"));
  });
  document.querySelectorAll("details[open]").forEach((one) => { one.open = false; });
}"""
"""Undoes what an earlier test did to the page."""


@pytest.fixture(scope="module")
def monthly(browser: Any, page_of: PageOf) -> Iterator[tuple[Any, Callable[[], None]]]:
    """The monthly page, opened once for the tests of this file, and the check of its messages."""
    with pages_opened(browser) as (opened, check):
        yield opened(page_of("monthly_report")), check


@pytest.fixture
def view(monthly: tuple[Any, Callable[[], None]]) -> Iterator[Any]:
    """The monthly page without filters, open folds or panel; console messages and requests fail the test at its end."""
    page, check = monthly
    page.keyboard.press("Escape")
    page.evaluate(AS_OPENED)
    wait_for_rows(page, 40)
    yield page
    check()


def rows_drawn(view: Any) -> list[str]:
    names: list[str] = view.evaluate(f"document.querySelector('{HEATMAP} .plot').data[0].y.slice()")
    return names


def wait_for_rows(view: Any, count: int) -> list[str]:
    for _ in range(50):
        if len(names := rows_drawn(view)) == count:
            return names
        view.wait_for_timeout(100)
    raise AssertionError(f"{len(names)} rows are drawn, not {count}")


def shown(view: Any) -> int:
    return int(view.locator(f"{HEATMAP} .tools[data-chart] output").inner_text().split()[0])


@pytest.mark.slow
def test_the_heatmap_follows_search_filters_groups_and_show_all(view: Any) -> None:
    tools = view.locator(f"{HEATMAP} .tools[data-chart]")
    assert len(rows_drawn(view)) == shown(view) == 40
    worst = rows_drawn(view)[0]
    tools.locator("input").fill(worst.lower())
    assert wait_for_rows(view, shown(view)) == [worst]
    tools.locator("input").fill("")
    tools.locator("button").click()
    assert len(wait_for_rows(view, 320)) == shown(view)
    tools.locator("select").nth(0).select_option("MED")
    medium = shown(view)
    tools.locator("select.surface").select_option(label="Training use")
    tools.locator("select.level").select_option("L")
    assert 0 < shown(view) < medium
    wait_for_rows(view, shown(view))
    letters = view.evaluate(f"document.querySelector('{HEATMAP} .plot').data[0].text.map((row) => row[2])")
    assert set(letters) == {"L"}
    tools.locator("select.level").select_option("all")
    tools.locator("select").nth(0).select_option("")
    tools.locator("select.surface").select_option("")
    tools.locator("select.group").select_option("1")
    grouped = wait_for_rows(view, shown(view) + 4)  # the reader has asked for all
    assert next(name for name in grouped if name.startswith("<b>")).startswith("<b>HIGH · ")


@pytest.mark.slow
def test_an_untracked_platform_leaves_an_empty_heatmap_without_an_error(view: Any) -> None:
    view.locator(f"{HEATMAP} .tools[data-chart] input").fill("no such platform [")
    assert wait_for_rows(view, 0) == []
    assert shown(view) == 0
    assert view.locator(f"{HEATMAP} .title").text_content().startswith("No platform matches")
    assert not view.locator(f"{HEATMAP} .plot").is_visible()


def test_a_click_on_a_cell_opens_its_clauses_and_escape_closes_them(view: Any) -> None:
    worst = rows_drawn(view)[0]
    view.locator(HEATMAP).scroll_into_view_if_needed()
    area = view.locator(f"{HEATMAP} .nsewdrag").bounding_box()
    place = (area["x"] + area["width"] * 2.5 / 14, area["y"] + 10)
    view.mouse.move(*place)
    view.wait_for_timeout(300)
    view.mouse.click(*place)
    panel = view.locator("aside.panel")
    panel.wait_for()
    assert worst in panel.locator(".title").inner_text()
    assert "Training use" in panel.locator(".title").inner_text()
    assert panel.locator("blockquote").count() >= 1
    assert "characters" in panel.inner_text()
    view.keyboard.press("Escape")
    assert panel.count() == 0


@pytest.mark.slow
def test_a_cell_is_opened_and_closed_by_keyboard_and_regains_focus(view: Any) -> None:
    view.locator("summary", has_text="platforms as a table").press("Enter")
    link = view.locator("#risk-matrix tbody td a").first
    link.focus()
    view.keyboard.press("Enter")
    panel = view.locator("aside.panel")
    assert panel.evaluate("(one) => one === document.activeElement")
    assert panel.locator("blockquote").count() >= 1
    goal = str(panel.locator("a.full").get_attribute("href"))
    view.keyboard.press("Escape")
    assert link.evaluate("(one) => one === document.activeElement")
    view.goto(view.url.partition("#")[0] + goal)
    view.locator(f"{goal} blockquote").first.wait_for()


@pytest.mark.slow
def test_a_cell_whose_clauses_are_on_another_page_says_where(view: Any) -> None:
    view.locator(f"{HEATMAP} .tools[data-chart] button").click()
    view.locator("summary", has_text="platforms as a table").click()
    row = view.locator("#risk-matrix tbody tr:not(:has(a))").first
    row.locator("td.H, td.M, td.L").nth(1).click()
    result = view.locator("aside.panel").inner_text()
    assert f"platform_dossier -p platform={row.get_attribute('data-s')}" in result


@pytest.mark.slow
def test_a_link_to_a_clause_opens_the_fold_around_it(view: Any) -> None:
    last = view.evaluate("[...document.querySelectorAll('details blockquote[id]')].pop().id")
    view.goto(f"{view.url.partition('#')[0]}#{last}")
    view.locator(f"#{last}").wait_for()
    view.locator(f"#{last}").hover()
    view.locator(f'a.self[href="#{last}"]').wait_for()


@pytest.mark.slow
def test_the_matrix_is_saved_with_words_for_every_cell(view: Any) -> None:
    view.locator("summary", has_text="platforms as a table").click()
    with view.expect_download() as download:
        view.get_by_role("button", name="Save the table risk-matrix as CSV").click()
    frame = pd.read_csv(download.value.path())
    assert download.value.suggested_filename.endswith("-risk-matrix.csv")
    assert len(frame) == 320
    assert list(frame.columns[:4]) == ["Platform", "Rating", "Evidence", "Training use"]
    assert set(frame["Training use"].str.partition(" (")[0]) <= {
        "HIGH",
        "MED",
        "LOW",
        "to be read",
        "not read",
        "no clause found",
    }


@pytest.mark.slow
def test_a_filtered_table_is_saved_filtered(view: Any) -> None:
    assert "matching" not in view.locator(f"{HEATMAP} .title").text_content()
    view.locator(f"{HEATMAP} .tools[data-chart] select").nth(0).select_option("UNRATED")
    view.locator("summary", has_text="platforms as a table").click()
    with view.expect_download() as download:
        view.get_by_role("button", name="Save the table risk-matrix as CSV").click()
    frame = pd.read_csv(download.value.path())
    assert 0 < len(frame) == shown(view) < 40
    assert set(frame["Rating"]) == {"UNRATED"}
    view.get_by_text(f"Save the {len(frame)} matching rows as").wait_for()
    assert re.match(rf"0 of {len(frame)} matching platforms", view.locator(f"{HEATMAP} .title").text_content())
    assert (
        f"Heatmap of {len(frame)} of 320 platforms, those that match"
        in view.locator(f"{HEATMAP} figcaption").text_content()
    )


@pytest.mark.slow
def test_search_finds_british_and_american_spelling_while_typing(view: Any) -> None:
    tools = view.locator(".tools[data-for='table-5']")
    view.locator("details", has=tools).locator("summary").click()
    found = {}
    for typed in ("licence", "license", "licen", "content_lic", "licencf"):
        tools.locator("input").fill(typed)
        found[typed] = int(tools.locator("output").text_content().split()[0])
    assert found["licence"] == found["license"] == found["licen"] == found["content_lic"] > 0
    assert found["licencf"] == 0


@pytest.mark.slow
def test_the_heatmap_is_grouped_and_names_what_it_omits(view: Any) -> None:
    view.locator(f"{HEATMAP} .tools[data-chart] select.group").select_option("1")
    view.wait_for_timeout(500)
    names = rows_drawn(view)
    heads = [name for name in names if name.startswith("<b>")]
    result = view.locator(f"{HEATMAP} .tools[data-chart] output").inner_text()
    assert len(heads) == 4
    assert result == f"320 of 320 platforms, {len(names) - len(heads)} drawn"


@pytest.mark.slow
def test_a_link_to_a_filtered_row_shows_the_row(view: Any) -> None:
    view.locator("summary", has_text="quoted on this page").click()
    goal = view.evaluate("document.querySelector('tr[id^=text-]').id")
    table = view.evaluate(f"document.getElementById('{goal}').closest('table').id")
    view.locator(f".tools[data-for={table}] input").fill("zzzz")
    assert not view.locator(f"#{goal}").is_visible()
    view.goto(f"{view.url.partition('#')[0]}#{goal}")
    view.locator(f"#{goal}").wait_for()


@pytest.mark.slow
def test_a_platform_without_clauses_is_reached_by_keyboard(view: Any) -> None:
    view.locator(f"{HEATMAP} .tools[data-chart] button").click()
    view.locator("summary", has_text="platforms as a table").click()
    name = view.locator("#risk-matrix tbody button.name").first
    name.focus()
    view.keyboard.press("Enter")
    assert "platform_dossier -p platform=" in view.locator("aside.panel").inner_text()
    view.keyboard.press("Escape")
    assert name.evaluate("(one) => one === document.activeElement")


@pytest.mark.slow
def test_an_old_browser_shows_the_numbers_of_charts_and_working_tables(browser: Any, page_of: PageOf) -> None:
    view = browser.new_context(offline=True).new_page()
    view.add_init_script("delete window.DecompressionStream")
    view.goto(page_of("monthly_report").as_uri())
    view.wait_for_selector("html[data-plots=undrawn]", state="attached")
    assert view.locator(".plot:visible").count() == 0
    assert view.locator("figure details[open]").count() == view.locator("figure[data-chart]").count()
    assert view.locator("button.sort").count() > 10
    view.context.close()


def hostile_page(folder: Path) -> Path:
    frame = pd.DataFrame({"name": HOSTILE, "share": [-0.5, 1, 2, 3, 4, 5, 6_000]}).convert_dtypes()
    bundle = Chart("mix", go.Figure(go.Bar(x=[1], y=[1])), "one", frame)._repr_mimebundle_()
    outputs = [
        new_output("display_data", data=bundle),
        new_output("display_data", data={PAGE_TYPE: encode((Heading("Part", 2),))}),
    ]
    notebook = new_notebook(cells=[new_code_cell("", outputs=outputs)])
    (folder / "page.html").write_text(RiskReportExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    return folder / "page.html"


def test_a_saved_table_is_text_in_a_spreadsheet_and_exact_as_json(reader: Callable[..., Any], tmp_path: Path) -> None:
    view = reader(hostile_page(tmp_path))
    view.locator("summary").click()
    saved = {}
    for kind in ("CSV", "JSON"):
        with view.expect_download() as download:
            view.get_by_role("button", name=f"as {kind}").click()
        saved[kind] = Path(download.value.path()).read_bytes().decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(saved["CSV"], newline="")))
    assert rows[0] == ["name", "share"]
    assert [row[0] for row in rows[1:]] == ["'" + text for text in HOSTILE[:5]] + HOSTILE[5:]
    assert rows[1][1] == "-0.5"
    assert [row["name"] for row in json.loads(saved["JSON"])] == HOSTILE
    assert json.loads(saved["JSON"])[-1]["share"] == 6000


CLAUSES = [
    Evidence("We keep it.", "a" * 64, 20, 31, "f-1", "lumen", "data_retention", "Terms", lead_in="You agree: "),
    Evidence("Kept for ever.", "b" * 64, 3, 17, "f-2", "lumen", "data_retention", "Terms"),
    Evidence("It trains.", "a" * 64, 40, 50, "f-3", "lumen", "training_use", "Terms"),
    Evidence("Nobody's.", "c" * 64, 1, 10, "f-4", "lumen", "training_use"),
]


def page_of_clauses(folder: Path) -> Path:
    """Write a page with a clause, a change of two clauses, and a clause of no document."""
    alone, before, after, nameless = (Quote(one.quote, "Its source.", evidence=one) for one in CLAUSES)
    change = Group(
        (Paragraph("Changed.", "why"), Pair((Group((before,)), Group((after,))))), "article", anchor="change-c-1"
    )
    facts = {DETAILS: {"report": {"title": "Small page", "as_of": "2026-07-31"}}}
    output = new_output("display_data", data={PAGE_TYPE: encode((alone, change, nameless))}, metadata=facts)
    made = RiskReportExporter().from_notebook_node(new_notebook(cells=[new_code_cell("", outputs=[output])]))[0]
    (folder / "small.html").write_text(made, encoding="utf-8")
    return folder / "small.html"


def of_clause(one: Evidence, *, removed: bool = False) -> dict[str, object]:
    """Return the clause as a decision has it."""
    names = ("finding_id", "surface", "document", "quote", "lead_in", "snapshot_sha256", "start", "end")
    digest = hashlib.sha256(one.quote.encode()).hexdigest()
    return {name: getattr(one, name) for name in names} | {
        "platform": one.slug,
        "quote_sha256": digest,
        "removed": removed,
    }


def decided(control: Any, *given: str, button: str = "Record") -> str:
    """Decide on a clause or change; return what the form had before, and the line on the page."""
    control.locator("summary").click()
    control.locator("form").wait_for()
    name, note = control.locator("input").all()
    known = [field.input_value() for field in (control.locator("select"), name, note)]
    assert [field.get_attribute("maxlength") for field in (name, note)] == ["200", "4000"]
    if given:
        control.locator("select").select_option(given[0])
        name.fill(given[1])
        note.fill(given[2])
    control.get_by_role("button", name=button).click()
    control.locator("form").wait_for(state="detached")
    return " | ".join([*known, str(control.locator("summary").get_attribute("aria-label"))])


def test_a_decision_has_the_clauses_as_the_page_records_them(reader: Callable[..., Any], tmp_path: Path) -> None:
    view = reader(page_of_clauses(tmp_path))
    view.wait_for_selector("html[data-decisions=ready]", state="attached")
    clause, change = view.locator(".decide").all()
    bar = view.locator(".decisions output")
    assert not bar.is_visible()
    assert decided(clause, "dispute", " Ann ", "“é”") == " |  |  | Disputed by  Ann : “é” (this clause of lumen, Terms)"
    assert bar.inner_text() == "1 decision"
    assert (
        decided(change, "ask_counsel", "Bo", "?") == " | Ann |  | Counsel asked by Bo: ? (this change of lumen, Terms)"
    )
    assert bar.inner_text() == "2 decisions"
    with view.expect_download() as download:
        view.get_by_role("button", name="Save as a file").click()
    assert download.value.suggested_filename == "small-2026-07-decisions.json"
    made = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert all(one.pop("decided_at").startswith("20") for one in made["decisions"])
    usual, (alone, before, after, _) = {"day": "2026-07-31"}, CLAUSES
    assert made == {"version": 1, "decisions": [
        usual | {"decision": "dispute", "name": " Ann ", "note": "“é”", "change_id": "", "clauses": [of_clause(alone)]},
        usual | {"decision": "ask_counsel", "name": "Bo", "note": "?", "change_id": "c-1",
                 "clauses": [of_clause(before, removed=True), of_clause(after)]},
    ]}  # fmt: skip
    place = f"lumen data_retention {'a' * 64} 20 31"
    kept = [f"riskanalytics decision Small page 2026-07-31 {key}" for key in ("c-1", place)]
    assert view.evaluate("Object.keys(localStorage).sort()") == [*kept, "riskanalytics reviewer"]
    view.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert view.locator(".decide[open]").count() == 0
    view.reload()
    view.wait_for_selector("html[data-decisions=ready]", state="attached")
    assert decided(clause, button="Remove") == "dispute |  Ann  | “é” | Decide (this clause of lumen, Terms)"
    assert bar.inner_text() == "1 decision"
    assert view.evaluate("Object.keys(localStorage).sort()") == [kept[0], "riskanalytics reviewer"]
    view.evaluate("() => { Storage.prototype.setItem = () => { throw new Error() } }")
    decided(change, "accept", "Bo", "!")
    assert bar.inner_text() == "1 decision, lost when the page is closed"
    assert view.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))") is False
    change.locator("summary").click()
    change.locator("input").last.fill(" ")
    change.get_by_role("button", name="Record").click()
    assert change.locator("form").is_visible()  # a note needs words
