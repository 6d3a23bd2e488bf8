"""The portfolio notebook: its page on the demo's example, on a portfolio of one's own, and on services that show less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import riskanalytics as ra
from riskanalytics.reporting import run_report
from tests.notebooks.conftest import PageOf, sections
from tests.topics.decisions.given import clause, entry, saved

SECTIONS = [
    "What we use",
    "What changed for us",
    "Exposure",
    "Rules and exceptions",
    "Deadlines and decisions",
    "Not covered",
    "Evidence",
    "Method and reproduction",
]
OURS = """Anbieter;Verantwortlich;Tarif;Freigegeben am
Aurelia Chat;Ann;Free;2026-02-20
Northwnd Draft;Bo;Team;
Aureliaa;Cy;;
"""
RULES = """
[[rule]]
id = "low"
title = "Nothing above LOW"
rating = "LOW"

[[exception]]
rule = "low"
platform = "aurelia-chat"
owner = "Ann"
reason = "Trial."
expires = 2026-04-01

[[rule]]
id = "kept"
title = "Keeps little"
surface = "data_retention"
level = "LOW"
"""


def test_a_portfolio_with_rules_has_its_own_page(small: Path) -> None:
    (small / "ours.csv").write_text(OURS, encoding="utf-8")
    (small / "ours.matches.csv").write_text("given,slug\nNorthwnd Draft,northwind-draft\n", encoding="utf-8")
    (small / "rules.toml").write_text(RULES, encoding="utf-8")
    with ra.connect(database=small / "given.sqlite") as client:
        first = ra.load(client).findings.query("slug == 'aurelia-chat' and surface == 'data_retention'").iloc[0]
    taken = {name: first[name] for name in ("document", "surface", "snapshot_sha256")}
    taken |= {name: int(first[name]) for name in ("start", "end")}
    saved(small / "said.json", entry(clause(first["quote"], platform=first["slug"], **taken)))
    values = {"since": "2026-03-01", "portfolio": str(small / "ours.csv"), "rules": str(small / "rules.toml"),
              "decisions": str(small / "said.json")}  # fmt: skip
    page = run_report("portfolio", values, small / "out")
    html = page.read_text(encoding="utf-8")
    assert page.name == "portfolio-since-2026-03-01-to-2026-03-05-ours.html"
    assert sections(html) == SECTIONS
    assert "Your portfolio of 3 rows: 2 matched, 1 to confirm; 2 of 3 tracked platforms" in html
    lead = re.findall(r'<p class="lead">([^<]*)</p>', html)
    assert lead == [
        "Of 2 uses of 2 platforms, 0 are on platforms rated HIGH; Aurelia Chat changed materially since approval.",
        "A platform that you may use changed materially. Confirm first: &#39;Aureliaa&#39; in row 3 may mean Aurelia Chat.",
        "1 material change on 1 of 2 platforms (Aurelia Chat); the rating of Aurelia Chat fell; "
        "the first change on record is from 5 March 2026.",
        "No rule is broken without an exception; 2 results are undetermined.",
    ]
    assert "1 exception expires by 4 May 2026." in html
    assert "Ann: Known." in html  # she accepted the clause that breaks the rule on retention
    assert "Row 2, “Northwnd Draft”: Northwind Draft (northwind-draft; match confirmed by you, confidence 1.00)" in html
    assert "1 decision: 1 holds." in html
    assert "-p portfolio=ours.csv -p rules=rules.toml -p decisions=said.json" in html
    assert str(small) not in html


@pytest.mark.slow
def test_the_demo_shows_the_example_and_its_charts(page_of: PageOf) -> None:
    html = page_of("portfolio").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "Example portfolio of 12 rows: 11 matched, 1 not tracked; 11 of 320 tracked platforms" in html
    assert re.findall(r'<figure data-chart="([^"]+)"', html) == ["portfolio_exposure"] * 2
    assert "<summary>Clauses that bind none of your plans: 1 quote of 1 platform</summary>" in html
    assert "not verified" not in html


@pytest.mark.slow
def test_without_a_portfolio_and_a_pro_key_all_platforms_are_uses_and_changes_are_not_known(less: Path) -> None:
    html = run_report("portfolio", {"month": "2026-03"}, less / "out").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "Of 3 uses of 3 platforms, 0 are on platforms rated HIGH." in html
    assert "What changed is not known" in html
    assert "Clauses that bind none" not in html
