"""The coverage notebook: its page on the demo, on a small database and on services that show less."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.reporting import run_report
from tests.http_server import served
from tests.notebooks.conftest import PageOf, papermill, sections, slow
from tests.service.given import Caller, build_database, give_readings, led

SECTIONS = [
    "Verified platforms",
    "What could not be read",
    "Age of the texts",
    "Surfaces without a clause",
    "Accuracy of the extraction",
    "Leads: worth reading",
    "Verified quotes",
    "Interface of the service",
    "Coverage over a year",
    "Reproduction",
]


@pytest.mark.slow
def test_the_page_has_its_sections_in_order_and_every_chart(page_of: PageOf) -> None:
    html = page_of("coverage").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    charts = re.findall(r'<figure data-chart="([^"]+)"', html)
    assert charts == ["coverage", "freshness", "quiet_surfaces", "coverage_history"]
    assert re.search(r"<p class=\"lead\">\d+ of 320 tracked platforms verified \(\d+\xa0%\)", html)
    assert "Needs attention: " in html
    assert "No drift: all answers have the form" in html
    assert re.search(r"A random sample of 200 of \d,\d{3} quotes \(always the same sample for the same data\) was verified", html)
    assert "not verified:" not in html


def test_a_small_database_names_what_is_unverified_and_why(small: Path) -> None:
    html = run_report("coverage", {}, small / "out").read_text("utf-8")
    assert sections(html) == SECTIONS
    assert "1 of 3 tracked platforms verified (33\xa0%), 2 unverified." in html
    assert "Imprint: title only" in html
    assert "No document of Café Lumière and Northwind Draft was read." in html
    assert re.search(r"All \d+ quotes were verified", html)
    assert str(small) not in html


@pytest.mark.slow
def test_leads_are_counted_by_platform_and_their_quotes_verified(small: Path) -> None:
    give_readings(small / "given.sqlite", "aurelia-chat", led)
    html = run_report("coverage", {}, small / "out").read_text("utf-8")
    result = html[html.index('section aria-label="Worth reading"') :]
    result = result[: result.index("</section>")]
    assert "7 clauses on 1 platform, not sure enough to be findings" in result
    assert result.count("<blockquote") == result.count("· verified</cite>") == 2
    assert "stated confidence 0.71" in result
    assert "5 more leads not shown" in result


@pytest.mark.slow
def test_an_earlier_day_and_another_limit_give_a_page_of_that_day(small: Path) -> None:
    made = run_report("coverage", {"as_of": "2026-02-10", "unchanged_days": 20}, small / "out")
    html = made.read_text("utf-8")
    assert made.name == "coverage-2026-02-10.html"
    assert re.search(r"2 of \d+ documents unchanged for more than 20 days", html)
    assert "report coverage -p as_of=2026-02-10 -p unchanged_days=20" in html


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [slow({"as_of": "yesterday"}, ParameterError, "a day is YYYY-MM-DD"),
     slow({"as_of": "2199-01-01"}, IncompleteReportError, "is after the data"),
     slow({"as_of": "1999-01-01"}, IncompleteReportError, "no platform was tracked yet on 1999-01-01"),
     ({"unchanged_days": 0}, ParameterError, "unchanged_days must be a whole number from 1 to 36,500, not 0"),
     ({"unchanged_days": "long"}, ParameterError, "unchanged_days")],
)  # fmt: skip
def test_bad_parameters_end_with_one_line_and_leave_nothing(
    given: dict[str, Any], kind: type[Exception], said: str, small: Path
) -> None:
    with pytest.raises(kind, match=said):
        run_report("coverage", given, small / "out")
    assert not (small / "out").exists()


@pytest.mark.slow
def test_a_service_that_shows_less_to_this_key_lists_what_was_not_compared(less: Path) -> None:
    html = run_report("coverage", {}, less / "out").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert html.count("<figure data-chart=") == 4
    assert "not requested: needs a key" in html or "not shown with this key" in html
    assert "the service shows recorded failures with a Pro key only" in html
    assert "No drift: all answers have the form" in html


@pytest.mark.slow
def test_a_drifting_service_without_a_past_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = Caller(build_database(tmp_path))

    async def other(scope: Any, receive: Any, send: Any) -> None:
        """Knows no past days, and a level of its own."""

        async def renamed(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [pair for pair in message["headers"] if pair[0].lower() != b"content-length"]
            elif message["type"] == "http.response.body":
                message["body"] = message["body"].replace(b'"risk":"HIGH"', b'"risk":"SEVERE"')
            await send(message)

        if scope["type"] == "http":
            query = scope["query_string"].replace(b"as_of", b"past")
            plain = [pair for pair in scope["headers"] if pair[0].lower() != b"accept-encoding"]
            scope = {**scope, "query_string": query, "headers": plain}
        await caller.app(scope, receive, renamed if scope["type"] == "http" else send)

    with served(other) as address:
        monkeypatch.setenv("RISKANALYTICS_BASE_URL", address)
        monkeypatch.setenv("RISKANALYTICS_API_KEY", caller.keys["pro"])
        html = run_report("coverage", {}, tmp_path / "out").read_text("utf-8")
    caller.close()
    assert re.search(r"\d+ interface differences?", html)
    assert "<bdi>SEVERE</bdi>" in html
    assert "Coverage over time is not known" in html
    assert caller.keys["pro"] not in html


@pytest.mark.slow
def test_this_page_and_the_monthly_report_show_the_same_numbers(page_of: PageOf) -> None:
    pages = [page_of(name).read_text(encoding="utf-8").replace("\xa0", " ") for name in ("coverage", "monthly_report")]
    old = r"([\d,]+) (?:of [\d,]+ )?(?:documents )?(?:have not changed|unchanged) for more than 365 days"
    assert len({number for html in pages for number in re.findall(old, html)}) == 1
    unread = r"([\d,]+) of [\d,]+ documents could not be read in their newest form: ([^.]*)"
    assert len({result for html in pages for result in re.findall(unread, html)}) == 1
