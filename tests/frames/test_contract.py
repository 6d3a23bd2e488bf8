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
    lacking = ("partial", "stale", "unverified", "surfaces", "extraction", "unfinished")
    assert kinds == {"verified": "retyped", "disclaimer": "missing", **dict.fromkeys(lacking, "lacking")}
    assert contract_frame([Answered("/api/coverage", "x", {"stale": 1})])["kind"].value_counts()["addition"] == 1


@pytest.mark.parametrize(
    ("endpoint", "record", "required"),
    [
        ("/api/v1/changes", {}, "object total limit offset disclaimer data"),
        ("/api/v1/platforms", {"data": [{}]}, "object total limit offset disclaimer "
         "data[].id data[].name data[].website data[].rating data[].risk_reason data[].last_reviewed data[].url "
         "data[].verification"),
        ("/api/v1/platforms/{id}", {}, "rating risk_reason surfaces disclaimer"),
        ("/api/v1/platforms/{id}", {"surfaces": {"training_use": {}}}, "rating risk_reason disclaimer surfaces{}.count"),
        (MACHINE, {"findings": [{}]}, "@context @type disclaimer findings[].quote findings[].surface findings[].risk "
         "findings[].confidence findings[].verification_status findings[].provenance"),
        (MACHINE, machine({"provenance": {}}), "findings[].quote findings[].surface findings[].risk findings[].confidence "
         "findings[].verification_status findings[].provenance.snapshot_sha256 findings[].provenance.archive_url "
         "findings[].provenance.start findings[].provenance.end"),
        ("/api/coverage", {}, "tracked verified disclaimer"),
    ],
)  # fmt: skip
def test_what_the_specification_requires_is_missing_if_it_is_absent(
    endpoint: str, record: dict[str, Any], required: str
) -> None:
    result = contract_frame([Answered(endpoint, "x", record)])
    assert set(result[result["kind"] == "missing"]["field"]) == set(required.split())


def test_a_difference_names_its_first_answer_the_expected_kinds_and_a_field_with_a_dot() -> None:
    odd = machine(**{"@type": 5, "a.b": 1})
    result = contract_frame([Answered(MACHINE, slug, odd) for slug in ("opal", "coral")])
    rows = {row.field: (row.kind, row.expected, row.count, row.example) for row in result.itertuples()}
    assert rows["@type"] == ("retyped", "text or list", 2, "opal")
    assert rows["a·b"] == ("unknown", "nothing", 2, "opal")
    new = contract_frame([Answered(MACHINE, "opal", machine(rating="A", training_use={"stance": "B"}))])
    known = new[new["kind"] == "unseen"].set_index("field")["expected"].to_dict()
    assert known == {"rating": "LOW, MED, HIGH, UNRATED", "training_use.stance": "one of 7 known values"}


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


def test_a_list_or_mapping_in_place_of_the_other_is_retyped_and_a_word_is_counted_each_time() -> None:
    assert drift(machine(findings={"a": finding()}, surfaces=[{}])) == {
        ("retyped", "findings"): ("object", 1, 1),
        ("retyped", "surfaces"): ("list", 1, 1),
    }
    result = drift({"data": [{"surfaces": ["odd", "odd"]}]}, endpoint="/api/v1/changes")
    assert result["unseen", "data[].surfaces"] == ("odd", 2, 2)


def test_every_difference_is_listed_or_counted() -> None:
    bare, odd = ([Answered("/api/coverage", "x", {f"f{n}": n for n in range(count)})] for count in (0, MOST_ROWS + 9))
    assert contract_frame(odd)["count"].sum() == contract_frame(bare)["count"].sum() + MOST_ROWS + 9
    assert len(contract_frame(odd)) == 301


def test_the_report_is_bounded_whatever_a_server_answers() -> None:
    odd = finding(**{f"field {n} {'x' * 500}": n for n in range(2000)})
    record = machine(odd, odd, deep=[[[[{}]]]] * 9)
    result = contract_frame([Answered(MACHINE, "y" * 9999, record)])
    assert len(result) <= MOST_ROWS + 1
    more = int(result["count"].iloc[-1])
    assert more > 2 * (2000 - MOST_ROWS)
    assert result.iloc[-1][["kind", "observed"]].tolist() == ["more", f"{more:,} more differences are not listed"]
    assert result.map(lambda value: len(str(value))).to_numpy().max() < 700
