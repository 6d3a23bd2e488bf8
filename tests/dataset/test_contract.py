"""Drift of a service's answers: none against our own service, and told by endpoint where there is some."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics import analysis
from riskanalytics.client import Client
from riskanalytics.client.connection import recorded
from riskanalytics.dataset.checks import load_contract
from riskanalytics.dataset.loading import load_records
from tests.frames.test_contract import MACHINE, finding, machine
from tests.http_server import reply, served, serving
from tests.service.given import Caller, build_database


@pytest.mark.parametrize("tier", ["", "starter", "pro"])
def test_our_own_service_matches_the_contract_with_any_key(tier: str, tmp_path: Path) -> None:
    caller = Caller(build_database(tmp_path))
    with served(caller.app) as address, Client(address, caller.keys[tier] if tier else None) as client:
        result = load_contract(client, load_records(client))
    caller.close()
    found = analysis.contract_drift(result.differences, result.endpoints)
    assert found[found["drift"]].to_dict("records") == []
    assert set(found["kind"]) == {"addition"}
    states = dict(zip(result.endpoints["endpoint"], result.endpoints["state"], strict=True))
    keyed = {"": "no key"}.get(tier, "compared")
    changes = {"": "no key", "starter": "not shown"}.get(tier, "compared")
    assert states == {
        MACHINE: "compared", "/api/machine/search": "compared", "/api/coverage": "compared", "/api/v1/platforms": keyed,
        "/api/v1/platforms/{id}": keyed, "/api/v1/search": keyed, "/api/v1/changes": changes,
    }  # fmt: skip


@pytest.mark.slow
def test_the_demo_matches_the_contract() -> None:
    with ra.connect() as client:
        result = load_contract(client, load_records(client))
    assert set(result.differences["kind"]) == {"addition"}
    assert result.endpoints.set_index("endpoint").loc[MACHINE, "answers"] > 300


def answering(**answers: Any) -> Callable[[bytes], bytes]:
    """Answer by what the path ends with; 404 elsewhere."""

    def answer(request: bytes) -> bytes:
        path = re.match(rb"GET ([^ ?]+)", request)
        name = path[1].decode().rpartition("/")[2] if path else ""
        result = answers.get(name)
        return (
            result
            if isinstance(result, bytes)
            else reply("200 OK" if result else "404 Not Found", json.dumps(result).encode())
        )

    return answer


def test_drift_failures_and_refusals_are_reported_by_endpoint() -> None:
    listed = {"object": "list", "total": 1, "limit": 500, "offset": 0, "disclaimer": "x"}
    row = {"id": "opal", "name": "Opal", "grade": "B", "rating": "MED", "verification": "gold"}
    answer = answering(
        platforms=listed | {"data": [row]},
        coverage=reply("400 Bad Request"),
        changes=reply("402 Payment Required"),
        search=[1],
    )
    with serving(answer) as server, Client(server.url, "k") as client:
        result = load_contract(client, [machine(finding())])
    found = analysis.contract_drift(result.differences, result.endpoints)
    of_list = found[(found["endpoint"] == "/api/v1/platforms") & found["drift"]]
    assert set(zip(of_list["kind"], of_list["field"], strict=True)) == {
        ("missing", "data[].website"), ("missing", "data[].risk_reason"), ("missing", "data[].last_reviewed"),
        ("missing", "data[].url"), ("unknown", "data[].grade"), ("unseen", "data[].verification"),
    }  # fmt: skip
    failed = found[found["kind"] == "failed"]
    assert failed["endpoint"].tolist() == ["/api/coverage", "/api/machine/search", "/api/v1/search"]
    states = dict(zip(result.endpoints["endpoint"], result.endpoints["state"], strict=True))
    assert states["/api/v1/changes"] == "not shown"
    assert states["/api/v1/platforms/{id}"] == "not shown"
    ends = [name for name in states if name not in ("/api/v1/search", "/api/machine/search")]
    rows = result.endpoints.set_index("endpoint").loc[ends, ["answers", "status"]].fillna(0)
    assert dict(zip(ends, rows.values.tolist(), strict=True)) == {
        MACHINE: [1, 0], "/api/v1/platforms": [1, 0], "/api/v1/platforms/{id}": [0, 404], "/api/v1/changes": [0, 402],
        "/api/coverage": [0, 400],
    }  # fmt: skip


def test_a_sample_of_twelve_platforms_and_the_name_of_the_first_are_asked_for() -> None:
    asked: list[tuple[str, dict[str, str]]] = []

    def answer(path: str, query: Mapping[str, str]) -> tuple[int, str, bytes]:
        asked.append((path, dict(query)))
        return 200, "application/json", b"{}"

    records = [machine(slug=f"p{number}", name=None if number < 3 else f"N{number}") for number in range(15)]
    with Client("https://a.example", "k", transport=recorded(answer)) as client:
        endpoints = load_contract(client, records).endpoints.set_index("endpoint")
    assert endpoints.loc["/api/v1/platforms/{id}", ["answers", "state"]].tolist() == [12, "compared"]
    assert len({path for path, _ in asked if path.startswith("/api/v1/platforms/p")}) == 12
    searches = [(path, query["q"]) for path, query in asked if "q" in query]
    assert searches == [("/api/v1/search", "N3"), ("/api/machine/search", "data")]


def test_an_invalid_slug_never_becomes_part_of_an_address() -> None:
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
