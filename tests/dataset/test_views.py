"""Views are of the period and the platforms of their data set, and keep the clauses that a page quotes."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from riskanalytics.errors import ParameterError


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
    assert [frame["verification_status"].tolist() for frame in views.checked] == [["verified"] * 2, ["verified"] * 4]


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


def test_the_months_of_a_report_are_its_own_unless_given(client: Client) -> None:
    for notebook, given, months in (("comparison", {}, 12), ("training_use", {}, 24), ("comparison", {"months": 3}, 3)):
        views = ra.Report(notebook, ra.load(client), **given).data.views
        assert views.period == f"in the {months} months to 2026-03-05"
    assert ra.load(client).views.period == "in the 12 months to 2026-03-05"


def test_hidden_changes_are_counted_as_not_known(client: Client) -> None:
    report = ra.Report("training_use", ra.load(client, platforms="aurelia-chat"), platforms="aurelia-chat")
    vars(report.data.views)["recorded"] = None
    assert report.story.figures == {"platforms": 1, "deciding clauses": 1, "changes of an answer": "not known"}
    assert report.story.name == "2026-03-05-aurelia-chat"
