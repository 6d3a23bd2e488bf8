"""The demo as a collection."""

from __future__ import annotations

import re

from riskanalytics.demo import DemoCollection
from riskanalytics.ingest import Capture


def captures() -> list[Capture]:
    """All captures of the demo."""
    return [given for given in DemoCollection().captures(lambda *_: False) if isinstance(given, Capture)]


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


def test_nothing_in_it_leads_to_a_real_place() -> None:
    for capture in captures():
        hosts = re.findall(rb"https?://([^/)\s\"]+)", capture.body)
        assert all(host.endswith(b".example") for host in hosts)
