"""The method section at the foot of a report: measured accuracy and the published formula."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset
from riskanalytics.errors import ParameterError
from riskanalytics.extraction import accuracy, published_formula
from riskanalytics.reporting.layout import Report
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
        "slugs": market.slugs,
    }
    return Dataset(None, "2026-07-31").replaced(newest=date(2026, 7, 31), **frames, **result)


def test_the_method_section_shows_figures_of_whole_documents_or_says_there_are_no_figures() -> None:
    figures = accuracy()
    html = page(figures=figures)
    assert (
        "On documents that readers labelled sentence by sentence, of vendors not used to develop the program, " in html
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
    result.checks |= {("a", 1, 2, "x"): "verified", ("a", 3, 4, "y"): "altered"}
    report = Report("training_use", result, as_of="", platforms=["a", "b"], note="")
    assert report.command == "riskanalytics report training_use -p as_of=2026-07-31 -p platforms=a,b"
    opened = report.headline("Title", ["First.", "Second."])
    assert "1 of 2 clauses did not verify" in opened.html
    assert "All 3 tracked platforms" in opened.html
    assert (opened.report["quotes_checked"], opened.report["quotes_failed"], opened.report["lead"]) == (2, 1, "First.")
    made = report.reproduction({"clauses": 1234})
    assert made.report["counts"] == {"clauses": "1,234"}
    assert made.report["provenance"]["data of this page, SHA-256"] == result.digest()
    assert "(empty)" in made.html


def test_a_number_below_0_is_refused() -> None:
    with pytest.raises(ParameterError, match="top must be a whole number of 0 or more, not -1"):
        Report("monthly_report", data(), top=-1)


def test_a_report_on_an_unfinished_ingest_says_so_first() -> None:
    result = data(unfinished=True)
    result.tracked = result.tracked.assign(risk_reason=["UNRATED; not read yet", "UNRATED; not read yet", None])
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
