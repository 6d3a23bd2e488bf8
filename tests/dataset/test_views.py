"""Views are of the period and the platforms of their data set, and keep the clauses that a page quotes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.errors import ParameterError
from riskanalytics.frames import rows_of


def test_a_period_has_the_changes_of_the_reports_platforms_and_their_ratings_before_it(
    client: Client, tmp_path: Path
) -> None:
    (tmp_path / "ours.csv").write_text("slug\ncafe-lumiere\n", encoding="utf-8")
    views = ra.load(client, month="2026-03", portfolio=tmp_path / "ours.csv").views
    assert (views.begin, views.end, views.days_called) == (date(2026, 3, 1), date(2026, 4, 1), "month")
    assert [len(frame) for frame in (views.on_record, views.recorded, views.material)] == [1, 0, 0]
    assert (views.before["slug"].tolist(), set(views.coverage["tracked"])) == (["cafe-lumiere"], {1})
    whole = ra.load(client, month="2026-03").views
    assert [len(frame) for frame in (whole.recorded, whole.material)] == [1, 1]
    assert ra.load(client, month="2026-01").views.before is None
    day = ra.load(client).views
    assert (day.begin, day.end, len(day.recorded), set(day.coverage["tracked"])) == (None, None, 1, {3})
    with pytest.raises(ParameterError, match="a period is needed, but the data were loaded for one day"):
        day.spanned  # noqa: B018


def test_unsure_findings_and_the_two_surest_leads_of_each_platform_are_checked(client: Client) -> None:
    data = ra.load(client)
    clauses = data.findings.assign(confidence=[0.69, 0.7, 0.71, 0.9, 0.9, 0.9, 0.1])
    views = data.replaced(findings=clauses, leads=clauses).views
    assert views.unsure_clauses["confidence"].tolist() == [0.69, 0.1]
    assert views.surest_leads["confidence"].tolist() == [0.69, 0.7, 0.9, 0.1]
    with pytest.raises(ParameterError, match=r'no surface was given: make the report with ra.Report\("explore", '):
        views.surface  # noqa: B018
    assert [frame["verification_status"].tolist() for frame in views.checked] == [["verified"] * 2, ["verified"] * 4]


def test_the_clauses_that_break_rules_are_quoted_also_under_an_exception(client: Client, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(
        '[[rule]]\nid = "licence"\nsurface = "content_license"\nlevel = "MED"\n'
        '[[rule]]\nid = "training"\nstances = ["trains_by_default"]\n'
        '[[exception]]\nrule = "licence"\nplatform = "aurelia-chat"\nowner = "Ann"\nreason = "Trial."\nexpires = 2026-03-05\n'
    )
    views = ra.load(client).views
    views.options = {"rules": tmp_path / "rules.toml"}
    found = views.rule_results[["slug", "result", "excepted"]].values.tolist()
    # the exception is judged on the day of the data
    assert found[0] == ["aurelia-chat", "fail", True]
    assert found[1:] == [
        *(["cafe-lumiere", "undetermined", False],) * 2, *(["northwind-draft", "undetermined", False],) * 2,
        ["aurelia-chat", "pass", False],
    ]  # fmt: skip
    assert views.rule_clauses["surface"].tolist() == ["content_license"]


def test_changes_are_counted_from_the_first_to_the_last_day_of_the_period_and_in_the_eleven_months_before(
    client: Client,
) -> None:
    views = ra.load(client, month="2026-02").views
    (change,) = (frame for _, frame in ra.load(client).changes().groupby("change_id"))  # type: ignore[union-attr]
    times = ("2025-02-28T23:59", "2025-03-01", "2026-01-31T23:59", "2026-02-01", "2026-02-28T23:59", "2026-03-01")
    made = [change.assign(reviewed_at=pd.Timestamp(time, tz="UTC"), change_id=time) for time in times]
    vars(views)["recorded"] = pd.concat(made, ignore_index=True)
    assert sorted(views.material["change_id"]) == list(times[3:5])
    assert set(views.change_noise["total"]) == {2}
    months = views.changes_by_month.query("change_class == 'material'").set_index("month")["changes"]
    assert (len(months), months.index[0].strftime("%Y-%m"), months.index[-1].strftime("%Y-%m")) == (
        12,
        "2025-03",
        "2026-02",
    )
    assert months[months > 0].tolist() == [1, 1, 2]


def test_a_page_takes_its_months_its_number_of_platforms_and_its_age_of_a_text_from_the_parameters(
    client: Client,
) -> None:
    data = ra.load(client)
    stated = data.findings.head(2).assign(kind="effective", date=pd.to_datetime(["2026-03-05", "2026-03-06"], utc=True))
    views = data.replaced(dates=stated).views
    views.options = {"top": 1, "months": 1, "unchanged_days": 20}
    assert (len(views.worst), views.history["date"].nunique()) == (1, 2)
    assert views.dates_ahead["date"].dt.day.tolist() == [6]
    assert views.freshness["flag"].tolist().count("unchanged") == 1


def test_changes_since_an_approval_count_even_if_they_are_older_than_those_of_the_report(
    client: Client, tmp_path: Path
) -> None:
    (tmp_path / "ours.csv").write_text("slug,approved on\naurelia-chat,2026-01-15\naurelia-chat,2026-03-05\n")
    views = ra.load(client, month="2026-03", portfolio=tmp_path / "ours.csv").views
    vars(views)["on_record"] = views.on_record[:0]
    uses = views.portfolio_uses
    assert uses[["rating_before", "material"]].values.tolist() == [["HIGH", 1], ["MED", 0]]


def test_of_a_sample_a_page_quotes_only_what_did_not_verify(client: Client) -> None:
    data = ra.load(client)
    findings = data.findings.copy()
    findings.loc[0, "quote"] = "Words that stand nowhere."
    views = data.replaced(findings=findings).views
    assert views.quoted == []
    assert len(views.sample) == len(findings)
    assert [frame["finding_id"].tolist() for frame in views.quoted] == [findings["finding_id"].tolist()[:1]]


def test_the_eight_changes_shown_begin_with_those_that_moved_the_platform(client: Client) -> None:
    views = ra.load(client).views
    vars(views)["platform_changes"] = pd.DataFrame({"change_id": list("abcdefghij"), "moved": [False] * 9 + [True]})
    assert views.shown == list("jabcdefg")
    views = ra.load(client).views
    vars(views)["recorded"] = None
    assert (views.shown, views.material, views.stance_history) == ([], None, None)


def test_the_clauses_of_the_changes_that_a_page_shows_are_quoted_and_no_others(client: Client) -> None:
    data = ra.load(client, platforms="aurelia-chat")
    (change,) = rows_of(data.changes())
    made = [
        {**change, "change_id": one, "added": [{**row, "id": one} for row in change["added"]], "removed": []}
        for one in "abc"
    ]
    views = data.views
    vars(views)["recorded"] = vars(views)["compared_changes"] = pd.DataFrame(made)
    assert views.platform_change_clauses["finding_id"].tolist() == views.shown == ["c", "b", "a"]
    # a comparison shows the latest two of each platform
    assert views.compared_change_clauses["finding_id"].tolist() == ["a", "b"]


def test_the_months_of_a_report_are_its_own_unless_given(client: Client) -> None:
    for notebook, given, months in (("comparison", {}, 12), ("training_use", {}, 24), ("comparison", {"months": 3}, 3)):
        views = ra.Report(notebook, ra.load(client), **given).data.views
        assert views.period == f"in the {months} months to 2026-03-05"
    assert ra.load(client).views.period == "in the 12 months to 2026-03-05"


MONTHLY = {"platforms": 3, "clauses read": 7}
PAIR = "aurelia-chat,cafe-lumiere"
COVERED = {
    "since-2026-02-28-to-2026-03-05": ["since until changes first_change platforms"],
    "2026-03-05-aurelia-chat-cafe-lumiere": ["surface slug risk"],
    "2026-03-05": ["slug stance"],
    "coverage": ["slug document captured_at state"],
    "method": ["labels surface measure share low high part whole families"],
    "training_use-2026-03-05": ["slug surface state"],
}
"""Name of a report -> columns of the frames that its hash covers besides ratings and findings."""


@pytest.mark.parametrize(
    ("notebook", "given", "loaded", "story", "quoted"),
    [
        ("monthly_report", {}, {"month": "2026-03"},
         ({**MONTHLY, "changes recorded in twelve months": 1}, "2026-03", ""), [7, 2, 0, 0]),
        ("monthly_report", {}, {"since": "2026-02-28"},
         ({**MONTHLY, "changes recorded": 1}, "since-2026-02-28-to-2026-03-05", ""), [7, 2, 0, 0]),
        ("comparison", {"platforms": PAIR}, {"platforms": PAIR},
         ({"platforms": 2, "deciding clauses": 7, "changes on differing surfaces": 0}, "2026-03-05-aurelia-chat-cafe-lumiere", ""),
         [7, 0]),
        ("training_use", {"platforms": ""}, {},
         ({"platforms": 3, "deciding clauses": 2, "changes of an answer": 1}, "2026-03-05", ""), [2, 2]),
        ("coverage", {}, {}, ({"platforms": 3, "documents": 4, "clauses": 7, "failures recorded": 0}, "", ""), [0, 0, 0]),
        ("method", {}, {}, ({"platforms": 3, "changes recorded": 1}, "", "all 3 tracked platforms"), [7]),
        ("explore", {"surface": "training_use"}, {}, ({"platforms": 3, "clauses quoted": 2}, "training_use-2026-03-05", ""), [2]),
    ],
)  # fmt: skip
def test_a_report_counts_what_it_covers_quotes_its_clauses_and_is_named_after_its_period_and_subject(
    client: Client,
    notebook: str,
    given: dict[str, str],
    loaded: dict[str, str],
    story: tuple[object, ...],
    quoted: list[int],
) -> None:
    report = ra.Report(notebook, ra.load(client, **loaded), **given)
    figures = {name: figure for name, figure in report.story.figures.items() if name != "figures of accuracy"}
    assert (figures, report.story.name, report.story.scope) == story
    assert [len(frame) for frame in report.data.views.quoted] == quoted
    assert [" ".join(frame.columns) for frame in report.story.covered] == COVERED.get(story[1] or notebook, [])


def test_a_report_on_a_portfolio_names_changes_of_near_matches_first_and_leaves_out_the_state_of_the_data(
    client: Client, tmp_path: Path
) -> None:
    ours = tmp_path / "ours.csv"
    ours.write_text("name\nCafé Lumière\nAureliaa\n", encoding="utf-8")
    near = "A platform that you may use changed materially. Confirm first: 'Aureliaa' in row 2 may mean Aurelia Chat."
    quiet = "Quiet so far: no material change on 1 platform; no rating moved."
    data = ra.load(client, month="2026-03", portfolio=ours)
    (tmp_path / "rules.toml").write_text('[[rule]]\nid = "r"\nrating = "MED"\n')
    story = ra.Report("portfolio", data, portfolio=str(ours), rules=str(tmp_path / "rules.toml")).story
    uses = "Of 1 use of 1 platform, 0 are on platforms rated HIGH."
    assert list(story.sentences) == [uses, near, quiet, "No rule is broken; 1 result is undetermined."]
    rows = "portfolio of 2 rows: 1 matched, 1 to confirm; 1 of 3 tracked platforms"
    assert (story.title, story.name, story.scope) == (
        "AI platforms in use, 1 March 2026 to 5 March 2026", "2026-03-ours", f"your {rows}",
    )  # fmt: skip
    monthly = ra.Report("monthly_report", ra.load(client, month="2026-03", portfolio=ours)).story
    assert (list(monthly.sentences[:2]), len(monthly.sentences), monthly.scope) == ([near, quiet], 4, f"example {rows}")
    assert monthly.sentences[3].startswith("Of 1 portfolio platform, 0 are verified")
    # changes before the period are not named
    later = ra.Report("monthly_report", ra.load(client, since="2026-03-05", portfolio=ours)).story
    assert [sentence for sentence in later.sentences if "Aureliaa" in sentence] == []


def test_a_dossier_compares_its_platform_with_all_others_and_counts_near_copies_once(client: Client) -> None:
    data = ra.load(client)
    copies = data.findings["finding_id"].where(data.findings.index == 0)
    data = data.replaced(findings=data.findings.assign(duplicate_of=copies)).of("aurelia-chat")
    report = ra.Report("platform_dossier", data, platform="aurelia-chat")
    story = report.story
    assert [len(frame) for frame in report.data.views.quoted] == [0, 2, 0, 5]
    counted = {"clauses, with near-copies": 5, "citations, without near-copies": 4, "changes recorded": 1}
    assert (story.figures, story.name, story.scope) == (
        counted,
        "aurelia-chat-2026-03-05",
        "one of 3 tracked platforms",
    )
    assert story.sentences[1].startswith("Typical of 2 other platforms: ")
    method = ra.Report("method", data).story
    assert (method.scope, method.figures["platforms"]) == ("all 3 tracked platforms", 3)
    facts = data.views.measured_facts
    assert method.figures["figures of accuracy"] == f"recorded {facts['measured_on']}"


def test_ratings_have_moved_since_the_day_before_the_period_and_a_sample_is_of_all_findings(client: Client) -> None:
    views = ra.load(client, since="2026-03-04").views
    assert views.before["rating"].tolist() == ["HIGH", "UNRATED", "UNRATED"]
    assert views.rating_moves[["slug", "rating_before", "rating_after"]].values.tolist() == [
        ["aurelia-chat", "HIGH", "MED"]
    ]
    oldest = views.documents["captured_at"].min()
    aged = views.data.replaced(documents=views.documents.assign(captured_at=oldest - pd.Timedelta(300, "D"))).views
    assert "unchanged" not in set(aged.freshness["flag"])
    vars(views)["sample"] = views.verify(views.findings.head(2))
    assert views.integrity[["sampled", "findings"]].values.tolist() == [[2, 7]]


def test_a_month_without_changes_is_quiet_so_far_until_it_has_ended(client: Client) -> None:
    said = {}
    for month, platforms in (("2026-02", ""), ("2026-03", "cafe-lumiere")):
        data = ra.load(client, month=month, platforms=platforms)
        said[month] = ra.Report("monthly_report", data).story.sentences[0].partition(":")[0]
    assert said == {"2026-02": "A quiet month", "2026-03": "Quiet so far"}


def test_hidden_changes_are_counted_as_not_known(client: Client) -> None:
    report = ra.Report("training_use", ra.load(client, platforms="aurelia-chat"), platforms="aurelia-chat")
    vars(report.data.views)["recorded"] = None
    assert report.story.figures == {"platforms": 1, "deciding clauses": 1, "changes of an answer": "not known"}
    assert report.story.name == "2026-03-05-aurelia-chat"
