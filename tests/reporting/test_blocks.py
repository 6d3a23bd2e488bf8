"""Pieces of a page: what they say, and that nothing from data leaves its place."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.analysis.clauses import clause_pairs
from riskanalytics.reporting import blocks
from riskanalytics.reporting.blocks.difference import marked
from riskanalytics.reporting.blocks.words import link, text
from tests.frames_given import CHANGES, Market, given

HOSTILE = "</blockquote><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}\x1b[31m"
SHA = "ab" * 32


def finding(quote: str, surface: str = "content_license", **more: Any) -> dict[str, Any]:
    provenance = {
        "snapshot_sha256": SHA,
        "archive_url": "javascript:alert(1)",
        "start": 3,
        "end": 9,
        "document": HOSTILE,
    }
    named = {
        "id": f"{quote[:20]}-{surface}",
        "quote": quote,
        "surface": surface,
        "risk": "HIGH",
        "polarity": "raises_risk",
    }
    return {**named, "provenance": {**provenance, "captured_at": "2026-07-02T00:00:00Z"}, **more}


def change(**more: Any) -> pd.DataFrame:
    row = {
        "change_id": "c1", "slug": "aurelia-chat", "name": "Aurelia Chat", "document": "Terms", "change_class": "material",
        "reviewed_at": pd.Timestamp("2026-07-02", tz="UTC"), "surfaces": ["content_license"], "direction": "up",
        "rating_before": "MED", "rating_after": "HIGH", "added": [], "removed": [], "altered": [], "cause": [],
        "snapshot_before": SHA, "snapshot_after": SHA, "summary": "one", **more,
    }  # fmt: skip
    return analysis.material_changes(given(CHANGES, row), "2026-07-01", "2026-08-01")


def shown(material: pd.DataFrame) -> str:
    return blocks.changed_platforms(material, analysis.change_noise(given(CHANGES))).html


def test_a_quiet_month_says_so() -> None:
    quiet = analysis.material_changes(given(CHANGES), "2026-07-01", "2026-08-01")
    assert "it was quiet" in shown(quiet)
    assert "No rating moved" in blocks.rating_moves(pd.DataFrame({"direction": []}), quiet).html


def test_a_change_stands_with_its_surface_direction_and_rating() -> None:
    html = shown(change(added=[finding("You grant us all rights in what you make.")]))
    for words in (
        "Aurelia Chat",
        "risk up",
        "Content licence",
        "MED",
        "HIGH",
        "1 clause added",
        "You grant us all rights",
    ):
        assert words in html


def test_hostile_words_are_text_wherever_they_stand() -> None:
    material = change(
        name=HOSTILE,
        document=HOSTILE,
        summary=HOSTILE,
        surfaces=[HOSTILE],
        added=[finding(HOSTILE, HOSTILE, risk=HOSTILE)],
    )
    html = shown(material)
    assert not re.search(r"<(?:script|img)", html)
    assert "javascript:" not in html
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert "U+202E" in html


def test_the_same_words_on_two_surfaces_are_one_clause() -> None:
    words = "We may keep and use what you upload."
    [row] = change(added=[finding(words), finding(words, "data_retention")]).to_dict("records")
    [pair] = clause_pairs(row)
    assert pair.surfaces == ("content_license", "data_retention")


def test_a_clause_that_came_for_one_that_went_is_shown_beside_it() -> None:
    before, after = "You keep all rights in your content.", "You keep few rights in your content."
    [row] = change(removed=[finding(before)], added=[finding(after)]).to_dict("records")
    [pair] = clause_pairs(row)
    assert pair.kind == "rewritten"
    assert "<del>all</del>" in shown(change(removed=[finding(before)], added=[finding(after)]))


def test_clauses_are_paired_by_their_words_not_by_their_place() -> None:
    gone = ["We never sell your files to anyone at all.", "Nobody looks at your uploads without asking you first."]
    came = ["Nobody looks at your uploads without telling you first.", "Your files serve our adverts.", gone[0]]
    [row] = change(
        removed=[finding(words, risk="LOW") for words in gone], added=[finding(words) for words in came]
    ).to_dict("records")
    told = {(pair.kind, pair.risk_before, pair.risk, (pair.after or {}).get("quote")) for pair in clause_pairs(row)}
    assert told == {
        ("rewritten", "LOW", "HIGH", came[0]),
        ("added", "HIGH", "HIGH", came[1]),
        ("reread", "LOW", "HIGH", came[2]),
    }


def test_the_same_words_read_otherwise_are_shown_once() -> None:
    words = "We may keep and use what you upload."
    html = shown(change(removed=[finding(words, risk="LOW")], added=[finding(words)]))
    assert html.count("<blockquote") == 1
    assert "read otherwise" in html


def test_sentences_that_are_no_findings_are_no_clauses() -> None:
    material = change(altered=[{"before": "Updated 1 May.", "after": "Updated 2 May.", "surface": None}])
    assert "no clause" in shown(material)


def test_what_did_not_verify_is_said_loudly() -> None:
    material = change(added=[finding("You grant us all rights.")])
    clauses = blocks.changed_clauses(material).assign(verification_status="hash_mismatch")
    html = blocks.changed_platforms(material, analysis.change_noise(given(CHANGES)), clauses).html
    assert "not verified: hash mismatch" in html


@pytest.mark.parametrize("size", [0, 1, 30])
def test_every_block_takes_none_one_and_many_platforms(size: int) -> None:
    market = Market(size)
    matrix = analysis.risk_matrix(market.findings, market.cells, market.platforms)
    training = analysis.training_use(market.answers, market.findings)
    slugs = list(market.platforms["slug"])
    made = [
        blocks.risk_matrix(matrix, first=10, shown=slugs[:5]),
        blocks.training_use(training, analysis.stance_shares(training)),
        blocks.freshness(analysis.freshness(market.documents, "2026-07-31")),
        blocks.evidence(market.findings, slugs),
        blocks.snapshots(market.findings),
    ]
    for block in made:
        assert block.text
        assert block.html.count("<details") == block.html.count("</details>")
        assert block.html.count("<table") == block.html.count("</table>")


def test_the_words_that_differ_are_marked_and_long_runs_in_common_left_out() -> None:
    assert marked("a b c", "a x c") == ("a <del>b</del> c", "a <ins>x</ins> c")
    assert marked("it\u2019s", "it's") == ("it\u2019s", "it&#x27;s")
    long = " ".join(f"w{number}" for number in range(300))
    left, right = marked(f"{long} old", f"{long} new")
    assert "[…]" in left
    assert len(right) < len(long) / 2


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "http://169.254.169.254/", "http://localhost/x", None,
     "https://embedded.localhost/archive/1", "http://10.0.0.1/", "//a.example", "https://a.example\n.b", "http://[::1"],
)  # fmt: skip
def test_only_public_addresses_become_links(url: str | None) -> None:
    assert link(url, "archive") == "archive"


def test_a_public_address_is_a_link_without_a_trace_of_where_it_came_from() -> None:
    made = link('https://archive.example/a"b', "archive")
    assert made == '<a href="https://archive.example/a&quot;b" rel="noreferrer noopener">archive</a>'


def test_a_long_text_is_cut_with_a_mark() -> None:
    assert text("x" * 1_000_000).endswith("more characters]")
