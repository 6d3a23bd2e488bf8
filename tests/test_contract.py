"""Drift of a service's answers: none against our own service, and seen, bounded and told where there is some."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics import analysis
from riskanalytics.client import Client
from riskanalytics.frames import Answered, contract_frame
from riskanalytics.frames.contract import MOST_ROWS
from riskanalytics.sources import load_contract, load_records
from tests.http_server import reply, served, serving
from tests.service.given import Caller, build_database

MACHINE = "/api/machine/platform/{slug}"


def finding(**more: Any) -> dict[str, Any]:
    place = {"snapshot_sha256": "ab" * 32, "archive_url": "https://a.example", "start": 1, "end": 5}
    told = {"quote": "We train.", "surface": "training_use", "risk": "HIGH", "confidence": 0.9}
    return told | {"verification_status": "verified", "provenance": place} | more


def machine(*findings: Any, **more: Any) -> dict[str, Any]:
    return {"@context": {}, "@type": "Thing", "slug": "opal", "findings": list(findings), "disclaimer": "x"} | more


def drift(*records: Any, endpoint: str = MACHINE) -> dict[tuple[str, str], tuple[str, int, int]]:
    """Return (kind, field) -> (told, count, of) of what is drift."""
    told = analysis.contract_drift(contract_frame(Answered(endpoint, "opal", record) for record in records))
    rows = told[told["drift"]].itertuples()
    return {(row.kind, row.field): (row.told, row.count, row.of) for row in rows}


@pytest.mark.parametrize("tier", ["", "starter", "pro"])
def test_our_own_service_drifts_nowhere_whatever_the_key(tier: str, tmp_path: Path) -> None:
    caller = Caller(build_database(tmp_path))
    with served(caller.app) as address, Client(address, caller.keys[tier] if tier else None) as client:
        told = load_contract(client, load_records(client))
    caller.close()
    found = analysis.contract_drift(told.differences, told.endpoints)
    assert found[found["drift"]].to_dict("records") == []
    assert set(found["kind"]) == {"addition"}
    states = dict(zip(told.endpoints["endpoint"], told.endpoints["state"], strict=True))
    keyed = {"": "no key"}.get(tier, "compared")
    changes = {"": "no key", "starter": "not shown"}.get(tier, "compared")
    assert states == {
        MACHINE: "compared", "/api/machine/search": "compared", "/api/coverage": "compared", "/api/v1/platforms": keyed,
        "/api/v1/platforms/{id}": keyed, "/api/v1/search": keyed, "/api/v1/changes": changes,
    }  # fmt: skip


def test_the_demo_drifts_nowhere() -> None:
    with ra.connect() as client:
        told = load_contract(client, load_records(client))
    assert set(told.differences["kind"]) == {"addition"}
    assert told.endpoints.set_index("endpoint").loc[MACHINE, "answers"] > 300


def test_what_is_renamed_is_missed_under_its_name_and_not_known_under_the_other() -> None:
    renamed = finding()
    renamed["verbatim"] = renamed.pop("quote")
    assert drift(machine(finding(), renamed)) == {
        ("missing", "findings[].quote"): ("absent", 1, 2),
        ("unknown", "findings[].verbatim"): ("text", 1, 2),
    }


def test_other_types_are_seen_where_they_stand_and_whole_numbers_are_numbers() -> None:
    place = {"snapshot_sha256": 7, "archive_url": None, "start": "12", "end": 5.5}
    assert drift(machine(finding(confidence=1), finding(confidence="0.9", provenance=place))) == {
        ("missing", "findings[].provenance.archive_url"): ("null", 1, 2),
        ("retyped", "findings[].confidence"): ("text", 1, 2),
        ("retyped", "findings[].provenance.end"): ("number", 1, 2),
        ("retyped", "findings[].provenance.snapshot_sha256"): ("whole number", 1, 2),
        ("retyped", "findings[].provenance.start"): ("text", 1, 2),
    }


def test_values_never_seen_are_told_by_themselves_and_counted() -> None:
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


def test_additions_that_another_service_lacks_are_told_apart_from_what_it_must_have() -> None:
    told = contract_frame([Answered("/api/coverage", "x", {"tracked": 4, "verified": True})])
    kinds = {row.field: row.kind for row in told.itertuples()}
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
def test_answers_of_no_form_at_all_are_drift_and_never_an_error(record: Any) -> None:
    assert drift(record)


def test_what_is_told_is_bounded_whatever_a_server_answers() -> None:
    record = machine(finding(**{f"field {n} {'x' * 500}": n for n in range(2000)}), deep=[[[[{}]]]] * 9)
    told = contract_frame([Answered(MACHINE, "y" * 9999, record)])
    assert len(told) <= MOST_ROWS + 1
    assert told["kind"].tolist()[-1] == "more"
    assert told.map(lambda value: len(str(value))).to_numpy().max() < 700


def answering(**answers: Any) -> Callable[[bytes], bytes]:
    """Answer by what the path ends with; 404 elsewhere."""

    def answer(request: bytes) -> bytes:
        path = re.match(rb"GET ([^ ?]+)", request)
        name = path[1].decode().rpartition("/")[2] if path else ""
        told = answers.get(name)
        return (
            told if isinstance(told, bytes) else reply("200 OK" if told else "404 Not Found", json.dumps(told).encode())
        )

    return answer


def test_a_drifting_server_is_told_by_endpoint_and_one_that_fails_or_refuses_is_too() -> None:
    listed = {"object": "list", "total": 1, "limit": 500, "offset": 0, "disclaimer": "x"}
    row = {"id": "opal", "name": "Opal", "grade": "B", "rating": "MED", "verification": "gold"}
    answer = answering(
        platforms=listed | {"data": [row]},
        coverage=reply("400 Bad Request"),
        changes=reply("402 Payment Required"),
        search=[1],
    )
    with serving(answer) as server, Client(server.url, "k") as client:
        told = load_contract(client, [machine(finding())])
    found = analysis.contract_drift(told.differences, told.endpoints)
    of_list = found[(found["endpoint"] == "/api/v1/platforms") & found["drift"]]
    assert set(zip(of_list["kind"], of_list["field"], strict=True)) == {
        ("missing", "data[].website"), ("missing", "data[].risk_reason"), ("missing", "data[].last_reviewed"),
        ("missing", "data[].url"), ("unknown", "data[].grade"), ("unseen", "data[].verification"),
    }  # fmt: skip
    failed = found[found["kind"] == "failed"]
    assert failed["endpoint"].tolist() == ["/api/coverage", "/api/machine/search", "/api/v1/search"]
    states = dict(zip(told.endpoints["endpoint"], told.endpoints["state"], strict=True))
    assert states["/api/v1/changes"] == "not shown"
    assert states["/api/v1/platforms/{id}"] == "not shown"


def test_a_slug_that_is_no_name_is_never_made_part_of_an_address() -> None:
    records = [machine(slug=slug) for slug in ("../../admin", "..", "a/b", "a?b", "", "opal\n")]
    with serving(reply("404 Not Found")) as server, Client(server.url, "k") as client:
        load_contract(client, records)
        asked = {request.split(b" ")[1].partition(b"?")[0] for request in server.asked}
    assert asked == {
        b"/api/v1/platforms",
        b"/api/v1/search",
        b"/api/v1/changes",
        b"/api/machine/search",
        b"/api/coverage",
    }


def test_a_list_that_never_ends_is_left_after_some_pages() -> None:
    page = {"object": "list", "total": 10**9, "limit": 500, "offset": 0, "disclaimer": "x", "data": [{"id": "a"}]}
    with serving(answering(platforms=page)) as server, Client(server.url, "k") as client:
        told = load_contract(client, [])
    assert told.endpoints.set_index("endpoint").loc["/api/v1/platforms", "answers"] == 10
