"""The controls of the explorer: a search, a click, a key and a check."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics import widgets
from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.pages.section import Section
from tests.frames_given import Market
from tests.http_server import reply, serving
from tests.widgets.given import TRAINING, click, given, labels


def test_it_opens_on_the_worst_platform_with_a_clause_of_the_surface_in_its_paragraph(panel: Any) -> None:
    assert panel.count.value.count("3 of 3 platforms match, with 2 clauses") == 1
    assert panel.on.value == "training_use"
    assert list(panel.heatmap.data[0].x)[:3] == ["Rating", " ", "Training use"]
    assert "<blockquote>" in panel.card.value
    assert re.search(r"<code>[0-9a-f]{12}</code> · characters \d", panel.card.value)
    assert re.search(r"SHA-256 <code>[0-9a-f]{64}</code>", panel.card.value)
    assert panel.heatmap.layout.modebar.remove == "sendChartToCloud"


def test_it_opens_on_the_given_surface_and_keeps_the_chosen_one_for_the_next_platform(client: Client) -> None:
    panel = widgets.explorer(client, "content_license").panel
    assert (panel.surface.value, panel.on.value) == ("content_license", "content_license")
    assert panel.heatmap.data[0].x[2] == "Content licence"  # after the rating and a gap
    assert panel.heatmap.layout.title.text.startswith("Content licence: ")
    panel.surface.value = ""
    assert panel.heatmap.data[0].x[2] == "Training use"
    assert panel.heatmap.layout.title.text == "0 of 3 platforms are rated HIGH"
    panel.platform.value, panel.on.value = "aurelia-chat", "data_retention"
    panel.platform.value = "cafe-lumiere"
    assert panel.on.value == "data_retention"


def test_another_surface_begins_with_its_first_clause() -> None:
    market = Market(1)
    pairs = [(surface, number) for surface in ("training_use", "human_review") for number in range(2)]
    clauses = [market.findings.assign(surface=surface, finding_id=f"{surface} {number}") for surface, number in pairs]
    panel = widgets.explorer(given(market, findings=pd.concat(clauses, ignore_index=True))).panel
    panel.clause.value = "1"
    panel.on.value = "human_review"
    assert (panel.clause.value, len(panel.clause.options)) == ("0", 2)


def test_the_plotly_script_receives_every_waiting_message(panel: Any) -> None:
    told_by = set(panel.heatmap._synced)
    assert told_by >= {"_py2js_update", "_py2js_restyle", "_py2js_relayout"}
    assert {name for name in told_by if f"change:{name}" in panel.heatmap._script} == told_by


def test_a_search_keeps_matches_and_reports_if_there_are_none(panel: Any) -> None:
    panel.surface.value = "content_license"
    panel.search.value = "irrevocable"
    assert labels(panel.platform) == ["H  Aurelia Chat"]
    assert "1 of 3 platforms match, with 1 clause." in panel.count.value
    assert "perpetual, irrevocable" in panel.card.value
    panel.search.value = "no such words"
    assert "0 of 3 platforms match" in panel.count.value
    assert "clear a filter" in panel.card.value
    assert panel.check.disabled
    assert panel.heatmap.layout.title.text == "No platform matches"
    panel.clear.click()
    assert (panel.search.value, panel.surface.value, panel.on.value) == ("", "content_license", "content_license")
    assert len(panel.platform.options) == 3
    assert not panel.check.disabled


def test_a_search_shows_a_surface_with_a_match_and_its_clause_first(panel: Any) -> None:
    panel.surface.value = ""
    assert panel.on.value == "training_use"
    panel.search.value = "irrevocable"
    assert panel.on.value == "content_license"
    panel.search.value = "Aurelia"
    assert panel.on.value == "training_use"
    panel.search.value = ""
    panel.on.value = "data_retention"
    for words, shown in (("retain", "data_retention"), ("no such words", None), ("", "data_retention")):
        panel.search.value = words
        assert panel.on.value == shown, words
    panel.search.value = "Aurelia"
    assert panel.on.value == "data_retention"  # the chosen surface matches, too


def test_each_filter_keeps_the_platforms_with_its_value_and_the_list_says_if_more_match_than_are_drawn() -> None:
    market = Market(26)
    market.platforms["verification"] = ["stale", *["verified"] * 25]
    panel = widgets.explorer(given(market)).panel
    assert "26 of 26 platforms match" in panel.count.value
    assert " The worst 25 are drawn; the list has all." in panel.count.value
    assert list(panel.heatmap.data[0].y) == [label[3:] for label in labels(panel.platform)[:25]]
    wanted = {
        "rating": (market.platforms, "LOW"),
        "verification": (market.platforms, "stale"),
        "stance": (market.answers, market.answers.loc[0, "stance"]),
    }
    for name, (frame, value) in wanted.items():
        panel.filters[name].value = value
        assert {slug for _, slug in panel.platform.options} == set(frame.loc[frame[name] == value, "slug"])
        panel.clear.click()
    panel.filters["verification"].value = "verified"
    assert "25 of 26 platforms match" in panel.count.value
    assert "drawn" not in panel.count.value


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("found", "no clause behind it"),
        ("to_read", "Undetermined: the platform&#39;s dossier shows the clauses to read."),
        ("quiet", "not a promise"),
        ("odd", "Not read: "),
    ],
)
def test_a_surface_without_a_clause_says_why(state: str, said: str) -> None:
    market = Market(1)
    market.cells = market.cells.assign(state=state)
    panel = widgets.explorer(given(market, findings=market.findings[:0])).panel
    assert said in panel.card.value


def test_filters_keep_platforms_that_match_all_of_them(panel: Any) -> None:
    panel.filters["level"].value = "UNREAD"
    assert [value for _, value in panel.platform.options] == ["northwind-draft"]
    assert "could not be read" in panel.card.value
    panel.filters["level"].value = ""
    panel.filters["stance"].value = "does_not_train"
    assert [value for _, value in panel.platform.options] == ["aurelia-chat"]
    panel.filters["verification"].value = panel.filters["verification"].options[-1][1]
    panel.filters["rating"].value = (
        "HIGH" if "HIGH" in dict(panel.filters["rating"].options) else panel.filters["rating"].options[-1][1]
    )
    panel.clear.click()
    assert (panel.filters["stance"].value, panel.filters["rating"].value, panel.filters["verification"].value) == (
        "",
        "",
        "",
    )


def test_a_click_on_a_cell_shows_its_clauses_and_frames_it(panel: Any) -> None:
    row = list(panel.heatmap.data[0].y).index("Aurelia Chat")
    column = list(panel.heatmap.data[0].x).index("Content licence")
    click(panel, row, column)
    assert (panel.platform.value, panel.on.value) == ("aurelia-chat", "content_license")
    assert "perpetual, irrevocable" in panel.card.value
    (frame,) = panel.heatmap.layout.shapes
    assert (frame.x0, frame.y0) == (column - 0.5, row - 0.5)
    click(panel, row, 2)
    assert (panel.platform.value, panel.on.value) == ("aurelia-chat", "training_use")
    click(panel, row, column)
    for rating_or_gap in (0, 1):
        click(panel, row, rating_or_gap)
        assert (panel.platform.value, panel.on.value) == ("aurelia-chat", "content_license")


def test_the_lists_lead_the_keyboard_to_the_same_clause_as_the_click(panel: Any) -> None:
    panel.platform.value = "aurelia-chat"
    panel.on.value = "content_license"
    assert "perpetual, irrevocable" in panel.card.value
    lines = [line.strip() for line in labels(panel.on) if "licence" in line or "Human" in line]
    assert lines == ["H  Content licence (1)", "Human review: no clause found"]
    panel.on.value = "human_review"
    assert "No clause found on this surface" in panel.card.value


def test_verify_fetches_the_snapshot_and_shows_each_step(panel: Any) -> None:
    panel.platform.value = "aurelia-chat"
    said: list[str] = []
    panel.status.observe(lambda change: said.append(change["new"]), "value")
    panel.check.click()
    assert "Fetching the snapshot" in said[0]
    assert said[-1].count("✓") == 3
    assert re.search(r"verified, checked \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", said[-1])
    assert not panel.check.disabled
    assert TRAINING in panel.card.value
    panel.on.value = "content_license"
    assert panel.status.value == "", "the steps belong to the clause that was verified"


@pytest.mark.parametrize(
    ("answer", "said", "held"),
    [(reply("404 Not Found"), "unavailable", 0), (reply("200 OK", b"other bytes"), "hash mismatch", 1)],
)
def test_a_missing_or_different_snapshot_is_reported_in_one_line(
    client: Client, answer: bytes, said: str, held: int
) -> None:
    data = ra.load(client)
    loaded = {name: getattr(data, name) for name in ("platforms", "findings", "surfaces", "training_use")}
    with serving(answer) as server, Client(server.url) as elsewhere:
        data = Dataset(None).replaced(**loaded)
        data.client = elsewhere
        panel = widgets.explorer(data).panel
        panel.platform.value = "aurelia-chat"
        panel.check.click()
    assert f"not verified: {said}" in panel.status.value
    assert f"not verified: {said}" in panel.card.value
    assert panel.status.value.count("✓") == held
    assert panel.status.value.count("✗") == 1


def test_without_a_service_clauses_are_shown_as_not_checked(client: Client) -> None:
    loaded = ra.load(client)
    names = ("platforms", "findings", "surfaces", "training_use")
    data = Dataset(None).replaced(**{name: getattr(loaded, name) for name in names})
    view = widgets.explorer(data)
    assert view.panel.check.disabled
    assert "There is no service to fetch from" in view.panel.status.value
    assert "not verified: not checked" in "".join(piece.html for piece in view.twin() if isinstance(piece, Section))
    assert "not verified: not checked" in widgets.comparison(data).twin()[0].html
    for asked in (widgets.clause_search, widgets.ask):
        with pytest.raises(ReportError, match="no service can answer questions"):
            asked(data)
    for make in (widgets.explorer, widgets.comparison):
        with pytest.raises(ParameterError, match="did you mean training_use"):
            make(client, "traning_use")


def test_a_clause_left_before_it_was_fetched_does_not_replace_the_one_chosen_then(panel: Any) -> None:
    panel.platform.value = "aurelia-chat"
    assert TRAINING in panel.card.value
    panel._chosen._seconds = 0.02

    async def quick() -> None:
        panel.on.value = "content_license"
        panel.on.value = "training_use"  # read before
        await asyncio.sleep(0.1)

    asyncio.run(quick())
    assert TRAINING in panel.card.value
    assert "perpetual" not in panel.card.value
