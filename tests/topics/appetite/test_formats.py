"""Results of rules as JUnit XML and SARIF."""

from __future__ import annotations

import json
from datetime import date
from typing import Any
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from riskanalytics.topics.appetite import RESULT_COLUMNS
from riskanalytics.topics.appetite.formats import as_junit, as_sarif
from riskanalytics.topics.appetite.rules import Appetite, Rule
from riskanalytics.topics.shape import shaped
from tests.frames_given import FINDINGS, given
from tests.topics.given import HOSTILE

APPETITE = Appetite(rule=(Rule(id="second", rating="MED", title="Not high"), Rule(id="first", rating="LOW")))


def results(*rows: dict[str, Any]) -> pd.DataFrame:
    usual = {
        "slug": "aurelia-chat", "name": "Aurelia", "owner": "", "data_class": "", "plan": "", "region": "", "rule": "first",
        "title": "First", "observed": "rated HIGH", "allowed": "rating at most MED", "decided_by": [], "excepted": False,
    }  # fmt: skip
    return shaped([{**usual, **row} for row in rows], RESULT_COLUMNS)


FAILED = {
    "result": "fail",
    "owner": "Ann",
    "data_class": "public",
    "plan": "Plus",
    "decided_by": ["f-1", "gone", "f-2"],
}
OPEN = {"result": "undetermined", "slug": "lumen", "name": "Lumen", "observed": "unread"}
KEPT = {"result": "pass", "rule": "second", "observed": "rated LOW"}
EXCEPTED = {
    "result": "fail", "rule": "second", "excepted": True, "exception": "Ann: Trial.", "expires": date(2027, 1, 31).isoformat(),
}  # fmt: skip
CLAUSES = given(
    FINDINGS,
    {"slug": "aurelia-chat", "finding_id": "f-1", "document": "Terms of Service", "quote": "We keep it.", "start": 4, "end": 15,
     "archive_url": "https://archive.example/1", "document_url": "https://aurelia.example/terms"},
    {"slug": "aurelia-chat", "finding_id": "f-2", "document": "Privacy Policy", "quote": "For ever.", "archive_url": "data:1"},
)  # fmt: skip


def test_junit_has_a_suite_for_each_rule_and_a_case_for_each_platform() -> None:
    rows = FAILED, OPEN, KEPT, EXCEPTED, {**OPEN, "excepted": True, "exception": "x"}
    root = ET.fromstring(as_junit(results(*rows)))
    assert [tuple(suite.attrib.values()) for suite in root] == [
        ("first", "3", "1", "1", "1"), ("second", "2", "0", "0", "1"),
    ]  # fmt: skip
    twice = ET.fromstring(as_junit(results(*rows, *rows)))[0]
    assert tuple(twice.attrib.values()) == ("first", "6", "2", "2", "2")
    assert list(root[0].attrib) == ["name", "tests", "failures", "errors", "skipped"]
    cases = [
        (case.attrib["classname"], case.attrib["name"], [(one.tag, one.attrib["message"]) for one in case])
        for case in root.iter("testcase")
    ]
    assert cases == [
        ("first", "Aurelia (aurelia-chat, Ann, public, Plus)", [("failure", "Aurelia: rated HIGH; allowed: rating at most MED")]),
        ("first", "Lumen (lumen)", [("error", "Lumen: unread; allowed: rating at most MED")]),
        ("first", "Lumen (lumen)", [("skipped", "Lumen: unread; allowed: rating at most MED; exception: x")]),
        ("second", "Aurelia (aurelia-chat)", []),
        ("second", "Aurelia (aurelia-chat)",
         [("skipped", "Aurelia: rated HIGH; allowed: rating at most MED; exception until 2027-01-31: Ann: Trial.")]),
    ]  # fmt: skip


def test_an_expired_exception_is_a_failure_that_names_it() -> None:
    row = {**EXCEPTED, "excepted": False, "exception": "Ann: Trial. (expired)"}
    (failure,) = ET.fromstring(as_junit(results(row))).iter("failure")
    assert failure.attrib["message"].endswith("; exception until 2027-01-31: Ann: Trial. (expired)")


def test_sarif_has_a_result_for_each_row_with_the_quotes_that_decide() -> None:
    expired = {**EXCEPTED, "excepted": False, "exception": "Ann: Trial. (expired)"}
    log = json.loads(as_sarif(results(FAILED, OPEN, KEPT, EXCEPTED, expired), CLAUSES, APPETITE))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"]["rules"] == [
        {"id": "second", "shortDescription": {"text": "Not high"}}, {"id": "first", "shortDescription": {"text": "first"}},
    ]  # fmt: skip
    made = run["results"]
    assert [(one["ruleId"], one["ruleIndex"], one["kind"], one["level"]) for one in made] == [
        ("first", 1, "fail", "error"), ("first", 1, "review", "none"), ("second", 0, "pass", "none"),
        ("second", 0, "fail", "error"), ("second", 0, "fail", "error"),
    ]  # fmt: skip
    assert made[0]["message"] == {"text": "Aurelia: rated HIGH; allowed: rating at most MED"}
    logical = [{"name": "aurelia-chat", "fullyQualifiedName": "Aurelia", "kind": "resource"}]
    assert made[0]["locations"] == [
        {"physicalLocation": {
            "artifactLocation": {"uri": "https://archive.example/1"},
            "region": {"snippet": {"text": "We keep it."}, "charOffset": 4, "charLength": 11},
        }, "logicalLocations": logical},
        {"physicalLocation": {
            "artifactLocation": {"uri": "aurelia-chat/Privacy%20Policy"}, "region": {"snippet": {"text": "For ever."}},
        }, "logicalLocations": logical},
    ]  # fmt: skip
    assert made[2]["locations"] == [{"logicalLocations": logical}]
    assert [one.get("suppressions") for one in made] == [
        None,
        None,
        None,
        [{"kind": "external", "justification": "Ann: Trial."}],
        None,
    ]


@pytest.mark.parametrize(
    "changed", [{"rule": "second"}, {"slug": "b"}, {"owner": "Bo"}, {"plan": "Free"}, {"data_class": "x"}]
)
def test_a_fingerprint_is_that_of_rule_and_use_and_stays_if_the_clauses_change(changed: dict[str, str]) -> None:
    def prints(*rows: dict[str, Any]) -> list[str]:
        log = json.loads(as_sarif(results(*rows), CLAUSES, APPETITE))
        return [one["partialFingerprints"]["riskanalytics/v1"] for one in log["runs"][0]["results"]]

    first, same, other = prints(
        FAILED, {**FAILED, "result": "pass", "decided_by": [], "observed": "rated LOW"}, {**FAILED, **changed}
    )
    assert first == same != other
    assert len(first) == 64


def test_nothing_from_data_breaks_a_format() -> None:
    row = {
        "result": "fail",
        "name": HOSTILE,
        "observed": HOSTILE,
        "owner": "\x00\x0b",
        "exception": HOSTILE,
        "decided_by": ["f-1"],
    }
    (case,) = ET.fromstring(as_junit(results(row))).iter("testcase")
    assert "\x1b" not in case.attrib["name"]
    assert "<script>" in case[0].attrib["message"]
    log = json.loads(as_sarif(results(row), CLAUSES, APPETITE))
    assert log["runs"][0]["results"][0]["message"]["text"].startswith(HOSTILE)
