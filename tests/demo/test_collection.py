"""The demo as a collection."""

from __future__ import annotations

import re

from riskanalytics.demo import DemoCollection
from riskanalytics.demo.history import all_platforms
from riskanalytics.demo.policies import BROKEN, policy
from riskanalytics.ingest import Capture


def captures() -> list[Capture]:
    """All captures of the demo."""
    return [given for given in DemoCollection().captures(lambda *_: False) if isinstance(given, Capture)]


def undated(text: str) -> str:
    """A text without the date of its last update."""
    return re.sub(r"(?m)^Last updated: .*$", "", text)


def test_it_brings_some_thousand_captures_in_the_order_of_time() -> None:
    given = captures()
    assert 2_000 <= len(given) <= 3_000
    assert [capture.sequence for capture in given] == list(range(len(given)))
    assert given == sorted(given, key=lambda capture: capture.captured_at)


def test_it_brings_the_same_again() -> None:
    assert captures() == captures()


def test_it_brings_nothing_that_is_known() -> None:
    assert [given for given in DemoCollection().captures(lambda *_: True) if not isinstance(given, int)] == []


def test_every_revision_is_its_own() -> None:
    revisions = [capture.revision for capture in captures()]
    assert len(set(revisions)) == len(revisions)


def test_a_text_is_recorded_only_when_it_has_changed() -> None:
    last: dict[tuple[str, str], bytes] = {}
    for capture in captures():
        assert last.get((capture.folder, capture.document)) != capture.body
        last[capture.folder, capture.document] = capture.body


def test_most_edits_move_the_stated_date_of_their_document() -> None:
    events = {(one.name, event.at): event.kind for one in all_platforms() for event in one.events}
    last: dict[tuple[str, str], tuple[str, str]] = {}
    moved = []
    for capture in captures():
        text, place = capture.body.decode(), (capture.folder, capture.document)
        stated = re.search(r"(?m)^Last updated: (.*)$", text)
        if stated is None:
            continue
        words, before = undated(text), last.get(place)
        if before and words != before[0] and events.get((capture.folder, capture.captured_at)) == "material":
            moved.append(stated[1] != before[1])
        last[place] = words, stated[1]
    assert (len(moved), sum(moved)) == (286, 256)


def test_nothing_in_it_leads_to_a_real_place() -> None:
    for capture in captures():
        hosts = re.findall(rb"https?://([^/)\s\"]+)", capture.body)
        assert all(host.endswith(b".example") for host in hosts)


def test_each_capture_has_the_kind_and_the_text_of_its_event_and_a_failure_breaks_its_document_only() -> None:
    platforms = {platform.name: platform for platform in all_platforms()}
    seen = set()
    for capture in captures():
        platform = platforms[capture.folder]
        event = next((one for one in platform.events if one.at == capture.captured_at), None)
        assert event or capture.captured_at == platform.first
        kind = "technical" if event and event.kind == "technical" else "change" if event else "first"
        assert (capture.kind, capture.website, capture.name) == (kind, platform.website, platform.name)
        text = capture.body.decode()
        if event and event.kind == "failure":
            assert (capture.document, text in BROKEN) == (event.document, True)
        else:
            assert undated(text) == undated(
                policy(platform, capture.document, event.profile if event else platform.profile)
            )
        seen.add((capture.folder, capture.document))
    assert seen == {(one.name, document) for one in platforms.values() for document in one.documents}
    pages = DemoCollection().pages
    assert pages.keys() == seen
    assert pages["Yskvo", "Terms of Service"] == f"{platforms['Yskvo'].website}/terms-of-service"
