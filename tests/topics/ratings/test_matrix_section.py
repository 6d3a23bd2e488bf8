"""The matrix and one surface on a page: every platform in one place, the worst first, nothing from data out of its place."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from riskanalytics.pages.values import Cell, Matrix
from riskanalytics.text.wording import plural
from riskanalytics.topics.ratings import section, surface
from riskanalytics.topics.ratings.matrix import risk_matrix
from tests.frames_given import CELLS, FINDINGS, PLATFORMS, Market, given
from tests.topics.given import HOSTILE, SHA, read
from tests.topics.ratings import given as five


def pieces(market: Market, most: int = 600) -> tuple[pd.DataFrame, pd.DataFrame]:
    ordered = risk_matrix(market.findings, market.cells, market.platforms)
    matrix = surface.surface_matrix(ordered, "training_use")
    return matrix, surface.surface_clauses(market.findings, matrix, "training_use", most)


@pytest.mark.parametrize("size", [0, 1, 30])
@pytest.mark.parametrize("most", [0, 5, 600])
def test_no_one_or_many_platforms_appear_once_and_every_link_has_its_target(size: int, most: int) -> None:
    matrix, clauses = pieces(Market(size), most)
    made = [section.surface_platforms(matrix, clauses), section.surface_clauses(matrix, clauses)]
    html = "".join(part_shown.html for part_shown in made)
    assert all(part_shown.text for part_shown in made)
    anchors = re.findall(r'\sid="?([^"\s>]+)', html)
    assert len(anchors) == len(set(anchors))
    assert {goal for goal in re.findall(r'href="#([^"]+)"', html) if not goal.startswith("text-")} <= set(anchors)
    for tag in ("details", "table", "section", "div"):
        assert html.count(f"<{tag}") == html.count(f"</{tag}>")


@pytest.mark.parametrize("size", [0, 1, 30])
def test_the_matrix_takes_none_one_and_many_platforms_and_leads_to_the_clauses_shown(size: int) -> None:
    market = Market(size)
    slugs = list(market.platforms["slug"])[:5]
    made = section.risk_matrix(risk_matrix(market.findings, market.cells, market.platforms), first=10, shown=slugs)
    assert made.text == f"{plural(size, 'platform')} x {12 if size else 0} surfaces"
    assert made.html.count("<details") == made.html.count("</details>") == 1
    assert made.html.count("<tr data-s=") == size
    assert set(re.findall(r'href="#platform-([^"]+)"', made.html)) == set(slugs)
    assert ("Show all 30" in made.html) == (size == 30)


def test_cells_of_the_matrix_give_their_letter_their_clauses_and_the_age_of_their_text() -> None:
    cells = given(
        CELLS,
        {"slug": "opal", "surface": "training_use", "risk": "HIGH", "state": "found", "count": 2},
        {"slug": "opal", "surface": "output_rights", "risk": None, "state": "quiet", "count": 0},
        {"slug": "opal", "surface": "content_license", "risk": "MED", "state": "found", "count": 4},
        {"slug": "opal", "surface": "terms_changes", "risk": "LOW", "state": "found", "count": 3},
        {"slug": "opal", "surface": "ip_liability", "risk": "SEVERE", "state": "found", "count": 1},
        {"slug": "opal", "surface": "ads_tracking", "risk": None, "state": "to_read", "count": 0, "to_read": 2},
        {"slug": "tarn", "surface": "ip_liability", "risk": "LOW", "state": "found", "count": 1},
    )
    findings = given(
        FINDINGS,
        {"slug": "opal", "surface": "training_use", "risk": "HIGH", "captured_at": "2026-07-01T23:00"},
        {"slug": "opal", "surface": "content_license", "risk": "MED", "captured_at": "2026-07-30"},
        {"slug": "opal", "surface": "terms_changes", "risk": "LOW", "captured_at": "2026-07-01T01:00"},
        {"slug": "tarn", "surface": "ip_liability", "risk": "LOW", "captured_at": "2026-07-31T01:00"},
    )
    platforms = given(PLATFORMS, {"slug": "opal", "rating": "HIGH"}, {"slug": "tarn", "rating": None})
    page = section.risk_matrix(risk_matrix(findings, cells, platforms), first=1, shown={"opal"})
    made = page.parts[0]
    assert '<td class=U title="to be read (2 clauses)">?' in page.html
    assert isinstance(made, Matrix)
    assert made.day == "2026-07-31"
    opal, tarn = made.rows
    shown = dict(zip((name for _, name in made.surfaces), opal.cells, strict=True))
    assert shown["Training use"] == Cell("H", "2a")
    assert (shown["Content licence"], shown["Terms changes"]) == (Cell("M", "4b"), Cell("L", "3a"))
    assert shown["Output rights"] == Cell()
    assert shown["IP liability"] == Cell("?", "1", "to be read (1 clause)")
    assert shown["Ads and tracking"] == Cell("?", hint="to be read (2 clauses)")
    assert shown["Human review"] == Cell("–", hint="not read")
    assert (opal.ages, opal.letter, opal.linked) == ("30,1", "H", True)
    assert (tarn.ages, tarn.rating, tarn.letter, tarn.linked) == ("0", "", "?", False)


def test_clauses_that_are_left_out_are_counted() -> None:
    matrix, clauses = pieces(Market(30), 5)
    assert "5 of 5 clauses" not in section.surface_clauses(matrix, clauses).html
    double = pd.concat([Market(3).findings, Market(3).findings.assign(finding_id=lambda f: f["finding_id"] + "b")])
    two = surface.surface_clauses(double, matrix, "training_use", 3)
    assert "3 of 6 clauses, the weightiest of every platform" in section.surface_clauses(matrix, two).html


def test_a_level_that_no_clause_has_alone_is_said() -> None:
    cells = given(CELLS, {"slug": "opal", "surface": "training_use", "risk": "HIGH", "state": "found", "count": 1})
    findings = given(
        FINDINGS, {"slug": "opal", "finding_id": "a", "surface": "training_use", "risk": "MED", "quote": "Q"}
    )
    matrix = surface.surface_matrix(risk_matrix(findings, cells), "training_use")
    clauses = surface.surface_clauses(findings, matrix, "training_use")
    for part_shown in (section.surface_clauses(matrix, clauses), section.side_by_side(matrix, clauses)):
        assert "No single clause is HIGH: all clauses on the surface together have this level." in part_shown.html


def test_silence_and_unread_are_distinguished_side_by_side() -> None:
    cells = given(CELLS, {"slug": "opal", "surface": "training_use", "risk": None, "state": "quiet", "count": 0})
    scope = given(PLATFORMS, {"slug": "opal"}, {"slug": "tarn"})
    matrix = surface.surface_matrix(risk_matrix(given(FINDINGS), cells, scope), "training_use")
    html = section.side_by_side(matrix, surface.surface_clauses(given(FINDINGS), matrix, "training_use")).html
    assert "no clause found" in html
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
        section.risk_matrix(matrix, first=1, shown=set(matrix["slug"])),
        section.surface_platforms(matrix, clauses),
        section.surface_clauses(matrix, clauses),
        section.side_by_side(matrix, clauses),
    ]
    html = "".join(part_shown.html for part_shown in made)
    assert "&lt;script&gt;" in html
    for bad in ("<script", "<img", 'href="javascript', "\u202e", "\x1b"):
        assert bad not in html


def test_every_platform_is_listed_under_its_result_with_its_own_clauses_and_numbers() -> None:
    matrix = surface.surface_matrix(five.matrix(), "data_retention")
    few, every = (surface.surface_clauses(five.findings(), matrix, "data_retention", most) for most in (4, 600))
    made = section.surface_clauses(matrix, few)
    source = "Terms · |not verified: not checked"
    assert made.text == "4 clauses of 3 platforms"
    assert read(made.html) == (
        "|4 of 5 clauses, the weightiest of every platform. All clauses of one platform: "
        "|riskanalytics report platform_dossier -p platform=SLUG|At HIGH |1 platform|Opal|2 clauses|We keep it for ever.|HIGH|"
        f"{source}|We keep it.|MED|{source}|At MED |1 platform|Harbor|2 clauses|As long as our organisation needs it.|MED|{source}"
        "|1 more clause not shown.|Not read |1 platform|Tarn|.|No clause found |1 platform|Quill|.|At LOW |1 platform|Lumen"
        f"|1 clause|Deleted at once.|LOW|{source}|"
    )
    assert "the weightiest of every platform" not in section.surface_clauses(matrix, every).html
    assert read(section.side_by_side(matrix, every).html) == (
        f"|Opal|HIGH|We keep it for ever.|HIGH|{source}|We keep it.|MED|{source}|Harbor|MED"
        f"|As long as our organisation needs it.|MED|{source}|Deleted in 30 days.|LOW|{source}"
        f"|Tarn|not read|Quill|no clause found|Lumen|LOW|Deleted at once.|LOW|{source}|"
    )
    assert read(section.surface_platforms(matrix, every).html).split("|Rating|")[1] == (
        "Opal|HIGH|1|HIGH|Harbor|MED|1|MED|Tarn|not read|MED|Quill|no clause found|0|MED|Lumen|LOW|1|MED|"
    )
    long = pd.concat(
        [five.findings().assign(finding_id=lambda rows, n=n: rows["finding_id"] + str(n)) for n in range(2)]
    )
    clauses = surface.surface_clauses(long, matrix, "data_retention")
    assert "2 more clauses" in section.surface_clauses(matrix, clauses).html
    assert "more clause" not in section.side_by_side(matrix, clauses).html
