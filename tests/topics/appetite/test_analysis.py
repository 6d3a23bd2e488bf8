"""Platforms judged by rules: pass, fail or undetermined, with the clauses that decide."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from riskanalytics.errors import ParameterError
from riskanalytics.topics.appetite import RESULT_COLUMNS, rule_results, unbound, unused_rules
from riskanalytics.topics.appetite.rules import Appetite, Exemption, Rule
from tests.frames_given import ANSWERS, CELLS, FINDINGS, PLATFORMS, given

DAY = date(2026, 10, 31)
CELLS_WITH_CLAUSES = {**CELLS, "decided_by": "object"}


def judged(
    rule: Rule, rating: str = "MED", answers: dict[str, Any] | None = None, cells: dict[str, Any] | None = None,
    portfolio: pd.DataFrame | None = None, weights: dict[str, float] | None = None, exceptions: tuple[Exemption, ...] = (),
) -> pd.DataFrame:  # fmt: skip
    """Judge one platform by one rule; a cell is a level, or a state of a surface without a level."""
    rows = [
        {"slug": "a", "surface": surface, "decided_by": [f"{surface}-1", f"{surface}-2"], "count": 2, "to_read": 0,
         **({"risk": cell, "state": "found"} if cell in ("HIGH", "MED", "LOW") else {"state": cell, "to_read": 3})}
        for surface, cell in (cells or {}).items()
    ]  # fmt: skip
    return rule_results(
        Appetite(rule=(rule,), weights=weights or {}, exception=exceptions),
        given(PLATFORMS, {"slug": "a", "name": "Aurelia", "rating": rating}),
        given(CELLS_WITH_CLAUSES, *rows),
        given(ANSWERS, {"slug": "a", "decided_by": ["t-1"], **(answers or {})}),
        DAY,
        portfolio,
    )


def result(*given_: Any, **more: Any) -> tuple[str, str, list[str]]:
    """The result, what was observed, and the deciding clauses, of a single row."""
    (row,) = judged(*given_, **more).to_dict("records")
    return row["result"], row["observed"], row["decided_by"]


@pytest.mark.parametrize(
    ("highest", "rating", "expected", "observed"),
    [
        ("MED", "HIGH", "fail", "rated HIGH"),
        ("MED", "MED", "pass", "rated MED"),
        ("LOW", "MED", "fail", "rated MED"),
        ("LOW", "LOW", "pass", "rated LOW"),
        ("MED", "UNRATED", "undetermined", "rated UNRATED"),
        ("MED", "SEVERE", "undetermined", "rated SEVERE"),
        ("MED", None, "undetermined", "rated not at all"),
    ],
)
def test_a_rating_may_be_at_most_that_of_the_rule(highest: Any, rating: Any, expected: str, observed: str) -> None:
    assert result(Rule(id="r", rating=highest), rating)[:2] == (expected, observed)


def test_a_rating_is_explained_by_the_clauses_of_its_worst_surfaces_one_of_each_first() -> None:
    cells = {"data_retention": "HIGH", "ads_tracking": "HIGH", "human_review": "MED", "ip_liability": "HIGH"}
    assert result(Rule(id="r", rating="MED"), "HIGH", cells=cells)[2] == [
        "data_retention-1", "ads_tracking-1", "ip_liability-1", "data_retention-2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "silent", "expected", "observed"),
    [
        ("HIGH", "undetermined", "fail", "HIGH on Data retention"),
        ("MED", "fail", "pass", "MED on Data retention"),
        ("LOW", "fail", "pass", "LOW on Data retention"),
        ("quiet", "undetermined", "undetermined", "Data retention: no clause found"),
        ("quiet", "pass", "pass", "Data retention: no clause found"),
        ("quiet", "fail", "fail", "Data retention: no clause found"),
        ("found", "pass", "pass", "only neutral clauses on Data retention"),
        ("found", "undetermined", "undetermined", "only neutral clauses on Data retention"),
        ("to_read", "pass", "undetermined", "Data retention: to be read (3 clauses)"),
        ("unread", "pass", "undetermined", "Data retention: not read"),
    ],
)
def test_a_level_may_be_at_most_that_of_the_rule_and_what_is_unknown_is_no_pass(
    cell: str, silent: Any, expected: str, observed: str
) -> None:
    rule = Rule(id="r", surface="data_retention", level="MED", silent=silent)
    assert result(rule, cells={"data_retention": cell, "ads_tracking": "HIGH"})[:2] == (expected, observed)


def test_the_clauses_of_the_surface_decide_and_a_surface_that_is_missing_was_not_read() -> None:
    rule = Rule(id="r", surface="data_retention", level="MED", silent="pass")
    assert result(rule, cells={"data_retention": "HIGH"})[2] == ["data_retention-1", "data_retention-2"]
    assert result(rule, cells={"ads_tracking": "LOW"}) == ("undetermined", "Data retention: not read", [])
    cell = {"slug": "a", "surface": "data_retention", "risk": "HIGH", "state": "found", "decided_by": list("cbadef")}
    answer = {"slug": "a", "stance": "trains_by_default", "decided_by": list("fedcba")}
    appetite = Appetite(rule=(rule, Rule(id="t", stances=FORBIDDEN)))
    both = rule_results(
        appetite, given(PLATFORMS, {"slug": "a"}), given(CELLS_WITH_CLAUSES, cell), given(ANSWERS, answer), DAY
    )
    assert both["decided_by"].tolist() == [list("cbad"), list("fedc")], "at most four, the weightiest first"


FORBIDDEN = ("trains_by_default", "trains_with_opt_out")
OUT, NEVER, ALWAYS = "trains unless you opt out", "does not train", "trains, no opt-out found"


@pytest.mark.parametrize(
    ("whole", "consumer", "business", "plan", "expected", "observed"),
    [
        ("trains_by_default", "trains_by_default", None, "", "fail", "trains, no opt-out found"),
        ("trains_with_opt_in", "trains_with_opt_in", None, "", "pass", "trains only after opt-in"),
        ("does_not_train", None, None, "", "pass", "does not train"),
        (None, "trains_by_default", None, "", "fail", "trains, no opt-out found"),
        (None, None, "does_not_train", "", "pass", "does not train"),
        ("undetermined", "undetermined", None, "", "undetermined", "undetermined: to be read"),
        ("unread", "unread", None, "", "undetermined", "unread"),
        (None, None, None, "", "undetermined", "not read"),
        ("silent", "silent", None, "", "undetermined", "no clause found"),
        ("depends_on_plan", FORBIDDEN[1], "does_not_train", "", "undetermined", f"{OUT} for consumers, {NEVER} for business users"),
        ("depends_on_plan", *FORBIDDEN, "", "fail", f"{ALWAYS} for consumers, {OUT} for business users"),
        ("depends_on_plan", "trains_with_opt_in", None, "", "undetermined",
         "trains only after opt-in for consumers, depends on the plan for business users"),
        ("depends_on_plan", None, None, "", "undetermined", "depends on the plan"),
        ("depends_on_plan", "trains_with_opt_out", "does_not_train", "Team", "pass", "does not train on the plan Team"),
        ("depends_on_plan", "trains_with_opt_out", "does_not_train", "ENTERPRISE", "pass", "does not train on the plan ENTERPRISE"),
        ("depends_on_plan", "trains_with_opt_out", "does_not_train", "ChatGPT Enterprise plan", "pass",
         "does not train on the plan ChatGPT Enterprise plan"),
        ("depends_on_plan", "trains_with_opt_out", "does_not_train", "Growth", "undetermined",
         f"{OUT} for consumers, {NEVER} for business users"),
        ("depends_on_plan", "trains_with_opt_out", "does_not_train", "Plus", "fail", "trains unless you opt out on the plan Plus"),
        ("trains_by_default", "trains_by_default", None, "business", "undetermined", f"{ALWAYS} (no answer for the plan business)"),
        ("does_not_train", "does_not_train", None, "business", "undetermined", f"{NEVER} (no answer for the plan business)"),
        ("silent", "silent", None, "business", "undetermined", "no clause found (no answer for the plan business)"),
        ("depends_on_plan", None, "does_not_train", "free", "undetermined", "depends on the plan (no answer for the plan free)"),
        ("undetermined", None, "does_not_train", "", "undetermined", "undetermined: to be read"),
        ("trains_by_default", "trains_by_default", None, "free", "fail", f"{ALWAYS} on the plan free"),
        ("depends_on_plan", "does_not_train", "undetermined", "api", "undetermined", "undetermined: to be read on the plan api"),
    ],
)  # fmt: skip
def test_the_plan_selects_the_answer_on_training_and_answers_that_are_not_settled_are_no_pass(
    whole: Any, consumer: Any, business: Any, plan: str, expected: str, observed: str
) -> None:
    answers = {"stance": whole, "consumer_stance": consumer, "business_stance": business}
    portfolio = pd.DataFrame({"row": [1], "slug": ["a"], "plan": [plan or None]})
    said = result(Rule(id="r", stances=FORBIDDEN), answers=answers, portfolio=portfolio)
    assert said == (expected, observed, ["t-1"])


def test_silence_on_training_passes_or_fails_only_if_the_rule_says_so() -> None:
    answers = {"stance": "silent", "consumer_stance": "silent"}
    for silent in ("pass", "fail"):
        assert result(Rule(id="r", stances=FORBIDDEN, silent=silent), answers=answers)[0] == silent


def test_a_mean_has_the_weights_of_the_organisation_and_silent_surfaces_do_not_count() -> None:
    rule, weights = Rule(id="r", mean=1.0), {"data_retention": 3.0, "ads_tracking": 1.0, "human_review": 5.0}
    cells = {"data_retention": "MED", "ads_tracking": "HIGH", "human_review": "quiet", "ip_liability": "HIGH"}
    assert result(rule, cells=cells, weights=weights) == ("fail", "mean 1.25", ["ads_tracking-1", "ads_tracking-2"])
    assert result(Rule(id="r", mean=1.25), cells=cells, weights=weights)[0] == "pass"
    neutral = {"data_retention": "MED", "ads_tracking": "found"}
    assert result(rule, cells=neutral, weights={"data_retention": 3.0, "ads_tracking": 1.0})[:2] == (
        "pass",
        "mean 1.00",
    )


def test_a_mean_is_undetermined_if_surfaces_that_are_still_to_be_read_could_turn_it() -> None:
    weights = {"data_retention": 3.0, "ads_tracking": 1.0}
    cells = {"data_retention": "MED", "ads_tracking": "to_read"}
    said = {limit: result(Rule(id="r", mean=limit), cells=cells, weights=weights) for limit in (0.74, 0.75, 1.24, 1.25)}
    assert {limit: one[0] for limit, one in said.items()} == {
        0.74: "fail", 0.75: "undetermined", 1.24: "undetermined", 1.25: "pass",
    }  # fmt: skip
    assert said[0.74][1] == "mean 1.00, 1 surface to be read"
    assert result(Rule(id="r", mean=0.74), cells=cells, weights=weights | {"ip_liability": 0.0}) == said[0.74]
    nothing = result(Rule(id="r", mean=1.0), cells={"human_review": "HIGH"}, weights=weights)
    assert nothing == ("undetermined", "no surface with a weight has a level", [])


def test_a_rule_applies_to_the_rows_with_its_data_class_plan_and_region() -> None:
    rule = Rule(id="r", rating="MED", data_classes=("Confidential",), plans=("free",), regions=("DE", "FR"))
    portfolio = pd.DataFrame(
        [
            {"row": 1, "slug": "a", "data_class": "confidential", "plan": "Free", "region": "fr", "owner": "Ann"},
            {"row": 2, "slug": "a", "data_class": "public", "plan": "free", "region": "DE", "owner": "Bo"},
            {"row": 3, "slug": "a", "data_class": "confidential", "plan": None, "region": "DE", "owner": None},
            {"row": 4, "slug": "a", "data_class": None, "plan": "free", "region": "US", "owner": None},
            {"row": 5, "slug": "unknown", "data_class": "confidential", "plan": "free", "region": "DE", "owner": None},
            {"row": 6, "slug": "a", "data_class": None, "plan": "", "region": "DE", "owner": None},
        ]
    )
    results = judged(rule, "LOW", portfolio=portfolio)
    assert results[["row", "owner", "data_class", "plan", "region", "result", "observed"]].values.tolist() == [
        [3, "", "confidential", "", "DE", "undetermined", "the portfolio does not give its plan"],
        [6, "", "", "", "DE", "undetermined", "the portfolio does not give its data class"],
        [1, "Ann", "confidential", "Free", "fr", "pass", "rated LOW"],
    ]


@pytest.mark.parametrize(
    ("scope", "column"), [("data_classes", "data_class"), ("plans", "plan"), ("regions", "region")]
)
def test_a_rule_for_some_rows_needs_a_portfolio_with_the_column(scope: str, column: str) -> None:
    rule = Rule(id="r", rating="MED", **{scope: ("x",)})
    for portfolio in (None, pd.DataFrame({"slug": ["a"]})):
        with pytest.raises(
            ParameterError, match=rf"the rule 'r' applies to some .* only: give a portfolio with a column {column}$"
        ):
            judged(rule, portfolio=portfolio)


@pytest.mark.parametrize(("last", "holds"), [(DAY, True), (date(2026, 10, 30), False)])
def test_an_exception_marks_a_result_until_its_last_day_and_never_changes_it(last: date, holds: bool) -> None:
    exceptions = (
        Exemption(rule="r", platform="b", owner="Bo", reason="Other.", expires=date(2030, 1, 1)),
        Exemption(rule="r", platform="a", owner="Ann", reason="Trial.", expires=last),
    )
    (row,) = judged(Rule(id="r", rating="MED"), "HIGH", exceptions=exceptions).to_dict("records")
    assert (row["result"], row["excepted"]) == ("fail", holds)
    assert row["exception"] == f"Ann: Trial.{'' if holds else ' (expired)'}"
    assert row["expires"].date() == last
    assert not judged(Rule(id="r", rating="MED"), "LOW", exceptions=exceptions)["excepted"].any()


def test_results_come_worst_first_and_excepted_ones_last_of_their_kind() -> None:
    slugs = ("a", "b", "c", "d")
    platforms = given(
        PLATFORMS,
        *(
            {"slug": slug, "rating": rating}
            for slug, rating in zip(slugs, ("LOW", "HIGH", "UNRATED", "HIGH"), strict=True)
        ),
    )
    exception = Exemption(rule="r", platform="b", owner="o", reason="r", expires=date(2030, 1, 1))
    rules = Rule(id="r", title="Not high", rating="MED"), Rule(id="low", title="Not high", rating="LOW")
    unnamed = platforms.assign(name=["Aurelia", None, "Cobalt", "Dune"])
    both = rule_results(
        Appetite(rule=rules, exception=(exception,)), unnamed, given(CELLS_WITH_CLAUSES), given(ANSWERS), DAY
    )
    assert both[["name", "rule", "result", "excepted"]].values.tolist() == [
        ["b", "low", "fail", False], ["Dune", "r", "fail", False], ["Dune", "low", "fail", False], ["b", "r", "fail", True],
        ["Cobalt", "r", "undetermined", False], ["Cobalt", "low", "undetermined", False],
        ["Aurelia", "r", "pass", False], ["Aurelia", "low", "pass", False],
    ]  # fmt: skip
    appetite = Appetite(rule=rules[:1], exception=(exception,))
    results = rule_results(appetite, platforms, given(CELLS_WITH_CLAUSES), given(ANSWERS), DAY)
    assert results["slug"].tolist() == ["d", "b", "c", "a"]
    assert set(results["title"]) == {"Not high"}
    assert {name: str(dtype) for name, dtype in results.dtypes.items()} == {
        name: str(pd.Series([], dtype=dtype).dtype) for name, dtype in RESULT_COLUMNS.items()
    }


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        (Rule(id="r", rating="LOW"), "rating at most LOW"),
        (Rule(id="r", surface="ads_tracking", level="MED"), "Ads and tracking at most MED"),
        (Rule(id="r", mean=0.5), "weighted mean at most 0.5"),
        (Rule(id="r", stances=FORBIDDEN), "any answer but 'trains, no opt-out found' or 'trains unless you opt out'"),
    ],
)
def test_what_a_rule_allows_is_said_in_words_and_stands_for_a_missing_title(rule: Rule, allowed: str) -> None:
    results = judged(rule, weights={"ads_tracking": 1})
    assert (results["allowed"].tolist(), results["title"].tolist()) == ([allowed], [allowed[0].upper() + allowed[1:]])


def test_a_clause_is_unbound_only_if_every_plan_in_use_is_known_and_belongs_to_others() -> None:
    audiences = ["consumer", "business", "developer", None, "children"]

    def open_for(*plans: str | None) -> list[bool]:
        clauses = given(FINDINGS, *({"slug": "opal"} for _ in audiences)).assign(audience=audiences)
        return unbound(clauses, pd.DataFrame({"slug": ["opal"] * len(plans) + ["tarn"], "plan": [*plans, "Team"]}))

    assert open_for("Team") == [True, False, False, False, False]
    assert open_for("Free") == [False, True, True, False, False]
    assert open_for("API") == [True, False, False, False, False]
    for plans in (("Free", "Team"), ("Free", None), ("Gold",), ()):
        assert open_for(*plans)[:4] == [False] * 4, plans
    for plan in ("business", "Teams", "enterprise", "developer", "Developers", "Pro Team"):
        assert open_for(plan)[:3] == [True, False, False], plan
    for plan in ("personal", "individual", "consumer", "Basic", "starter", "Plus", "PRO", "premium"):
        assert open_for(plan)[:3] == [False, True, True], plan
    one = given(FINDINGS, {"slug": "opal"}).assign(audience="consumer")
    assert unbound(one, pd.DataFrame({"slug": ["opal"]})) == [False]


def test_a_rule_that_applies_to_no_row_is_named_with_the_values_that_the_portfolio_has() -> None:
    secret = Rule(id="secret", rating="MED", data_classes=["confidential"], plans=["team"])
    usual = Rule(id="usual", rating="MED")
    uses = pd.DataFrame({"slug": ["a", "b"], "data_class": ["vertraulich", None], "plan": ["Team", "Free"]})
    had = "'' and 'vertraulich' as data class and 'Free' and 'Team' as plan"
    said = f"The rule secret applies to no row of the portfolio, which has {had}"
    ours = Appetite(rule=(secret, usual))
    assert unused_rules(ours, uses.query("slug == 'b'").assign(data_class="public")) == [
        "The rule secret applies to no row of the portfolio, which has 'public' as data class and 'Free' as plan"
    ]
    assert unused_rules(ours, uses.assign(data_class=["vertraulich", ""], plan=["Team", "Free"])) == [said]
    assert unused_rules(ours, uses.assign(data_class="Confidential")) == []
    assert unused_rules(ours, uses[:0]) == []
    assert unused_rules(ours, None) == []
