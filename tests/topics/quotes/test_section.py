"""Quotes on a page: the clauses of platforms, and the texts that they were quoted from."""

from __future__ import annotations

import pytest

from riskanalytics import frames
from riskanalytics.topics import quotes as section
from tests.frames_given import Market
from tests.topics.given import HOSTILE, SHA, finding


@pytest.mark.parametrize("size", [0, 1, 30])
def test_every_section_takes_none_one_and_many_platforms(size: int) -> None:
    market = Market(size)
    for made in (section.evidence(market.findings, list(market.platforms["slug"])), section.snapshots(market.findings)):
        assert made.text
        assert made.html.count("<details") == made.html.count("</details>")
        assert made.html.count("<table") == made.html.count("</table>")


def test_the_weightiest_clauses_of_a_surface_come_first_and_the_others_are_counted() -> None:
    rows = [
        finding("Low.", risk="LOW"),
        finding("High."),
        finding("Also high."),
        finding("Copy.", duplicate_of="High.-x"),
    ]
    made = section.evidence(frames.findings_frame(rows).assign(slug="a", name="A"), ["a", "b"])
    assert made.text == "2 quotes of 1 platform"
    assert "4 clauses on 1 surface" in made.html
    assert 'id="a-content_license"' in made.html
    assert '<h3>Content licence <span class="thin">2 of 3 clauses shown</span></h3>' in made.html
    assert made.html.index("High.") < made.html.index("Also high.")
    assert "Low." not in made.html
    assert "Copy." not in made.html


def test_every_quoted_text_appears_once_with_its_full_hash_at_its_own_address() -> None:
    findings = frames.findings_frame([finding("One."), finding("Two.")]).assign(name="A")
    made = section.snapshots(findings, findings[:1])
    assert made.text == "1 text quoted"
    assert f'<tr id="text-{SHA[:12]}">' in made.html
    assert made.html.count(f"<code>{SHA}</code>") == 1


def test_nothing_from_data_leaves_its_place() -> None:
    rows = [finding(HOSTILE, HOSTILE, id=HOSTILE, risk=HOSTILE, polarity=HOSTILE)]
    findings = frames.findings_frame(rows).assign(slug=HOSTILE, name=HOSTILE, before=HOSTILE, after=HOSTILE)
    for made in (section.evidence(findings, [HOSTILE]), section.snapshots(findings)):
        assert "<script" not in made.html
        assert "<img" not in made.html
        assert 'href="javascript' not in made.html
