"""The comparison notebook: its page on the demo, on a small database and on services that show less."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from riskanalytics.errors import IncompleteReportError, ParameterError
from riskanalytics.reporting import run_report
from tests.notebooks.conftest import PageOf, papermill, sections, slow

SECTIONS = [
    "Side by side",
    "Where they differ",
    "Clause by clause",
    "Changes on surfaces where the platforms differ",
    "Method and reproduction",
]
BOTH = "aurelia-chat,northwind-draft"


@pytest.mark.slow
def test_the_page_compares_the_two_worst_rated_platforms(page_of: PageOf) -> None:
    html = page_of("comparison").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert re.findall(r'<figure data-chart="([^"]+)"', html) == ["comparison"]
    assert re.search(
        r"<h1>[^<]+ and [^<]+: (?:different levels on \d+ of \d+ surfaces|the same level on [^<]+)</h1>", html
    )
    assert "2 of 320 tracked platforms" in html
    assert "<p>No clause found. Silence is not a promise.</p>" in html
    assert "not verified" not in html


def test_named_platforms_are_shown_in_columns_clause_by_clause(small: Path) -> None:
    made = run_report("comparison", {"platforms": BOTH}, small / "out")
    html = made.read_text("utf-8")
    assert sections(html) == SECTIONS
    assert re.fullmatch(r"comparison-2026-\d\d-\d\d-aurelia-chat-northwind-draft.html", made.name)
    assert "<h1>Aurelia Chat and Northwind Draft: " in html
    assert re.search(
        r'<div id="compared-training_use-aurelia-chat">.*We do not use your prompts to train our models', html, re.S
    )
    assert re.search(r"-p platforms=aurelia-chat,northwind-draft -p as_of=2026-\d\d-\d\d", html)
    assert str(small) not in html


@pytest.mark.slow
def test_an_earlier_day_gives_the_clauses_of_that_day(small: Path) -> None:
    html = run_report("comparison", {"as_of": "2026-02-10", "platforms": BOTH}, small / "out").read_text("utf-8")
    assert "We use the prompts you enter to train our models." in html
    assert "We do not use your prompts" not in html
    assert "data as of <time>2026-02-10" in html


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [({"platforms": ["aurelia-chap", "northwind-draft"]}, ParameterError, "did you mean aurelia-chat"),
     slow({"platforms": "aurelia-chat"}, ParameterError, "give 2 to 8 slugs, not 1"),
     slow({"platforms": ["aurelia-chat", "aurelia-chat"]}, ParameterError, "give 2 to 8 slugs, not 1"),
     slow({"platforms": "<script>"}, ParameterError, "no platform '<script>' is tracked"),
     slow({"as_of": "yesterday"}, ParameterError, "a day is YYYY-MM-DD"),
     slow({"as_of": "2199-01-01"}, IncompleteReportError, "is after the data"),
     slow({"as_of": "1999-01-01"}, IncompleteReportError, "no platform was tracked yet on 1999-01-01")],
)  # fmt: skip
def test_bad_parameters_end_with_one_line_and_leave_nothing(
    given: dict[str, Any], kind: type[Exception], said: str, small: Path
) -> None:
    with pytest.raises(kind, match=said):
        run_report("comparison", given, small / "out")
    assert not (small / "out").exists()


@pytest.mark.slow
def test_a_service_that_hides_changes_from_this_key_says_what_is_unknown(less: Path) -> None:
    html = run_report("comparison", {}, less / "out").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "What moved is not known: the service shows changes with a Pro key only." in html
    assert html.count("<figure data-chart=") == 1


@pytest.mark.slow
@pytest.mark.browser
def test_columns_are_side_by_side_on_a_wide_screen_and_stacked_on_a_phone(
    reader: Callable[..., Any], page_of: PageOf
) -> None:
    for width, beside in ((1200, True), (390, False)):
        view = reader(page_of("comparison"), width)
        boxes = view.locator("article .pair").first.locator("> div").all()
        left, right = (box.bounding_box() for box in boxes)
        assert (left["y"] == right["y"]) is beside
        assert (left["x"] == right["x"]) is not beside


@pytest.mark.slow
@pytest.mark.browser
def test_a_level_leads_to_its_clauses(reader: Callable[..., Any], page_of: PageOf) -> None:
    view = reader(page_of("comparison"))
    link = view.locator("td a[href^='#compared-']").last
    goal = str(link.get_attribute("href"))
    link.click()
    view.locator(f"{goal} blockquote").first.wait_for()
