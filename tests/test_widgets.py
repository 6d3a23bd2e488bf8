"""The widgets, driven in the process: what they show after a search, a click, a key, a check, and where a service fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics import widgets
from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.pages.encoding import decode
from riskanalytics.pages.html import html_of
from riskanalytics.pages.section import Section
from riskanalytics.pages.values import PAGE_TYPE
from tests.frames_given import Market
from tests.http_server import reply, served, serving
from tests.service.given import Caller, build_database
from tests.topics.given import HOSTILE

TRAINING = "We do not use your prompts to train our models."


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("widgets"))


@pytest.fixture(scope="module")
def client(database: Path) -> Iterator[Client]:
    with ra.connect(database=database) as opened:
        yield opened


@pytest.fixture
def panel(client: Client) -> Any:
    return widgets.explorer(client).panel


def given(market: Market, **frames: pd.DataFrame) -> Dataset:
    """Return a market as a data set that has no service behind it."""
    told = {
        "platforms": market.platforms, "findings": market.findings, "surfaces": market.cells,
        "training_use": market.answers, "documents": market.documents,
    }  # fmt: skip
    return Dataset(None).replaced(**told | frames)


def labels(control: Any) -> list[str]:
    return [label for label, _ in control.options]


def click(panel: Any, row: int, column: int) -> None:
    """Tell the figure of a click as its front end does."""
    figure = panel.heatmap
    heat = figure.data[0]
    figure._js2py_pointsCallback = {
        "event_type": "plotly_click",
        "points": {
            "trace_indexes": [0], "point_indexes": [[row, column]], "xs": [heat.x[column]], "ys": [heat.y[row]],
        },
    }  # fmt: skip


def test_it_opens_on_the_worst_platform_with_a_clause_of_the_surface_in_its_paragraph(panel: Any) -> None:
    assert panel.told.value.count("3 of 3 platforms match, with 2 clauses") == 1
    assert panel.on.value == "training_use"
    assert list(panel.heatmap.data[0].x)[:3] == ["Rating", " ", "Training use"]
    assert "<blockquote>" in panel.card.value
    assert re.search(r"<dt>SHA-256</dt><dd><code>[0-9a-f]{64}</code>", panel.facts.value)
    assert "Unicode code points" in panel.facts.value
    assert "no public address is known" in panel.facts.value
    assert panel.heatmap._config["showSendToCloud"] is False


def test_a_search_leaves_what_carries_the_words_and_says_when_nothing_does(panel: Any) -> None:
    panel.surface.value = "content_license"
    panel.search.value = "irrevocable"
    assert labels(panel.platform) == ["H  Aurelia Chat"]
    assert "perpetual, irrevocable" in panel.card.value
    panel.search.value = "no such words"
    assert "0 of 3 platforms match" in panel.told.value
    assert "clear a filter" in panel.card.value
    assert panel.check.disabled
    assert panel.heatmap.layout.title.text == "No platform matches"
    panel.clear.click()
    assert len(panel.platform.options) == 3
    assert not panel.check.disabled


def test_filters_leave_the_platforms_that_have_all_of_them(panel: Any) -> None:
    panel.level.value = "UNKNOWN"
    assert [value for _, value in panel.platform.options] == ["northwind-draft"]
    assert "could not be read" in panel.card.value
    panel.level.value = ""
    panel.stance.value = "does_not_train"
    assert [value for _, value in panel.platform.options] == ["aurelia-chat"]
    panel.verification.value = panel.verification.options[-1][1]
    panel.rating.value = "HIGH" if "HIGH" in dict(panel.rating.options) else panel.rating.options[-1][1]
    panel.clear.click()
    assert (panel.stance.value, panel.rating.value, panel.verification.value) == ("", "", "")


def test_a_click_on_a_cell_shows_its_clauses_and_frames_it(panel: Any) -> None:
    row = list(panel.heatmap.data[0].y).index("Aurelia Chat")
    column = list(panel.heatmap.data[0].x).index("Content licence")
    click(panel, row, column)
    assert (panel.platform.value, panel.on.value) == ("aurelia-chat", "content_license")
    assert "perpetual, irrevocable" in panel.card.value
    (frame,) = panel.heatmap.layout.shapes
    assert (frame.x0, frame.y0) == (column - 0.5, row - 0.5)
    click(panel, row, 0)
    assert panel.platform.value == "aurelia-chat"


def test_the_lists_lead_the_keyboard_to_the_same_clause_as_the_click(panel: Any) -> None:
    panel.platform.value = "aurelia-chat"
    panel.on.value = "content_license"
    assert "perpetual, irrevocable" in panel.card.value
    panel.on.value = "human_review"
    assert "nothing was found on this surface" in panel.card.value


def test_a_near_copy_stands_last_and_a_public_archive_is_named() -> None:
    market = Market(1)
    two = pd.concat(
        [market.findings.assign(duplicate_of="f1"), market.findings.assign(finding_id="f1")], ignore_index=True
    )
    two["archive_url"] = "https://archive.example.org/a/b?c=1"
    panel = widgets.explorer(given(market, findings=two)).panel
    assert [line[3:10] for line in labels(panel.clause)] == ["We may ", "(again)"]
    assert "target=_blank>open at archive.example.org</a>" in panel.facts.value
    panel.clause.value = "1"
    assert "another clause of this platform" in panel.facts.value


def test_verify_fetches_the_snapshot_and_tells_each_step(panel: Any) -> None:
    panel.platform.value = "aurelia-chat"
    said: list[str] = []
    panel.status.observe(lambda change: said.append(change["new"]), "value")
    panel.check.click()
    assert "Fetching the snapshot" in said[0]
    assert said[-1].count("✓") == 3
    assert re.search(r"verified, checked \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", said[-1])
    assert not panel.check.disabled
    assert TRAINING in panel.card.value


@pytest.mark.parametrize(
    ("answer", "said", "held"),
    [(reply("404 Not Found"), "unavailable", 0), (reply("200 OK", b"other bytes"), "hash mismatch", 1)],
)
def test_a_snapshot_that_is_gone_or_another_is_said_in_one_line(
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
    assert panel.status.value.count("✓") == held
    assert panel.status.value.count("✗") == 1


def test_without_a_service_at_hand_it_reads_and_says_that_it_cannot_check(client: Client) -> None:
    loaded = ra.load(client)
    names = ("platforms", "findings", "surfaces", "training_use")
    data = Dataset(None).replaced(**{name: getattr(loaded, name) for name in names})
    view = widgets.explorer(data)
    assert view.panel.check.disabled
    assert "nothing can be fetched" in view.panel.status.value
    assert "not verified: not checked" in "".join(piece.html for piece in view.twin() if isinstance(piece, Section))
    assert "not verified: not checked" in widgets.comparison(data).twin()[0].html
    for asked in (widgets.clause_search, widgets.ask):
        with pytest.raises(ReportError, match="no service to ask"):
            asked(data)
    for make in (widgets.explorer, widgets.comparison):
        with pytest.raises(ParameterError, match="did you mean training_use"):
            make(client, "traning_use")


def test_names_quotes_and_answers_are_text_in_every_widget() -> None:
    market = Market(3)
    for frame in (market.platforms, market.cells, market.findings, market.answers):
        frame["name"] = HOSTILE
    market.platforms["rating"] = market.platforms["verification"] = market.answers["stance"] = HOSTILE
    for column in ("quote", "document", "archive_url", "snapshot_sha256", "polarity"):
        market.findings[column] = HOSTILE
    market.cells["surface"] = market.cells["surface"].replace("human_review", HOSTILE)
    panels = [widgets.explorer(given(market)).panel, widgets.comparison(given(market)).panel]
    shown = "".join(told(panel.root) for panel in panels)
    assert "&lt;script&gt;" in shown
    for bad in ("<script", "<img", "\u202e", "\x1b"):
        assert bad not in shown
    options = [label for panel in panels for label in every_option(panel.root)]
    assert any("alert(1)" in label for label in options)
    assert not re.search("[\u202a-\u202e\x00-\x1f]", "".join(options))


def parts(widget: Any) -> Iterator[Any]:
    yield widget
    for child in getattr(widget, "children", ()):
        yield from parts(child)


def told(root: Any) -> str:
    """Everything in a widget that a front end takes for HTML."""
    return "".join(
        part.value if type(part).__name__ == "HTML" else part.to_json() if hasattr(part, "to_json") else ""
        for part in parts(root)
    )


def every_option(root: Any) -> list[str]:
    return [label for part in parts(root) for label in getattr(part, "_options_labels", ())]


def test_platforms_are_added_and_taken_away_between_two_and_eight(client: Client) -> None:
    panel = widgets.comparison(client, "content_license", ["aurelia-chat", "cafe-lumiere"]).panel
    assert panel.sides.value.count("<h3>") == 2
    assert "perpetual, irrevocable" in panel.sides.value
    panel.platform.value = "northwind-draft"
    panel.add.click()
    assert panel.sides.value.count("<h3>") == 3
    assert "not read" in panel.sides.value
    panel.add.click()
    assert "stands there already" in panel.told.value
    panel.surface.value = "training_use"
    assert TRAINING in panel.sides.value
    for _ in range(2):
        panel.taken.children[0].click()
    assert "Add at least two platforms" in panel.told.value
    with pytest.raises(ReportError, match="no platform 'nobody'"):
        widgets.comparison(client, slugs=["nobody", "aurelia-chat"])
    with pytest.raises(ReportError, match="takes 2 to 8 platforms, not 1"):
        widgets.comparison(client, slugs=["aurelia-chat"])


def test_of_each_platform_the_weightiest_three_are_compared_and_the_others_counted() -> None:
    market = Market(2)
    many = pd.concat([market.findings.assign(finding_id=f"f{number}") for number in range(5)], ignore_index=True)
    html = widgets.comparison(given(market, findings=many)).twin()[0].html
    assert html.count("<blockquote>") == 6
    assert html.count("2 more clauses not shown") == 2


def test_eight_platforms_are_the_most() -> None:
    market = Market(30)
    panel = widgets.comparison(given(market)).panel
    for _, slug in panel.platform.options:
        panel.platform.value = slug
        panel.add.click()
    assert len(panel.slugs) == 8
    assert "8 platforms are the most" in panel.told.value


def test_clauses_are_found_by_words_and_surface_on_submit_only(client: Client) -> None:
    panel = widgets.clause_search(client).panel
    panel.line.value = "irrevocable licence"
    assert panel.answer.value == ""
    panel.button.click()
    assert "perpetual, irrevocable" in panel.answer.value
    assert "Aurelia Chat" in panel.answer.value
    panel.surface.value = "human_review"
    panel.line._handle_custom_msg({"event": "submit"}, [])
    assert "No verified clause holds these words" in panel.answer.value
    panel.line.value = "  "
    panel.button.click()
    assert "Type something first" in panel.answer.value


def test_a_question_is_answered_with_its_clauses_and_a_refusal_is_told_as_one(client: Client) -> None:
    panel = widgets.ask(client).panel
    panel.line.value = "Does Aurelia Chat train on my prompts?"
    panel.button.click()
    assert "We do not use your prompts to train our models." in panel.answer.value
    assert re.search(r"<ol><li>.*Privacy Policy · <time>2026-03-05", panel.answer.value)
    assert "not legal advice" in panel.answer.value
    panel.line.value = "What is the weather?"
    panel.button.click()
    assert "<strong>No answer.</strong>" in panel.answer.value
    assert "Reason: not about policies." in panel.answer.value


@pytest.mark.parametrize(
    "answer",
    [
        reply("404 Not Found"),
        reply("401 Unauthorized"),
        reply("200 OK", b"<script>alert(1)</script>"),
        reply("200 OK", b"[]"),
    ],
)
def test_a_service_that_fails_is_one_line_and_the_button_stays(answer: bytes) -> None:
    with serving(answer) as server, Client(server.url) as client:
        for panel in (widgets.ask(client).panel, widgets.clause_search(client).panel):
            panel.line.value = "perpetual licence"
            panel.button.click()
            assert "<strong>Did not work:</strong>" in panel.answer.value
            assert "\n" not in panel.answer.value
            assert "<script" not in panel.answer.value
            assert not panel.button.disabled


def test_a_page_says_that_the_service_failed_in_the_widgets_place() -> None:
    with serving(reply("401 Unauthorized")) as server, Client(server.url) as client:
        (shown,) = widgets.ask(client, "Does it train?").twin()
    assert "<h3>Does it train?</h3><p><strong>Did not work:</strong>" in shown.html


def test_an_answer_of_another_shape_is_read_as_far_as_it_goes() -> None:
    body = b'{"refused": false, "answer": "<b>Yes</b>", "citations": [null, 3, {"quote": "<img src=x>", "id": "a"}]}'
    with serving(reply("200 OK", body)) as server, Client(server.url) as client:
        panel = widgets.ask(client, "Does it?").panel
    assert "&lt;b&gt;Yes&lt;/b&gt;" in panel.answer.value
    assert "&lt;img src=x&gt;" in panel.answer.value
    with serving(reply("200 OK", b"{}")) as server, Client(server.url) as client:
        assert "No answer" in widgets.ask(client, "Does it?").panel.answer.value


def test_a_service_without_a_key_carries_every_widget(database: Path) -> None:
    caller = Caller(database)
    with served(caller.app) as address, ra.connect(address) as client:
        panel = widgets.explorer(client).panel
        panel.platform.value = "aurelia-chat"
        panel.check.click()
        assert panel.status.value.count("✓") == 3
        assert TRAINING in widgets.comparison(client).panel.sides.value
        assert "irrevocable" in widgets.clause_search(client, "irrevocable").panel.answer.value
        assert "Privacy Policy" in widgets.ask(client, "Does Aurelia Chat train on my prompts?").panel.answer.value
    caller.close()


def test_a_twin_shows_the_first_state_and_makes_no_widget(client: Client) -> None:
    view = widgets.explorer(client)
    figure, *sections = view.twin()
    assert figure.name == "surface_matrix"
    assert TRAINING in "".join(section.html for section in sections)
    assert "panel" not in vars(view)
    assert widgets.clause_search(client).twin() == []
    assert widgets.ask(client).twin() == []
    assert "irrevocable" in widgets.clause_search(client, "irrevocable").twin()[0].html
    assert "<h3>What is the weather?</h3>" in widgets.ask(client, "What is the weather?").twin()[0].html


@pytest.mark.parametrize("attended", [True, False])
def test_a_front_end_with_a_person_gets_the_widget_and_the_exporter_its_twin(
    client: Client, attended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("riskanalytics.widgets.twin.display", lambda piece, raw=False: shown.append(piece))
    monkeypatch.setattr("riskanalytics.widgets.twin.get_ipython", lambda: Shell(attended))
    view = widgets.comparison(client)
    view._ipython_display_()
    (piece,) = shown
    if attended:
        assert set(piece) == {"application/vnd.jupyter.widget-view+json", "text/plain", PAGE_TYPE}
        assert TRAINING in html_of(decode(piece[PAGE_TYPE]))
    else:
        assert isinstance(piece, Section)
        assert "panel" not in vars(view)


class Shell:
    """A shell whose kernel runs a cell that was sent by a front end which can, or cannot, answer questions."""

    def __init__(self, attended: bool) -> None:
        self.kernel = self
        self.content = {"allow_stdin": attended}

    def get_parent(self, _channel: str) -> dict[str, Any]:
        return {"content": self.content}


def test_no_row_has_no_widget_that_breaks() -> None:
    market = Market(0)
    view = widgets.explorer(given(market))
    assert "0 of 0 platforms match" in view.panel.told.value
    assert all(view.twin())
    assert "Add at least two" in widgets.comparison(given(market)).panel.told.value
    assert isinstance(market.platforms, pd.DataFrame)
