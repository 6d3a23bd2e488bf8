"""The folder of reports: its index and feed list the pages in it."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from riskanalytics.errors import ParameterError, ReportError
from riskanalytics.pages.section import DETAILS, encode
from riskanalytics.pages.values import PAGE_TYPE, Heading
from riskanalytics.reporting import run_report
from riskanalytics.reporting.execution import list_pages
from riskanalytics.reporting.exporter import RiskReportExporter
from riskanalytics.reporting.placing import last_reported, list_of
from tests.reporting.notebooks_given import written

HOSTILE = '</script><img src=x onerror=alert(1)>"=1+1\u202e'


def write_page(
    path: Path, title: str, day: date, failed: int = 0, lead: str = "Nothing moved.", portfolio: str = "(empty)",
    notebook: str = "monthly_report", listed: str = "", **more: str,
) -> None:  # fmt: skip
    result = {
        "title": title, "name": "n", "description": lead, "lead": lead, "as_of": f"{day:%Y-%m-%d}", "scope": "all 3 platforms",
        "quotes_checked": 7, "quotes_failed": failed, "counts": {"clauses": "31"},
        "provenance": {"data, SHA-256": "ab12", "parameter portfolio": portfolio}, **more,
    }  # fmt: skip
    shown = {PAGE_TYPE: encode((Heading(title, 1),))}
    outputs = [new_output("display_data", data=shown, metadata={DETAILS: {"report": result}})]
    cells = [new_code_cell("", outputs=outputs)]
    made = new_notebook(cells=cells, metadata={DETAILS: {"notebook": notebook, **({"list": listed} if listed else {})}})
    path.write_text(RiskReportExporter().from_notebook_node(made)[0], encoding="utf-8")


def last(folder: Path, newest: date = date(2026, 12, 31), **values: object) -> date:
    """Day of the last report on some portfolio in a folder."""
    return last_reported(folder, "monthly_report", values, lambda: newest)


def test_the_list_shows_day_scope_counts_and_verification_newest_first(tmp_path: Path) -> None:
    write_page(tmp_path / "a-2026-06.html", "June", date(2026, 6, 30))
    write_page(tmp_path / "b-2026-07.html", "July", date(2026, 7, 31), failed=2)
    (tmp_path / "b-2026-07.pdf").write_bytes(b"%PDF-")
    html = list_pages(tmp_path).read_text(encoding="utf-8")
    assert re.findall(r'href="([ab][^"]+)"', html) == ["b-2026-07.html", "b-2026-07.pdf", "a-2026-06.html"]
    assert html.count("all 3 platforms") == 2
    assert html.count("clauses: 31") == 2
    assert "2 of 7 clauses not verified" in html
    assert "all 7 clauses verified" in html
    assert "2 reports; the newest data end on 2026-07-31" in html


@pytest.mark.parametrize(("name", "text"), [("index.html", "<h1>My site</h1>"), ("feed.json", '{"version": 1}')])
def test_a_foreign_index_is_refused_before_anything_runs(tmp_path: Path, name: str, text: str) -> None:
    notebook = written(tmp_path / "small.ipynb", "raise SystemError('it ran')")
    (tmp_path / name).write_text(text)
    for made in (lambda: list_pages(tmp_path), lambda: run_report(notebook, {}, tmp_path)):
        with pytest.raises(ReportError, match="riskanalytics did not make it: give another folder"):
            made()
    assert {path.name for path in tmp_path.iterdir()} == {name, "small.ipynb"}
    assert (tmp_path / name).read_text() == text


def test_a_page_on_a_portfolio_is_listed_with_its_file(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "June", date(2026, 6, 30), portfolio="design <team>.csv")
    write_page(tmp_path / "b.html", "June", date(2026, 6, 30))
    html = list_pages(tmp_path).read_text(encoding="utf-8")
    assert re.sub("<[^>]+>", "", html).count("portfolio design &lt;team&gt;.csv") == 1
    assert "(empty)" not in html


def test_the_feed_is_a_json_feed_with_the_same_pages(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "June", date(2026, 6, 30))
    list_pages(tmp_path)
    feed = json.loads((tmp_path / "feed.json").read_text(encoding="utf-8"))
    (item,) = feed["items"]
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert (item["id"], item["url"], item["title"]) == ("a.html", "a.html", "June")
    assert item["date_published"] == "2026-06-30T00:00:00Z"
    assert item["content_text"] == "Nothing moved."
    assert item["_riskanalytics"]["quotes_checked"] == 7
    assert item["_riskanalytics"]["provenance"]["data, SHA-256"] == "ab12"


def test_the_same_pages_give_the_same_bytes_and_a_deleted_page_leaves_the_list(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "June", date(2026, 6, 30))
    write_page(tmp_path / "b.html", "July", date(2026, 7, 31))
    first = list_pages(tmp_path).read_bytes()
    assert list_pages(tmp_path).read_bytes() == first
    (tmp_path / "b.html").unlink()
    assert "July" not in list_pages(tmp_path).read_text(encoding="utf-8")
    write_page(tmp_path / "c.html", "August", date(2026, 8, 31), lead="x" * 30_000)
    assert "August" in list_pages(tmp_path).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        b"<p>a page of somebody else</p>",
        b'<script type="application/json" id="report-facts">{"title": </script>',
        b'<script type="application/json" id="report-facts">[1]</script>',
        b'<script type="application/json" id="report-facts">' + b"[" * 60_000 + b"</script>",
        b"\xff\xfe\x00",
    ],
)
def test_foreign_pages_are_left_out(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.html").write_bytes(content)
    html = list_pages(tmp_path).read_text(encoding="utf-8")
    assert "0 reports" in html
    assert "other.html" not in html


def test_a_pages_own_words_are_escaped_in_the_list(tmp_path: Path) -> None:
    write_page(tmp_path / "a b.html", HOSTILE, date(2026, 6, 30), lead=HOSTILE)
    facts = {"title": 3, "as_of": ["x"], "counts": {HOSTILE: HOSTILE}, "quotes_checked": "many", "scope": {"a": 1}}
    result = f'<script type="application/json" id="report-facts">{json.dumps(facts).replace("<", chr(92) + "u003c")}</script>'
    (tmp_path / "c.html").write_text(result, encoding="utf-8")
    html = list_pages(tmp_path).read_text(encoding="utf-8")
    assert "<img" not in html
    assert "\u202e" not in html
    assert 'href="a%20b.html"' in html
    assert "no clauses verified" in html
    page = (tmp_path / "a b.html").read_text(encoding="utf-8")
    assert "<img" not in page
    assert "\u202e" not in page
    assert "<title>&lt;/script&gt;&lt;img src=x" in page
    assert '<meta name="description" content="&lt;/script&gt;' in page


def test_a_list_that_cannot_be_written_is_a_one_line_error_and_the_old_list_stays(tmp_path: Path) -> None:
    (tmp_path / "index.html").mkdir()
    with pytest.raises(ReportError, match=r"the list of reports in .* cannot be written"):
        list_pages(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["feed.json", "index.html"]


def test_the_last_report_is_the_newest_complete_page_of_the_notebook_and_portfolio(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "June", date(2026, 6, 30))
    write_page(tmp_path / "b.html", "July", date(2026, 7, 31))
    ours = {"portfolio": str(tmp_path / "ours.csv")}
    write_page(tmp_path / "c.html", "August", date(2026, 8, 31), portfolio="ours.csv", listed=list_of(ours, tmp_path))
    write_page(tmp_path / "d.html", "September", date(2026, 9, 30), incomplete="Incomplete: an ingest goes on.")
    write_page(tmp_path / "e.html", "October", date(2026, 10, 31), notebook="coverage")
    assert last(tmp_path) == date(2026, 7, 31)
    assert last(tmp_path, **ours) == date(2026, 8, 31)
    with pytest.raises(
        ParameterError, match=r"no earlier complete report of monthly_report on the portfolio .*theirs.csv"
    ):
        last(tmp_path, portfolio=str(tmp_path / "theirs.csv"))
    with pytest.raises(ParameterError, match="no earlier complete report"):
        last(tmp_path, portfolio=str(tmp_path / "elsewhere" / "ours.csv"))


def test_the_last_report_is_older_than_the_newest_data_if_possible(tmp_path: Path) -> None:
    write_page(tmp_path / "a.html", "July", date(2026, 7, 31))
    assert last(tmp_path, newest=date(2026, 7, 31)) == date(2026, 7, 31)
    write_page(tmp_path / "b.html", "June", date(2026, 6, 30))
    assert last(tmp_path, newest=date(2026, 7, 31)) == date(2026, 6, 30)
    assert last(tmp_path, newest=date(2026, 8, 1)) == date(2026, 7, 31)
    assert last(tmp_path, newest=date(2026, 6, 30)) == date(2026, 6, 30)


def test_a_folder_that_is_moved_with_its_portfolio_keeps_its_last_report(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    here = list_of({"portfolio": str(before / "ours.csv")}, before / "reports")
    assert here == list_of({"portfolio": str(after / "ours.csv")}, after / "reports")
    assert here != list_of({"portfolio": str(before / "b" / "ours.csv")}, before / "reports")


@pytest.mark.parametrize("as_of", [["x"], "2026-13-45", None, "9999", {"day": "2026-12-31"}])
def test_foreign_pages_and_pages_without_a_day_are_not_the_last_report(tmp_path: Path, as_of: object) -> None:
    write_page(tmp_path / "a.html", "June", date(2026, 6, 30))
    facts = json.dumps({"notebook": "monthly_report", "as_of": as_of})
    (tmp_path / "b.html").write_text(f'<script type="application/json" id="report-facts">{facts}</script>')
    (tmp_path / "c.html").write_bytes(b"\xff<p>a page of somebody else, cut o")
    assert last(tmp_path) == date(2026, 6, 30)


def test_a_folder_without_a_report_says_what_to_do(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "not there"):
        with pytest.raises(ParameterError, match="on all platforms: make one first, or give since=YYYY-MM-DD"):
            last(folder)


def test_a_portfolio_is_identified_by_its_path_not_by_the_target_of_a_link(tmp_path: Path) -> None:
    link, values = tmp_path / "teams.csv", {"portfolio": str(tmp_path / "teams.csv")}
    result = set()
    for target in ("teams-10.csv", "teams-11.csv"):
        (tmp_path / target).write_text("name\n")
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        result.add(list_of(values, tmp_path / "reports"))
    assert len(result) == 1
