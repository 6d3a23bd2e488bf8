"""Results of rules in the formats that pipelines read: JUnit XML, and SARIF 2.1.0 (OASIS standard)."""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final
from xml.etree import ElementTree as ET

import pandas as pd

from riskanalytics.frames import is_missing, rows_of
from riskanalytics.text.untrusted import is_public, visible

from ..shape import Record, items_of, word_of
from .rules import Appetite

__all__ = ["as_junit", "as_sarif"]

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_JUNIT: Final = {
    "fail": ("failures", "failure"),
    "undetermined": ("errors", "error"),
    "excepted": ("skipped", "skipped"),
}
"""Result -> attribute of a suite that counts it, and element of its cases."""


def as_junit(results: pd.DataFrame) -> str:
    """Return results of rules as JUnit XML: a suite for each rule, a case for each platform.

    A case fails if the rule is broken, has an error if the result is undetermined, and is skipped if an exception covers it.

    Parameters
    ----------
    results : pandas.DataFrame
        Result of `analysis.rule_results`.

    Returns
    -------
    str
        An XML document.

    Examples
    --------
    >>> from riskanalytics.topics.appetite.rules import Appetite, Rule
    >>> ours = Appetite(rule=[Rule(id="no-high", rating="MED")])
    >>> results = analysis.rule_results(ours, data.platforms, data.surfaces, data.training_use, data.day)
    >>> analysis.as_junit(results).splitlines()[2].partition(" errors")[0]
    '  <testsuite name="no-high" tests="320" failures="89"'
    """
    suites = ET.Element("testsuites", name="riskanalytics")
    for rule, rows in results.groupby("rule", sort=False):
        suite = ET.SubElement(suites, "testsuite", name=visible(str(rule)), tests=str(len(rows)))
        for row in rows_of(rows):
            place = ", ".join(filter(None, (word_of(row[key]) for key in ("slug", "owner", "data_class", "plan"))))
            name = visible(f"{row['name']} ({place})")
            case = ET.SubElement(suite, "testcase", classname=visible(str(rule)), name=name)
            if row["result"] != "pass":
                _, tag = _JUNIT["excepted" if row["excepted"] else row["result"]]
                ET.SubElement(case, tag, message=visible(_message(row)))
        suite.attrib |= {kind: str(len(suite.findall(f"*/{tag}"))) for kind, tag in _JUNIT.values()}
    ET.indent(suites)
    return ET.tostring(suites, encoding="utf-8", xml_declaration=True).decode() + "\n"


def as_sarif(results: pd.DataFrame, findings: pd.DataFrame, appetite: Appetite) -> str:
    """Return results of rules as a SARIF log: a result for each row, with the quotes and addresses of the clauses that decide.

    Parameters
    ----------
    results : pandas.DataFrame
        Result of `analysis.rule_results`.
    findings : pandas.DataFrame
        Findings of the same data (`frames.FINDINGS_COLUMNS`).
    appetite : Appetite
        The rules.

    Returns
    -------
    str
        JSON. A result has the kind `fail`, `review` (undetermined) or `pass`, a fingerprint that stays the same from run to
        run, and a suppression if an exception covers it.

    Examples
    --------
    >>> import json
    >>> from riskanalytics.topics.appetite.rules import Appetite, Rule
    >>> ours = Appetite(rule=[Rule(id="no-high", rating="MED")])
    >>> results = analysis.rule_results(ours, data.platforms, data.surfaces, data.training_use, data.day)
    >>> json.loads(analysis.as_sarif(results, data.findings, ours))["runs"][0]["results"][0]["kind"]
    'fail'
    """
    clauses = {row["finding_id"]: row for row in rows_of(findings)}
    order = {rule.id: place for place, rule in enumerate(appetite.rule)}
    rules = [{"id": rule.id, "shortDescription": {"text": rule.title or rule.id}} for rule in appetite.rule]
    driver = {"name": "riskanalytics", "rules": rules}
    made = [_result(row, order, clauses) for row in rows_of(results)]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": made}]}
    return json.dumps(log, ensure_ascii=False, indent=1) + "\n"


def _result(row: Record, order: dict[str, int], findings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return one row as a SARIF result."""
    clauses = [findings[one] for one in items_of(row["decided_by"]) if one in findings]
    key = f"{row['rule']}\0{row['slug']}\0{word_of(row['owner'])}\0{word_of(row['plan'])}\0{word_of(row['data_class'])}"
    made: dict[str, Any] = {
        "ruleId": row["rule"],
        "ruleIndex": order[row["rule"]],
        "kind": "review" if row["result"] == "undetermined" else row["result"],
        "level": "error" if row["result"] == "fail" else "none",  # SARIF 3.27.10: only a failure has a level
        "message": {"text": _message(row)},
        "partialFingerprints": {"riskanalytics/v1": sha256(key.encode()).hexdigest()},
        "locations": list(_locations(row, clauses)),
    }
    if row["excepted"]:
        made["suppressions"] = [{"kind": "external", "justification": word_of(row["exception"])}]
    return made


def _locations(row: Record, clauses: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Yield the platform as a logical location, with the document and the quote of each clause."""
    logical = [{"name": row["slug"], "fullyQualifiedName": word_of(row["name"]), "kind": "resource"}]
    if not clauses:
        yield {"logicalLocations": logical}
    for clause in clauses:
        url = next((url for name in ("archive_url", "document_url") if is_public(url := word_of(clause.get(name)))), "")
        artifact = {"uri": url} if url else {"uri": f"{row['slug']}/{word_of(clause['document']).replace(' ', '%20')}"}
        region: dict[str, Any] = {"snippet": {"text": word_of(clause["quote"])}}
        if isinstance(start := clause.get("start"), int) and isinstance(end := clause.get("end"), int):
            region |= {"charOffset": start, "charLength": end - start}
        yield {"physicalLocation": {"artifactLocation": artifact, "region": region}, "logicalLocations": logical}


def _message(row: Record) -> str:
    """Return in one line what was observed and what the rule allows, and the exception if there is one."""
    until = "" if is_missing(row["expires"]) else f" until {row['expires']:%Y-%m-%d}"
    exception = f"; exception{until}: {row['exception']}" if word_of(row["exception"]) else ""
    return f"{row['name']}: {row['observed']}; allowed: {row['allowed']}{exception}"
