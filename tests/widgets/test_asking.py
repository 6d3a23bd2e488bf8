"""Two widgets that ask the service, also where it fails."""

from __future__ import annotations

import json
import re

import pytest

from riskanalytics import widgets
from riskanalytics.client import Client
from tests.http_server import reply, serving


def test_clauses_are_found_by_words_and_surface_on_submit_only(client: Client) -> None:
    panel = widgets.clause_search(client).panel
    panel.line.value = "irrevocable licence"
    assert panel.answer.value == ""
    panel.button.click()
    assert "perpetual, irrevocable" in panel.answer.value
    assert "Aurelia Chat" in panel.answer.value
    said = panel.answer.value
    panel.surface.value = "human_review"
    panel.line._handle_custom_msg({"event": "focus"}, [])
    assert panel.answer.value == said
    panel.line._handle_custom_msg({"event": "submit"}, [])
    assert "No verified clause contains these words" in panel.answer.value
    panel.surface.value = "content_license"
    panel.button.click()
    assert "1 match:" in panel.answer.value
    panel.line.value = "  "
    panel.button.click()
    assert "Type something first" in panel.answer.value


def test_answers_show_their_clauses_and_refusals_are_shown_as_such(client: Client) -> None:
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
        reply("200 OK", b"3"),
    ],
)
def test_a_failure_of_the_service_is_one_line_and_the_button_stays_usable(answer: bytes) -> None:
    with serving(answer) as server, Client(server.url) as client:
        for panel in (widgets.ask(client).panel, widgets.clause_search(client).panel):
            panel.line.value = "perpetual licence"
            panel.button.click()
            assert "<strong>Failed:</strong>" in panel.answer.value
            assert "\n" not in panel.answer.value
            assert "<script" not in panel.answer.value
            assert not panel.button.disabled


def test_a_page_says_that_the_service_failed_in_the_widgets_place() -> None:
    with serving(reply("401 Unauthorized")) as server, Client(server.url) as client:
        (shown,) = widgets.ask(client, "Does it train?").twin()
    assert "<h3>Does it train?</h3><p><strong>Failed:</strong>" in shown.html


def test_a_lead_that_an_answer_cites_is_marked() -> None:
    body = b'{"refused": false, "answer": "x", "citations": [{"quote": "q", "id": "a", "to_read": true}, {"id": "b"}]}'
    with serving(reply("200 OK", body)) as server, Client(server.url) as client:
        panel = widgets.ask(client, "Does it?").panel
    assert re.findall(r"to be read, not a finding|<li>", panel.answer.value) == [
        "<li>",
        "to be read, not a finding",
        "<li>",
    ]
    assert ">q</" in panel.answer.value  # the answer does not contain its words


def test_a_refusal_lists_the_clauses_that_it_shows() -> None:
    body = b'{"refused": true, "reason": "no_evidence", "answer": "x", "citations": [{"quote": "q", "id": "a"}]}'
    with serving(reply("200 OK", body)) as server, Client(server.url) as client:
        shown = widgets.ask(client, "Does it?").panel.answer.value
    assert "<strong>No answer.</strong>" in shown
    assert "<ol><li>" in shown


def test_an_answer_of_another_form_is_read_as_far_as_possible() -> None:
    body = b'{"refused": false, "answer": "<b>Yes</b>", "citations": [null, 3, {"quote": "<img src=x>", "id": "a"}]}'
    with serving(reply("200 OK", body)) as server, Client(server.url) as client:
        panel = widgets.ask(client, "Does it?").panel
    assert "&lt;b&gt;Yes&lt;/b&gt;" in panel.answer.value
    assert "&lt;img src=x&gt;" in panel.answer.value
    with serving(reply("200 OK", b"{}")) as server, Client(server.url) as client:
        assert "No answer" in widgets.ask(client, "Does it?").panel.answer.value


@pytest.mark.parametrize(("count", "said"), [(21, "The best 20 matches:"), (20, "20 matches:"), (1, "1 match:")])
def test_at_most_twenty_matches_are_shown_and_more_are_not_called_all(count: int, said: str) -> None:
    found = [
        {"platform": f"p{n}", "quote": f"words {n}", "id": f"f{n}", "surface": "ads_tracking"} for n in range(count)
    ]
    body = json.dumps({"results": found}).encode()
    with serving(reply("200 OK", body)) as server, Client(server.url) as client:
        shown = widgets.clause_search(client, "words").panel.answer.value
    assert f">{said}<" in shown
    assert shown.count("<blockquote") == min(count, 20)
    assert ">p0<" in shown
