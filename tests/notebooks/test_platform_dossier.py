"""The dossier notebook: its page on the demo, on a small database and on services that show less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.reporting import run_report
from tests.notebooks.conftest import PageOf, papermill, sections, slow
from tests.service.given import give_readings, led

SECTIONS = [
    "The rating, step by step",
    "Compared with its peers",
    "History",
    "What changed",
    "Every clause in its paragraph",
    "Contradictions",
    "Worth reading",
    "Surfaces without a level",
    "Dates",
    "Documents",
    "Method and reproduction",
]


def test_the_page_is_of_the_worst_platform_with_all_sections_and_charts(page_of: PageOf) -> None:
    html = page_of("platform_dossier").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "rated HIGH" in html
    assert html.count("<figure data-chart=") == html.count('class="plot-data"') == 2
    assert "not verified" not in html
    assert "localhost" not in html
    assert str(Path.home()) not in html


def test_every_clause_is_shown_once_verified_with_its_offsets(page_of: PageOf) -> None:
    html = page_of("platform_dossier").read_text(encoding="utf-8")
    said = re.search(r"HIGH: (\d+) citations extracted", html)
    assert said
    clauses = html[html.index('section aria-label="Clauses"') :]
    clauses = clauses[: clauses.index("</section>")]
    assert clauses.count("<blockquote") + clauses.count("Same words: ") == int(said[1])
    assert clauses.count("characters ") == clauses.count("· verified</cite>") == int(said[1])


def result(folder: Path, **parameters: str) -> str:
    return run_report("platform_dossier", parameters, folder / "out").read_text(encoding="utf-8")


def test_the_change_that_moved_a_rating_is_shown_with_its_words(small: Path) -> None:
    html = result(small, platform="aurelia-chat")
    assert sections(html) == SECTIONS
    assert "2026-03-05" in html
    assert "We do not use your prompts to train our models." in html
    assert re.search(r'href="#change-[0-9a-f]+">now says</a>', html)
    assert "not verified" not in html


@pytest.mark.slow
def test_leads_are_listed_separately_verified_and_not_counted(small: Path) -> None:
    before = result(small, platform="aurelia-chat")
    give_readings(small / "given.sqlite", "aurelia-chat", led)
    html = result(small, platform="aurelia-chat")
    part = html[html.index('section aria-label="Worth reading"') :]
    part = part[: part.index("</section>")]
    assert part.count("<blockquote") == part.count("· verified</cite>") == 7
    assert "stated confidence 0.71" in part
    assert "Who: " not in html
    said = re.compile(r"\w+: \d+ citations extracted[^<]*")
    assert said.findall(html) == said.findall(before)


def test_a_past_day_shows_the_state_of_that_day_only(small: Path) -> None:
    html = result(small, platform="aurelia-chat", as_of="2026-02-20")
    assert "data as of <time>2026-02-20" in html
    assert "We use the prompts you enter to train our models." in html
    assert "We do not use your prompts" not in html
    assert "2026-03-05" not in html


def test_a_platform_that_could_not_be_read_has_a_page_that_says_so(small: Path) -> None:
    html = result(small, platform="northwind-draft")
    assert "Northwind Draft: not rated" in html
    assert "No clause was found" in html
    assert '<span class="bad">not read</span>' in html


@pytest.mark.parametrize(
    ("parameters", "kind", "said"),
    [
        ({"platform": "aurelia"}, ParameterError, "no platform 'aurelia' is tracked on .*; did you mean aurelia-chat"),
        slow({"platform": "aurelia-chat,northwind-draft"}, ParameterError, "give one slug, not 2"),
        slow({"platform": "northwind-draft", "as_of": "2026-01-12"}, ParameterError, "is tracked on 2026-01-12"),
        slow({"as_of": "yesterday"}, ParameterError, "a day is YYYY-MM-DD"),
        slow({"as_of": "2199-01-01"}, IncompleteReportError, "is after the data"),
        slow({"as_of": "1999-01-01"}, IncompleteReportError, "no platform was tracked yet on 1999-01-01"),
    ],
)
def test_bad_parameters_end_with_one_line_that_says_what_to_do(
    small: Path, parameters: dict[str, str], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said) as raised:
        result(small, **parameters)
    assert "\n" not in str(raised.value)
    assert not (small / "out").exists()


@pytest.mark.parametrize("as_of", ["", pytest.param("2026-01-20", marks=pytest.mark.slow)])
def test_without_a_pro_key_the_changes_are_reported_as_not_known(less: Path, as_of: str) -> None:
    html = result(less, platform="aurelia-chat", as_of=as_of)
    assert sections(html) == SECTIONS
    assert "the service shows changes with a Pro key only" in html
    assert "No change is recorded" not in html
    assert html.count("<blockquote") >= 3
