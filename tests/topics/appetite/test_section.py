"""The page's section on the rules of an organisation."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd

from riskanalytics import sections
from riskanalytics.topics.appetite import RESULT_COLUMNS
from riskanalytics.topics.shape import shaped
from tests.frames_given import FINDINGS, given
from tests.topics.given import HOSTILE, read


def row(slug: str, result: str, rule: str = "first", **more: Any) -> dict[str, Any]:
    usual = {
        "name": slug.title(),
        "title": "Not high",
        "observed": "rated HIGH",
        "allowed": "rating at most MED",
        "decided_by": [],
    }
    return {**usual, "slug": slug, "result": result, "rule": rule, "excepted": False, **more}


def clauses(*ids: str) -> pd.DataFrame:
    return given(
        FINDINGS,
        *({"slug": "opal", "name": "Opal", "finding_id": one, "quote": f"Quote {one}.", "risk": "HIGH"} for one in ids),
    )


def shown(*rows: dict[str, Any], found: pd.DataFrame | None = None) -> Any:
    return sections.rule_results(shaped(rows, RESULT_COLUMNS), clauses() if found is None else found)


def test_without_rules_the_section_is_empty() -> None:
    section = sections.rule_results(None, clauses())
    assert (section.parts, section.text) == ((), "no rules")


def test_rules_that_apply_to_no_row_are_named_below_the_counts() -> None:
    section = sections.rule_results(
        shaped([row("opal", "pass")], RESULT_COLUMNS), clauses(), ["The rule x applies to no row", "Nor does y"]
    )
    assert "|No rule is broken.|The rule x applies to no row.|Nor does y.|" in read(section.html)
    note = "A result is undetermined if the documents do not settle it; it is no pass. An exception never changes a result."
    assert read(section.html).endswith(f"|{note}|")
    assert section.text == "No rule is broken"


def test_broken_and_undetermined_results_are_counted_and_excepted_ones_are_not() -> None:
    excepted = {"excepted": True, "exception": "Ann: Trial.", "expires": "2027-01-31"}
    section = shown(
        row("opal", "fail"), row("tarn", "fail", **excepted), row("lumen", "undetermined"), row("quill", "pass"),
        row("opal", "undetermined", "second", title="Second", excepted=True, exception="x"), row("tarn", "pass", "second"),
    )  # fmt: skip
    assert section.text == "1 of 2 rules broken: 1 result fails; 1 result is undetermined"
    words = read(section.html)
    assert "Your rules|1 of 2 rules broken: 1 result fails; 1 result is undetermined." in words
    assert "Not high|1 fail, 1 undetermined, 1 excepted and 1 pass; allowed: rating at most MED|" in words
    assert "Second|1 excepted and 1 pass; allowed: rating at most MED|" in words
    assert "|Platform|Result|Observed|Exception|" in words
    assert "|Tarn|fail, excepted|rated HIGH|Ann: Trial. (until 2027-01-31)|" in words
    assert "Quill" not in words


def test_several_broken_rules_and_results_are_named_in_the_plural() -> None:
    rows = [
        row("opal", "fail"),
        row("tarn", "fail"),
        row("opal", "fail", "second"),
        row("lumen", "undetermined"),
        row("quill", "undetermined"),
    ]
    assert shown(*rows).text == "2 of 2 rules broken: 3 results fail; 2 results are undetermined"
    assert shown(row("opal", "fail")).text == "1 of 1 rule broken: 1 result fails"
    assert shown(row("opal", "undetermined")).text == "No rule is broken; 1 result is undetermined"
    assert shown(row("opal", "fail", excepted=True)).text == "No rule is broken without an exception"
    assert shown(row("opal", "pass")).text == "No rule is broken"


def test_a_rule_that_all_keep_says_so_and_stays_closed() -> None:
    kept = shown(row("opal", "pass", title="Rating at most MED"))
    assert "Rating at most MED|1 pass|All results pass.|" in read(kept.html)
    opened = [shown(row("opal", result)).parts[2].open for result in ("pass", "undetermined", "fail")]
    assert opened == [False, False, True]


def test_the_use_of_a_platform_is_shown_if_the_portfolio_gives_it() -> None:
    words = read(
        shown(row("opal", "fail", owner="Ann", plan="Team", region="DE"), row("tarn", "fail", data_class="public")).html
    )
    assert "|Platform|Result|Observed|Used by|" in words
    assert "|Opal|fail|rated HIGH|Ann, Team, DE|" in words
    assert "|Tarn|fail|rated HIGH|public|" in words


def test_clauses_of_failing_results_are_quoted_two_each_and_none_twice() -> None:
    found = clauses("c1", "c2", "c3", "c4", "c5")
    section = shown(
        row("opal", "fail", decided_by=["c2", "c1", "c3"]), row("tarn", "fail", decided_by=["c1", "gone"]),
        row("lumen", "undetermined", decided_by=["c4"]), row("opal", "fail", "second", decided_by=["c5"]), found=found,
    )  # fmt: skip
    words = read(section.html)
    assert [words.count(f"Quote c{n}.") for n in range(1, 6)] == [1, 1, 0, 0, 1]
    assert words.index("Quote c2.") < words.index("Quote c1.") < words.index("Quote c5.")
    assert "|HIGH|Opal|" in words
    ids = [("c1", "c2"), ("c3", "c4"), ("c5",)]
    five = shown(*(row(f"p{n}", "fail", decided_by=list(own)) for n, own in enumerate(ids)), found=found)
    assert "|1 more clause|Quote c5.|" in read(five.html)


def test_a_long_table_is_cut_and_counted() -> None:
    html = shown(*(row(f"p{n}", "fail") for n in range(103))).html
    assert "3 more rows are not shown." in html
    assert html.count("<th scope=row>") == 100


def test_nothing_from_data_leaves_its_place() -> None:
    html = shown(
        row("opal", "fail", name=HOSTILE, title=HOSTILE, observed=HOSTILE, owner=HOSTILE, exception=HOSTILE, expires="2027-01-31",
            decided_by=["c1"]), found=clauses("c1").assign(quote=HOSTILE, name=HOSTILE),
    ).html  # fmt: skip
    assert "<script" not in html
    assert "<img" not in html
    assert "\u202e" not in html


def test_exceptions_that_expired_or_soon_expire_are_listed_by_their_last_day() -> None:
    rows = [
        row(slug, "fail", exception="Ann: Trial.", expires=day, excepted=day > "2026-07")
        for slug, day in (("late", "2026-08-31"), ("past", "2026-06-01"), ("far", "2026-09-01"))
    ]
    made = sections.expiring_exceptions(shaped([*rows, row("opal", "fail")], RESULT_COLUMNS), date(2026, 7, 2))
    assert made.text == "2 exceptions expire by 31 August 2026"
    words = read(made.html)
    assert (
        "|Past|Not high|fail|Ann: Trial. (until 2026-06-01)|Late|Not high|fail, excepted|Ann: Trial. (until 2026-08-31)|"
        in words
    )
    assert "Far" not in words
    none = sections.expiring_exceptions(shaped(rows, RESULT_COLUMNS), date(2026, 1, 1))
    assert read(none.html).endswith("No exception expires by 2 March 2026.|")
    assert sections.expiring_exceptions(None, date(2026, 1, 1)).parts == ()
