"""Drift of a service's answers is seen where it stands, told by itself, counted and bounded."""

from __future__ import annotations

from typing import Any

import pytest

from riskanalytics import analysis
from riskanalytics.frames.contract import MOST_ROWS, Answered, contract_frame

MACHINE = "/api/machine/platform/{slug}"


def finding(**more: Any) -> dict[str, Any]:
    place = {"snapshot_sha256": "ab" * 32, "archive_url": "https://a.example", "start": 1, "end": 5}
    result = {"quote": "We train.", "surface": "training_use", "risk": "HIGH", "confidence": 0.9}
    return result | {"verification_status": "verified", "provenance": place} | more


def machine(*findings: Any, **more: Any) -> dict[str, Any]:
    return {"@context": {}, "@type": "Thing", "slug": "opal", "findings": list(findings), "disclaimer": "x"} | more


def drift(*records: Any, endpoint: str = MACHINE) -> dict[tuple[str, str], tuple[str, int, int]]:
    """Return (kind, field) -> (told, count, of) of what is drift."""
    result = analysis.contract_drift(contract_frame(Answered(endpoint, "opal", record) for record in records))
    rows = result[result["drift"]].itertuples()
    return {(row.kind, row.field): (row.observed, row.count, row.of) for row in rows}


def test_a_renamed_field_is_missing_under_its_name_and_unknown_under_the_new_one() -> None:
    renamed = finding()
    renamed["verbatim"] = renamed.pop("quote")
    assert drift(machine(finding(), renamed)) == {
        ("missing", "findings[].quote"): ("absent", 1, 2),
        ("unknown", "findings[].verbatim"): ("text", 1, 2),
    }


def test_retyped_fields_are_reported_by_path_and_whole_numbers_are_numbers() -> None:
    place = {"snapshot_sha256": 7, "archive_url": None, "start": "12", "end": 5.5}
    assert drift(machine(finding(confidence=1), finding(confidence="0.9", provenance=place))) == {
        ("missing", "findings[].provenance.archive_url"): ("null", 1, 2),
        ("retyped", "findings[].confidence"): ("text", 1, 2),
        ("retyped", "findings[].provenance.end"): ("number", 1, 2),
        ("retyped", "findings[].provenance.snapshot_sha256"): ("whole number", 1, 2),
        ("retyped", "findings[].provenance.start"): ("text", 1, 2),
    }


def test_unknown_values_are_listed_separately_and_counted() -> None:
    odd = finding(risk="SEVERE", surface="voice_cloning", verification_status="pending")
    surfaces = {"voice_cloning": {"count": 1, "risk": "SEVERE"}}
    assert drift(machine(odd, odd, training_use={"stance": "asks_first"}, rating="CRITICAL", surfaces=surfaces)) == {
        ("unseen", "findings[].risk"): ("SEVERE", 2, 2),
        ("unseen", "findings[].surface"): ("voice_cloning", 2, 2),
        ("unseen", "findings[].verification_status"): ("pending", 2, 2),
        ("unseen", "rating"): ("CRITICAL", 1, 1),
        ("unseen", "surfaces"): ("voice_cloning", 1, 1),
        ("unseen", "surfaces{}.risk"): ("SEVERE", 1, 1),
        ("unseen", "training_use.stance"): ("asks_first", 1, 1),
    }


def test_missing_additions_are_distinguished_from_missing_required_fields() -> None:
    result = contract_frame([Answered("/api/coverage", "x", {"tracked": 4, "verified": True})])
    kinds = {row.field: row.kind for row in result.itertuples()}
    assert kinds["verified"] == "retyped"
    assert kinds["disclaimer"] == "missing"
    assert kinds["extraction"] == "lacking"
    assert kinds.get("as_of") is None


@pytest.mark.parametrize(
    "record",
    [
        None,
        5,
        "text",
        [],
        [[]],
        machine(findings={}),
        machine(None, 3, []),
        machine(findings=None),
        machine(surfaces=[1]),
    ],
)
def test_malformed_answers_are_drift_and_never_an_error(record: Any) -> None:
    assert drift(record)


def test_the_report_is_bounded_whatever_a_server_answers() -> None:
    record = machine(finding(**{f"field {n} {'x' * 500}": n for n in range(2000)}), deep=[[[[{}]]]] * 9)
    result = contract_frame([Answered(MACHINE, "y" * 9999, record)])
    assert len(result) <= MOST_ROWS + 1
    assert result["kind"].tolist()[-1] == "more"
    assert result.map(lambda value: len(str(value))).to_numpy().max() < 700
