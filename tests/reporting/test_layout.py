"""The method section at the foot of a report: measured accuracy and the published formula."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.errors import ParameterError
from riskanalytics.extraction import accuracy, published_formula
from riskanalytics.models import ACCURACY_PARTS, DISCLAIMER
from riskanalytics.pages.print import plain
from riskanalytics.pages.values import Paragraph, Table
from riskanalytics.reporting.layout import Report
from riskanalytics.text.wording import percent
from tests.frames_given import Market

HOSTILE = "</blockquote><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}\x1b[31m"
OLDER = {"precision": 0.99, "never_seen": {"precision": {"value": 0.93, "part": 399, "whole": 430}}}


def page(**extraction: Any) -> str:
    """What is said of an extraction."""
    return Report("method", data(extraction=extraction)).method({}).html


def data(**result: Any) -> Dataset:
    """A data set that is not fetched."""
    market = Market(3)
    frames = {
        "platforms": market.platforms,
        "tracked": market.platforms,
        "findings": market.findings,
        "surfaces": pd.DataFrame({"slug": ["a", "b", "c"], "surface": "training_use"}),
        "slugs": market.slugs,
    }
    return Dataset(None, "2026-07-31").replaced(newest=date(2026, 7, 31), **frames, **result)


def test_the_method_section_shows_figures_of_whole_documents_or_says_there_are_no_figures() -> None:
    figures = accuracy()
    html = page(figures=figures)
    assert (
        "On documents that readers labelled sentence by sentence, of vendors not used to develop the program, " in html
    )
    parts = {"precision": {"value": 0.91}, "recall": {"value": 0.52}}
    assert f"{percent(0.91)} of all findings shown are right, and {percent(0.52)} of the clauses that" in page(
        figures={name: {"groups": {"all": parts}} for name in ACCURACY_PARTS}
    )
    for other in (OLDER, {"test": None}, {"test": {"groups": {"all": {"precision": {"value": "good"}, "recall": 3}}}}):
        html = page(figures=other)
        assert "reports no accuracy on fully labelled documents" in html


def test_a_page_shows_the_published_formula_and_no_other() -> None:
    html = page(rating=published_formula())
    assert "The weighted mean is the sum over surfaces" in html
    assert "does not publish" in page()
    assert "reports no accuracy" in page()


def test_values_from_data_are_escaped() -> None:
    html = page(rating={"steps": [HOSTILE]})
    assert "<script" not in html
    assert "<img" not in html


def test_the_command_names_effective_parameters_and_the_headline_counts_checked_quotes() -> None:
    result = data(extraction={"version": "7"})
    result.checks |= {("a", 1, 2, "x"): "verified", ("a", 3, 4, "y"): "unavailable"}
    report = Report("training_use", result, as_of="", platforms=["a", "b"], note="")
    assert report.command == "riskanalytics report training_use -p as_of=2026-07-31 -p platforms=a,b"
    opened = report.headline("Title", ["First.", "Second."])
    assert "1 of 2 clauses did not verify. Each is marked on the page." in opened.html
    assert "re-verified" not in opened.html
    assert "All 3 tracked platforms" in opened.html
    assert (opened.report["quotes_checked"], opened.report["quotes_failed"], opened.report["lead"]) == (2, 1, "First.")
    made = report.reproduction({"clauses": 1234})
    assert made.report["counts"] == {"clauses": "1,234"}
    assert made.report["provenance"]["data of this page, SHA-256"] == result.digest()
    assert "(empty)" in made.html
    frame = pd.DataFrame({"n": [1]})
    covered = report.reproduction({}, frame).report["provenance"]["data of this page, SHA-256"]  # type: ignore[index]
    assert covered == result.digest(frame) != result.digest()
    assert result.views.options == {"top": 40, "months": 24, "as_of": "", "platforms": ["a", "b"], "note": ""}
    assert Report("training_use", result, months=6, top=3).data.views.options == {"top": 3, "months": 6}


def test_a_page_shows_what_it_was_made_with_and_no_path() -> None:
    result = data(extraction={"version": "7"})
    result.checks |= {("a", 1, 2, "x"): "verified", ("a", 3, 4, "y"): "verified"}
    result.slugs, result.newest = result.slugs[:2], date(2026, 8, 2)
    report = Report(
        "monthly_report",
        result,
        portfolio="/home/ann/our list.csv",
        rules="/home/ann/r.toml",
        decisions="/home/ann/d.json",
        labels="/home/ann/labels",
        top=0,
        since="",
    )
    assert report.command == (
        "riskanalytics report monthly_report -p 'portfolio=our list.csv' -p rules=r.toml -p decisions=d.json -p labels=LABELS "
        "-p top=0"
    )
    opened = report.headline("Title", ["First.", "Second."])
    words = " ".join(part.words if isinstance(part.words, str) else plain(part.words) for part in opened.parts[0].parts)  # type: ignore[union-attr]
    assert words == (
        "Title Given frames  2 of 3 tracked platforms · data as of 2026-07-31 · 2 clauses re-verified  First. Second. "
        f"{DISCLAIMER}"
    )
    result.slugs = []
    assert "0 of 3 tracked platforms" in report.headline("Title").html
    result.slugs = ["a"] * 2
    facts = {"title": "Title", "name": "2026-07-31", "description": "First. Second.", "as_of": "2026-07-31",
             "data_end": "2026-08-02", "quotes_failed": 0}  # fmt: skip
    assert facts.items() <= opened.report.items()
    assert report.headline("T", name="n", scope="all of ours").report["name"] == "n"
    made = report.reproduction({"clauses": 1234, "share": "4 %"})
    table, note = made.parts[1], made.parts[-1]
    assert isinstance(table, Table)
    assert isinstance(note, Paragraph)
    shown = {plain(row.cells[0]): plain(row.cells[1]) for row in table.rows}
    assert list(shown)[:10] == [
        "parameter portfolio", "parameter rules", "parameter decisions",
        "parameter labels", "parameter top", "parameter since", "clauses", "share",
        "data of this page, SHA-256", "extraction",
    ]  # fmt: skip
    assert (shown["parameter since"], shown["clauses"], shown["share"], shown["extraction"]) == (
        "(empty)",
        "1,234",
        "4 %",
        "7",
    )
    assert note.words == "Run the command in the folder of our list.csv and r.toml and d.json, or give the path."
    assert "ann" not in str([made, opened])


@pytest.mark.parametrize(("count", "more"), [(3, ""), (5, "; and 2 more (data.problems)")])
def test_problems_are_listed_one_by_one_up_to_three(count: int, more: str) -> None:
    result = data(unfinished=False)
    with Client("http://127.0.0.1:9") as client:
        for number in range(count):
            client.problems.add(f"part {number} is missing", f"/{number}")
        result.client = client
        said = Report("coverage", result).missing()
    parts = "part 0 is missing; part 1 is missing; part 2 is missing"
    assert said == f"Incomplete: not all could be read. {parts}{more}."


def test_each_level_is_explained() -> None:
    table = Report("coverage", data()).levels().parts[0]
    assert isinstance(table, Table)
    assert [plain(row.cells[0]) for row in table.rows] == ["HIGH", "MED", "LOW", "?", "–", "blank"]
    assert "silence is never LOW" in plain(table.rows[2].cells[1])


def test_a_number_below_0_is_refused() -> None:
    with pytest.raises(ParameterError, match="top must be a whole number of 0 or more, not -1"):
        Report("monthly_report", data(), top=-1)


def test_a_report_on_an_unfinished_ingest_says_so_first() -> None:
    result = data(unfinished=True)
    result.tracked = result.tracked.assign(risk_reason=["UNRATED; not read yet", "UNRATED; not read yet", "read"])
    opened = Report("coverage", result).headline("Title", ["First."])
    incomplete = (
        "Incomplete: an ingest into these data is running or was interrupted. "
        "Not read yet: 2 of 3 platforms stored so far, and whatever is not stored."
    )
    assert opened.text.splitlines() == ["Title", incomplete, "First."]
    assert opened.html.count("Incomplete: ") == 1
    assert opened.html.index("Incomplete: ") < opened.html.index("All 3 tracked platforms stored so far")
    assert (opened.report["lead"], opened.report["incomplete"]) == (incomplete, incomplete)
    whole = Report("coverage", data()).headline("Title", ["First."])
    assert "Incomplete" not in whole.html
    assert "re-verified" not in whole.html
    assert "incomplete" not in whole.report


def test_a_problem_of_many_platforms_is_one_sentence_that_names_the_first() -> None:
    with Client("http://127.0.0.1:9") as client:
        for slug in "abcde":
            client.problems.add("citations are not available", "/x", slug)
        client.problems.add("the index could not be read", "/y")
        result = data(unfinished=False)
        result.client = client
        said = Report("coverage", result).missing()
    assert said == (
        "Incomplete: not all could be read. a, b, c and 2 others: citations are not available; the index could not be read."
    )


def test_a_page_names_the_language_models_whose_verdicts_it_shows() -> None:
    assert "read by language models" not in page()
    read = data(extraction={})
    findings = read.findings.assign(read_by=["large@1a2b3c4d", *[None] * (len(read.findings) - 1)])
    html = Report("method", read.replaced(findings=findings)).method({}).html
    assert f"1 by large@1a2b3c4d, of {len(findings):,} findings; the others by rules and model of the package" in html
    assert "stances by language models" not in html
    surfaces = read.surfaces.assign(read_by=["a@1 + b@1", None, "a@1 + b@1"])
    html = Report("method", read.replaced(surfaces=surfaces)).method({}).html
    assert "stances by language models" in html
    assert "<td>2 by a@1 + b@1\n" in html
    assert "read by language models" not in html
