"""Leads on a page: why they are no findings, and that they are not counted."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd

from riskanalytics import analysis, frames
from riskanalytics.topics import quotes
from tests.topics.given import HOSTILE, finding


def led(*leads: dict[str, Any]) -> pd.DataFrame:
    return frames.findings_frame(
        {"slug": "a", "name": "A", "verification_status": "verified", **finding(f"Words {n}.", **lead)}
        for n, lead in enumerate(leads)
    )


def test_a_lead_is_shown_with_its_surface_and_reason_and_without_a_level() -> None:
    result = {"roles": {"actor": "third_party"}, "confidence": 0.714}
    html = quotes.worth_reading(led(result, {"confidence": 0.9}, {}), 0.8).html
    assert html.count("stated confidence 0.71, below the bound of 0.80</span>") == 1
    assert "stated confidence 0.90</span>" in html
    assert "no confidence is stated" in html
    assert "third party" not in html
    assert "Content licence" in html
    assert "They are not counted" in html
    assert not re.search("HIGH|class=.?level", html)
    assert "bound" not in quotes.worth_reading(led(result), None).html
    assert "bound" not in quotes.worth_reading(led({"confidence": 0.8}), 0.8).html
    assert "bound" not in quotes.worth_reading(led({"confidence": 0.8}), 1.5).html
    assert "0.80, below the bound of 1.00" in quotes.worth_reading(led({"confidence": 0.8}), 1).html
    assert "<summary>1 more lead</summary>" in quotes.worth_reading(led(*[result] * 6), 0.8).html
    assert "0.799, below the bound of 0.80" in quotes.worth_reading(led({"confidence": 0.799}), 0.8).html
    assert "There are no leads" in quotes.worth_reading(led(), 0.8).html


def test_leads_of_all_platforms_are_counted_and_some_of_their_sentences_folded() -> None:
    leads = led(*({"confidence": 0.5} for _ in range(7)))
    made = quotes.leads_by_platform(analysis.leads_by_platform(leads), leads[:2], 0.8)
    assert made.text == "7 leads on 1 platform, not counted"
    assert '<td class="n">7<td class="n">1<td class="n">0.50' in made.html
    folded = made.html[made.html.index("<details") :]
    assert folded.count("<blockquote") == made.html.count("<blockquote") == 2
    assert "5 more leads not shown" in folded
    assert "not shown" not in quotes.leads_by_platform(analysis.leads_by_platform(leads), leads, 0.8).html
    both = pd.concat([leads, leads.assign(slug="b", name="B")], ignore_index=True)
    html = quotes.leads_by_platform(analysis.leads_by_platform(both), both[6:8], 0.8).html
    assert re.findall("<h3>(.*?)</h3><blockquote[^>]*>(.*?)<", html) == [
        ("<bdi>A</bdi>", "Words 6."),
        ("<bdi>B</bdi>", "Words 0."),
    ]
    assert "14 clauses on 2 platforms, not sure enough to be findings." in html
    assert "<summary>The most confident lead of each of 2 platforms</summary>" in html
    assert "There are no leads" in quotes.leads_by_platform(analysis.leads_by_platform(led()), led(), 0.8).html


def test_nothing_from_data_leaves_its_place() -> None:
    rows = [finding(HOSTILE, HOSTILE, id=HOSTILE, polarity=HOSTILE), finding(HOSTILE, HOSTILE, id="b", risk=HOSTILE)]
    rows[0]["roles"] = dict.fromkeys(("actor", "action", "object", "condition"), HOSTILE)
    findings = frames.findings_frame(rows).assign(slug="a", name=HOSTILE, before=HOSTILE, after=HOSTILE)
    for made in (
        quotes.worth_reading(findings, HOSTILE),
        quotes.leads_by_platform(analysis.leads_by_platform(findings), findings, HOSTILE),
    ):
        assert "<script" not in made.html
        assert "<img" not in made.html
        assert "\u202e" not in made.html
