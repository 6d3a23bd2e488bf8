"""A clause as a widget shows it."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis, widgets
from riskanalytics.errors import RiskAnalyticsError
from riskanalytics.frames import rows_of
from riskanalytics.pages.section import html_of
from riskanalytics.pages.values import Paragraph
from riskanalytics.text.page_words import plain_words
from riskanalytics.widgets.parts import Soon, check_steps, failure, findings_of, plain, source_line
from tests.frames_given import Market
from tests.widgets.given import given, labels


def test_a_near_copy_comes_last_and_a_public_archive_is_linked() -> None:
    market = Market(1)
    two = pd.concat(
        [market.findings.assign(duplicate_of="f1"), market.findings.assign(finding_id="f1")], ignore_index=True
    )
    two["archive_url"] = "https://archive.example.org/a/b?c=1"
    panel = widgets.explorer(given(market, findings=two)).panel
    assert [line[3:10] for line in labels(panel.clause)] == ["We may ", "(again)"]
    assert re.search('href="https://archive.example.org/a/b[?]c=1"[^>]*>archive</a>', panel.card.value)
    assert "decided by" not in panel.card.value  # no rule is known
    assert plain("A & B <c>\n\x1b") == "A & B <c> \ufffd"


@pytest.mark.parametrize(
    ("status", "marks"),
    [
        ("verified", "✓✓✓"), ("altered", "✓✓✗"), ("missing", "✓✓✗"), ("moved", "✓✓✗"), ("hash_mismatch", "✓✗–"),
        ("unavailable", "✗––"),
    ],
)  # fmt: skip
def test_each_step_of_a_check_has_a_tick_until_the_first_that_failed(status: str, marks: str) -> None:
    moment = datetime(2026, 7, 31, 14, 5, 9, tzinfo=UTC)
    html = html_of(check_steps({"verification_status": status}, moment))
    assert "".join(re.findall("[✓✗–](?= the| its)", html)) == marks
    assert "checked 2026-07-31 14:05:09 UTC" in html


def test_a_cited_clause_is_quoted_only_if_the_answer_does_not_contain_its_words() -> None:
    (row,) = rows_of(findings_of([{"platform": "opal", "id": "a", "quote": "We sell it.", "surface": "ads_tracking"}]))
    lines = [
        html_of((Paragraph(source_line(row, said, ", a mark")),)) for said in ("They say: We sell it.", "They sell.")
    ]
    assert ["We sell it." in line for line in lines] == [False, True]
    (marked,) = rows_of(findings_of([{"platform": "opal", "id": "a", "quote": "| We\u2060 sell it. |"}]))
    assert "sell it" not in html_of((Paragraph(source_line(marked, f"They say: {plain_words(str(marked['quote']))}")),))
    assert all("opal" in line and "Ads and tracking" in line and ", a mark" in line for line in lines)


def test_a_failure_is_told_in_one_line() -> None:
    assert html_of((failure(RiskAnalyticsError("no answer:\n  try again")),)).endswith(
        "<strong>Failed:</strong> no answer: try again</p>"
    )


def test_of_several_quick_calls_only_the_last_runs() -> None:
    said: list[int] = []

    async def typed() -> None:
        soon = Soon(0.01)
        for number in range(3):
            soon(lambda number=number: said.append(number))  # type: ignore[misc]  # bound now
        assert not said
        await asyncio.sleep(0.05)

    asyncio.run(typed())
    assert said == [2]


def test_a_clause_that_matches_the_search_comes_before_a_weightier_one() -> None:
    market = Market(1)
    both = [
        market.findings.assign(finding_id=words, quote=words, risk=risk)
        for words, risk in (("We train.", "HIGH"), ("We sell.", "LOW"))
    ]
    panel = widgets.explorer(given(market, findings=pd.concat(both, ignore_index=True))).panel
    assert [line[3:] for line in labels(panel.clause)] == ["We train.", "We sell."]
    panel.search.value = "sell"
    assert [line[3:] for line in labels(panel.clause)] == ["We sell.", "We train."]
    copied = [
        *both,
        market.findings.assign(finding_id="copy", quote="We sell too.", risk="HIGH", duplicate_of="We sell."),
    ]
    panel = widgets.explorer(given(market, findings=pd.concat(copied, ignore_index=True))).panel
    panel.search.value = "sell"  # also a copy that matches comes before what does not
    assert [line[3:] for line in labels(panel.clause)] == ["We sell.", "(again) We sell too.", "We train."]


def test_a_page_quotes_the_given_clauses_as_they_were_checked() -> None:
    data = given(Market(2))
    matrix = analysis.surface_matrix(data.views.risk_matrix, "training_use")
    clauses = analysis.surface_clauses(data.findings, matrix, "training_use").assign(verification_status="verified")
    html = "".join(piece.html for piece in widgets.explorer(data, clauses=clauses[:1]).twin()[1:])
    assert html.count("<blockquote") == 1
    assert "not checked" not in html
    many: Any = widgets.explorer(given(Market(42))).twin()[0]
    assert len(many.figure.data[0].y) == 40
    first: Any = widgets.explorer(data, "human_review").twin()[0]
    assert first.figure.data[0].x[2] == "Human review"  # after the rating and a gap
