"""The training use notebook: its page on the demo, on a small database and on services that show less."""

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
    "Consumers and business users",
    "How common each answer is",
    "Changes over time",
    "Who changed, and the changed clauses",
    "The deciding clauses",
    "Method and reproduction",
]


@pytest.mark.slow
def test_the_page_has_its_sections_in_order_and_every_chart(page_of: PageOf) -> None:
    html = page_of("training_use").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert re.findall(r'<figure data-chart="([^"]+)"', html) == ["training_use", "stance_shares", "stance_history"]
    assert re.search(
        r"answer separately for consumers and for business users; \d+ trains? on the content of consumers only, without asking first",
        html,
    )
    assert re.search(r"changed their answer in the 24 months to 2026-\d\d-\d\d: ", html)
    assert "not verified" not in html


def test_a_small_database_shows_who_changed_with_the_words_before_and_after(small: Path) -> None:
    html = run_report("training_use", {}, small / "out").read_text("utf-8")
    assert sections(html) == SECTIONS
    assert "1 of 3 platforms changed its answer" in html or "1 of 2 platforms changed its answer" in html
    assert "away from training" in html
    assert "Trains, no opt-out found → Does not train" in html
    assert re.search(r"<del>[^<]*</del>", html)
    assert str(small) not in html


def test_an_earlier_day_and_named_platforms_give_a_page_of_that_day(small: Path) -> None:
    made = run_report("training_use", {"as_of": "2026-02-10", "platforms": "aurelia-chat"}, small / "out")
    html = made.read_text("utf-8")
    assert made.name == "training_use-2026-02-10-aurelia-chat.html"
    assert "We use the prompts you enter to train our models." in html
    assert "We do not use your prompts" not in html
    assert "No platform changed its answer in the 24 months to 2026-02-10." in html
    assert "-p as_of=2026-02-10 -p platforms=aurelia-chat" in html


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [slow({"platforms": ["aurelia-chap"]}, ParameterError, "did you mean aurelia-chat"),
     slow({"platforms": "<script>"}, ParameterError, "no platform '<script>' is tracked"),
     slow({"as_of": "yesterday"}, ParameterError, "a day is YYYY-MM-DD"),
     ({"as_of": "2199-01-01"}, IncompleteReportError, "is after the data"),
     slow({"as_of": "1999-01-01"}, IncompleteReportError, "no platform was tracked yet on 1999-01-01")],
)  # fmt: skip
def test_bad_parameters_end_with_one_line_and_leave_nothing(
    given: dict[str, Any], kind: type[Exception], said: str, small: Path
) -> None:
    with pytest.raises(kind, match=said):
        run_report("training_use", given, small / "out")
    assert not (small / "out").exists()


def test_a_service_that_hides_changes_from_this_key_says_what_is_unknown(less: Path) -> None:
    html = run_report("training_use", {}, less / "out").read_text(encoding="utf-8")
    assert sections(html) == SECTIONS
    assert "Changed answers are not known: the service shows changes with a Pro key only." in html
    assert "Who changed their answer is not known" in html
    assert html.count("<figure data-chart=") == 2
    assert "We do not use your prompts to train our models." in html


@pytest.mark.slow
@pytest.mark.browser
def test_the_table_finds_a_platform_and_leads_to_its_clauses(reader: Callable[..., Any], page_of: PageOf) -> None:
    view = reader(page_of("training_use"))
    view.locator(".tools select").select_option("depends_on_plan")
    link = view.locator("#stance-table tbody tr:visible a").last
    goal = str(link.get_attribute("href"))
    link.click()
    view.locator(f"{goal} blockquote").first.wait_for()
