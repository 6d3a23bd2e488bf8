"""One surface on a page: every platform in one place, the worst first, and nothing from data leaves its place."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from riskanalytics import analysis
from riskanalytics.reporting import blocks
from tests.frames_given import CELLS, FINDINGS, PLATFORMS, Market, given
from tests.reporting.test_blocks import HOSTILE, SHA


def pieces(market: Market, most: int = 600) -> tuple[pd.DataFrame, pd.DataFrame]:
    ordered = analysis.risk_matrix(market.findings, market.cells, market.platforms)
    matrix = analysis.surface_matrix(ordered, "training_use")
    return matrix, analysis.surface_clauses(market.findings, matrix, "training_use", most)


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("most", [0, 5, 600])
def test_none_one_and_many_platforms_stand_once_and_every_link_has_its_goal(size: int, most: int) -> None:
    matrix, clauses = pieces(Market(size), most)
    made = [blocks.surface_platforms(matrix, clauses), blocks.surface_clauses(matrix, clauses)]
    html = "".join(block.html for block in made)
    assert all(block.text for block in made)
    anchors = re.findall(r'\sid="?([^"\s>]+)', html)
    assert len(anchors) == len(set(anchors))
    assert {goal for goal in re.findall(r'href="#([^"]+)"', html) if not goal.startswith("text-")} <= set(anchors)
    for tag in ("details", "table", "section", "div"):
        assert html.count(f"<{tag}") == html.count(f"</{tag}>")


def test_clauses_that_are_left_out_are_counted() -> None:
    matrix, clauses = pieces(Market(30), 5)
    assert "5 of 5 clauses" not in blocks.surface_clauses(matrix, clauses).html
    double = pd.concat([Market(3).findings, Market(3).findings.assign(finding_id=lambda f: f["finding_id"] + "b")])
    two = analysis.surface_clauses(double, matrix, "training_use", 3)
    assert "3 of 6 clauses, of every platform the weightiest" in blocks.surface_clauses(matrix, two).html


def test_a_level_that_no_clause_has_alone_is_said() -> None:
    cells = given(CELLS, {"slug": "opal", "surface": "training_use", "risk": "HIGH", "state": "found", "count": 1})
    findings = given(
        FINDINGS, {"slug": "opal", "finding_id": "a", "surface": "training_use", "risk": "MED", "quote": "Q"}
    )
    matrix = analysis.surface_matrix(analysis.risk_matrix(findings, cells), "training_use")
    clauses = analysis.surface_clauses(findings, matrix, "training_use")
    for block in (blocks.surface_clauses(matrix, clauses), blocks.side_by_side(matrix, clauses)):
        assert "None of these alone is HIGH: the service rates them together." in block.html


def test_silence_and_what_is_not_read_are_told_apart_side_by_side() -> None:
    cells = given(CELLS, {"slug": "opal", "surface": "training_use", "risk": None, "state": "quiet", "count": 0})
    scope = given(PLATFORMS, {"slug": "opal"}, {"slug": "tarn"})
    matrix = analysis.surface_matrix(analysis.risk_matrix(given(FINDINGS), cells, scope), "training_use")
    html = blocks.side_by_side(matrix, analysis.surface_clauses(given(FINDINGS), matrix, "training_use")).html
    assert "nothing found" in html
    assert "not read" in html


def test_nothing_from_data_leaves_its_place() -> None:
    market = Market(3)
    for frame in (market.platforms, market.cells, market.findings):
        frame["name"] = HOSTILE
        frame["slug"] = [f"{HOSTILE}{place % 3}" for place in range(len(frame))]
    market.findings["quote"] = market.findings["document"] = HOSTILE
    market.findings["archive_url"] = "javascript:alert(1)"
    market.findings["snapshot_sha256"] = SHA
    market.findings["verification_status"] = HOSTILE
    matrix, clauses = pieces(market)
    made = [
        blocks.surface_platforms(matrix, clauses),
        blocks.surface_clauses(matrix, clauses),
        blocks.surface_clauses(matrix, clauses, alone=True),
        blocks.side_by_side(matrix, clauses),
    ]
    html = "".join(block.html for block in made)
    assert "&lt;script&gt;" in html
    for bad in ("<script", "<img", 'href="javascript', "\u202e", "\x1b"):
        assert bad not in html
