"""The monthly report: its page on the demo, for a portfolio, and on services that show less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from riskanalytics.errors import IncompleteReportError
from riskanalytics.reporting import run_report
from riskanalytics.settings import load_settings
from tests.notebooks.conftest import PageOf, sections
from tests.service.given import build_database

SECTIONS = [
    "What changed",
    "Ratings",
    "Risk heatmap",
    "Training use",
    "Coverage and freshness",
    "Evidence",
    "Method and reproduction",
]


def test_the_page_has_its_sections_in_order_and_every_chart(page_of: PageOf) -> None:
    html = page_of("monthly_report").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert html.count("<figure data-chart=") == html.count('class="plot-data"') >= 5
    assert html.count("Informational only, not legal advice") >= 2
    assert "not verified" not in html


def test_a_portfolio_narrows_the_page_and_lists_unmatched_rows(page_of: PageOf, tmp_path: Path) -> None:
    page = page_of("monthly_report")
    slugs = re.findall(r'id="platform-([a-z0-9-]+)"', page.read_text(encoding="utf-8"))[:2]
    (tmp_path / "ours.csv").write_text("slug\n" + "\n".join([*slugs, "no-such-platform"]) + "\n", encoding="utf-8")
    narrow = run_report("monthly_report", {"portfolio": str(tmp_path / "ours.csv")}, tmp_path / "out")
    html = narrow.read_text(encoding="utf-8")
    assert narrow.name.endswith("-ours.html")
    assert "2 of 3" in html
    assert "no-such-platform" in html
    assert str(tmp_path) not in html


@pytest.mark.slow
def test_rules_are_judged_on_the_page_with_the_clauses_that_break_them(small: Path) -> None:
    (small / "rules.toml").write_text('[[rule]]\nid = "low"\ntitle = "Nothing above LOW"\nrating = "LOW"\n', encoding="utf-8")
    values = {"month": "2026-03", "rules": str(small / "rules.toml")}
    html = run_report("monthly_report", values, small / "out").read_text(encoding="utf-8")
    part = html[html.index(">Your rules</h3>") :].partition("An exception never changes a result.")[0]
    assert "1 of 1 rule broken: 1 result fails; 2 results are undetermined." in part
    assert "Nothing above LOW" in part
    assert part.count("<blockquote") == 1
    assert part.count("· verified</cite>") == 1
    assert str(small) not in html
    assert "-p rules=rules.toml" in html


@pytest.mark.parametrize(
    ("month", "said"),
    [("2199-01", "is after the data"), pytest.param("1999-01", "is before the data", marks=pytest.mark.slow)],
)
def test_a_month_without_data_is_refused(month: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(IncompleteReportError, match=said):
        run_report("monthly_report", {"month": month}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("less", ["", "starter"], indirect=True)
def test_without_a_pro_key_only_the_changes_are_missing(less: Path) -> None:
    page = run_report("monthly_report", {"month": "2026-03"}, less / "out")
    html = page.read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "the service shows changes with a Pro key only" in html
    assert "What changed is not known" in html
    assert "quiet month" not in html


@pytest.mark.slow
def test_a_month_in_progress_and_a_portfolio_of_one_have_their_own_titles(tmp_path: Path) -> None:
    database, wanted = build_database(tmp_path), tmp_path / "ours.csv"
    wanted.write_text("slug\naurelia-chat\n", encoding="utf-8")
    settings = load_settings(database=database)
    page = run_report("monthly_report", {"month": "2026-03", "portfolio": str(wanted)}, tmp_path / "out", settings=settings)
    html = page.read_text(encoding="utf-8")
    title = "AI platform risk, 1 March 2026 to 5 March 2026"
    assert f"<h1>{title}</h1>" in html
    assert title in (page.parent / "index.html").read_text(encoding="utf-8")
    assert "Of 1 portfolio platform, 1 is verified (all documents read); " in html
    assert "1 of 1 portfolio platform verified" in html
    assert {before[-7:] for before in html.split("tracked platform")[:-1]} == {"1 of 3 "}
    whole = run_report("monthly_report", {"month": "2026-02"}, tmp_path / "out", settings=settings).read_text(encoding="utf-8")
    assert "<h1>AI platform risk, February 2026</h1>" in whole


@pytest.mark.slow
def test_a_report_since_the_last_begins_where_the_last_ended(tmp_path: Path) -> None:
    settings, out = load_settings(database=build_database(tmp_path)), tmp_path / "out"
    month = run_report("monthly_report", {"month": "2026-02"}, out, settings=settings)
    new = run_report("monthly_report", {"since": "last"}, out, settings=settings)
    first = new.read_bytes()
    assert run_report("monthly_report", {"since": "last"}, out, settings=settings) == new  # made again, it is the same
    assert new.read_bytes() == first
    none = run_report("monthly_report", {"since": "2026-03-05"}, out, settings=settings)
    early = run_report("monthly_report", {"since": "2019-12-31"}, out, settings=settings)
    names = [page.stem.removeprefix("monthly_report-") for page in (month, new, none, early)]
    assert names == [
        "2026-02", "since-2026-02-28-to-2026-03-05", "since-2026-03-05-to-2026-03-05", "since-2019-12-31-to-2026-03-05"
    ]  # fmt: skip
    result = [page.read_text(encoding="utf-8") for page in (new, none, early)]
    assert "<h1>AI platform risk, 1 March 2026 to 5 March 2026</h1>" in result[0]
    assert "1 material change on 1 of 3 platforms (Aurelia Chat)" in result[0]
    assert "riskanalytics report monthly_report -p since=2026-02-28 -p top=40" in result[0]
    assert "<h1>AI platform risk, no day after 5 March 2026</h1>" in result[1]
    assert "No change since 5 March 2026: the data end on that day." in result[1]
    assert "the first change on record is from 5 March 2026" in result[2]
    assert "rating moves are not known" in result[2]
    for html in result:
        assert sections(html) == SECTIONS
        assert "this month" not in html
        assert "of the month" not in html
    index = (out / "index.html").read_text(encoding="utf-8")
    assert all(page.name in index for page in (month, new, none, early))
