"""The state of the data on a page: every block takes none, one and many, and nothing from data leaves its place."""

from __future__ import annotations

import re
from typing import Any

import pytest

from riskanalytics import analysis
from riskanalytics.frames import ACCURACY_COLUMNS, CONTRACT_COLUMNS, ENDPOINTS_COLUMNS, accuracy_frame, frame_of
from riskanalytics.reporting import Block, blocks
from tests.frames_given import CELLS, DOCUMENTS, PLATFORMS, Market, given

HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}\x1b[31m'\""
NO_DRIFT = analysis.contract_drift(frame_of(CONTRACT_COLUMNS, []))
NO_ENDPOINTS = frame_of(ENDPOINTS_COLUMNS, [])


def made(market: Market) -> list[Block]:
    fresh = analysis.freshness(market.documents, "2026-07-31")
    reasons = analysis.unverified_platforms(market.platforms, market.documents)
    findings = market.findings.assign(confidence=0.6)
    return [
        blocks.unverified_platforms(reasons, len(market.platforms)),
        blocks.broken_captures(analysis.broken_captures(fresh, market.changes)),
        blocks.not_policies(fresh.assign(state="not_a_policy")),
        blocks.unchanged_documents(fresh),
        blocks.quiet_surfaces_by_name(
            analysis.quiet_surfaces(market.cells), analysis.quiet_platforms(market.cells, market.documents)
        ),
        blocks.unsure_findings(analysis.unsure_findings(findings), findings, 0.7),
        blocks.integrity(analysis.integrity(findings, len(findings) + 5), findings),
        blocks.contract_drift(NO_DRIFT, NO_ENDPOINTS),
    ]


@pytest.mark.parametrize("size", [0, 1, 30])
def test_every_block_takes_none_one_and_many(size: int) -> None:
    for block in made(Market(size)):
        assert block.text
        for tag in ("section", "details", "table", "ul", "div"):
            assert block.html.count(f"<{tag}") == block.html.count(f"</{tag}>")


def test_hostile_words_are_text_wherever_they_stand() -> None:
    market = Market(2)
    for frame in (market.platforms, market.documents, market.cells, market.findings, market.changes):
        frame["name"] = HOSTILE
    market.platforms["verification"] = HOSTILE
    market.documents = market.documents.assign(
        document=HOSTILE, state="stale", check=HOSTILE, archive_url="javascript:x"
    )
    market.findings = market.findings.assign(quote=HOSTILE, surface=HOSTILE, document=HOSTILE, archive_url="data:x")
    market.cells = market.cells.assign(surface=HOSTILE, state="quiet")
    drift = frame_of(CONTRACT_COLUMNS, [(HOSTILE, "unknown", HOSTILE, HOSTILE, HOSTILE, 1, 2, HOSTILE)])
    endpoints = frame_of(ENDPOINTS_COLUMNS, [(HOSTILE, 1, HOSTILE, 500)])
    extraction = {"version": HOSTILE}
    told = {"measured_on": HOSTILE, "labels": HOSTILE, "rules": HOSTILE + "x", "withdrawn": {"why": HOSTILE}}
    shown = [
        *made(market),
        blocks.contract_drift(analysis.contract_drift(drift, endpoints), endpoints),
        blocks.extraction_told(extraction, frame_of(ACCURACY_COLUMNS, []), told),
    ]
    for block in shown:
        assert not re.search(r"<(?:script|img)", block.html)
        assert not re.search("[\u202e\x1b]", block.html)
        assert 'href="javascript:' not in block.html


def test_platforms_of_one_reason_stand_together_under_their_state() -> None:
    platforms = given(PLATFORMS, *({"slug": slug, "verification": "stale"} for slug in ("opal", "tarn")))
    documents = given(
        DOCUMENTS,
        *({"slug": s, "document": "Terms", "state": "stale", "check": "error_page"} for s in ("opal", "tarn")),
    )
    html = blocks.unverified_platforms(analysis.unverified_platforms(platforms, documents), 8).html
    assert "Stale <span class=thin>2 of 8 platforms, 25" in html
    assert "<strong>Terms: error page</strong>: <bdi>Opal</bdi>, <bdi>Tarn</bdi>" in html
    assert "Error page: the message of a fault" in html


def broken(recorded: bool) -> str:
    row = {"slug": "opal", "document": "Terms", "state": "stale", "check": "collapsed", "captured_at": "2026-05-01"}
    fresh = analysis.freshness(given(DOCUMENTS, row | {"newest_capture_at": "2026-07-02"}), "2026-07-31")
    return blocks.broken_captures(analysis.broken_captures(fresh), recorded=recorded).html


def test_a_break_whose_day_is_not_recorded_is_told_by_its_latest_day_and_why() -> None:
    assert "by 2026-07-02" in broken(recorded=True)
    assert "no failure before it is recorded" in broken(recorded=True)
    assert "to Pro keys only" in broken(recorded=False)


def test_old_texts_are_flagged_and_never_called_wrong_and_their_number_is_that_of_the_figure() -> None:
    fresh = analysis.freshness(Market(30).documents, "2026-07-31")
    block = blocks.unchanged_documents(fresh)
    old = int((fresh["age_days"] > 365).sum())
    assert block.text.startswith(f"{old} documents unchanged for more than 365 days")
    assert "it says nothing against it" in block.html
    assert block.html.count("<tr>") == old + 1


def test_an_unusually_quiet_platform_is_named_with_its_count_and_the_rule_with_its_source() -> None:
    counts = (8, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    cells = given(
        CELLS,
        *(
            {"slug": f"p{n}", "surface": f"s{place}", "state": "quiet" if place < count else "found"}
            for n, count in enumerate(counts)
            for place in range(12)
        ),
    )
    told = analysis.quiet_platforms(cells, given(DOCUMENTS))
    html = blocks.quiet_surfaces_by_name(analysis.quiet_surfaces(cells), told).html
    assert "<bdi>P0</bdi></th><td class=n>8 of 12" in html
    assert "Iglewicz and Hoaglin" in html


def accuracy(part: str, **told: Any) -> str:
    share = {"value": 0.9, "low": 0.8, "high": 0.95, "part": 9, "whole": 10}
    groups = {"all": {"precision": share, "recall": share, "calibration_error": 0.1}}
    figures = accuracy_frame({part: {"groups": groups}} if part else {})
    return blocks.extraction_told({"version": "2.b"}, figures, {"labels": part} | told).html


def test_figures_of_another_version_are_said_loudly_and_missing_ones_plainly() -> None:
    assert "class=alarm" in accuracy("test", rules="1.a")
    assert "class=alarm" not in accuracy("test", rules="2")
    assert "9 of 10" in accuracy("calibrate")
    assert "(expected calibration error 0.100)" in accuracy("calibrate")
    assert "tells no figures" in accuracy("")
    assert "tells no figures" in accuracy("other")
    assert "does not tell its version" in blocks.extraction_told({}, accuracy_frame({}), {}).html


def test_older_figures_are_shown_as_withdrawn_beside_the_others() -> None:
    older = {"groups": {"never_seen": {"precision": {"value": 0.93}}}, "why": "they flattered"}
    html = accuracy("test", withdrawn=older)
    assert html.index("9 of 10") < html.index("Withdrawn") < html.index("they flattered") < html.index("93")
    assert "Withdrawn" not in accuracy("test")
