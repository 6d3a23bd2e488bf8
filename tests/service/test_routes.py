"""What the service says of itself, and JSON-LD of the machine records as a processor reads it."""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from pyld import jsonld

from riskanalytics.service.store.records import UNFINISHED
from tests.service.given import PRIVACY, Caller, build_database


def without_nulls(value: Any) -> Any:
    """The value in JSON-LD, without nulls and empty maps."""
    if isinstance(value, dict):
        kept = {key: without_nulls(member) for key, member in value.items() if key != "@context" and member is not None}
        return {key: member for key, member in kept.items() if member != {}}
    return [without_nulls(member) for member in value] if isinstance(value, list) else value


def test_a_machine_record_expands_and_compacts_again_without_loss(caller: Caller) -> None:
    for slug in ("aurelia-chat", "cafe-lumiere", "northwind-draft"):
        record = caller.call(f"/api/machine/platform/{slug}").json()
        expanded = jsonld.expand(record)
        assert expanded[0]["@type"] == ["https://schema.org/SoftwareApplication"]
        quotes = expanded[0]["urn:riskanalytics:terms:findings"][0]["@list"]
        assert [quote["https://schema.org/text"][0]["@value"] for quote in quotes] == [
            finding["quote"] for finding in record["findings"]
        ]
        compacted = jsonld.compact(expanded, record["@context"])
        assert without_nulls(compacted) == without_nulls(record)


def test_a_healthy_service_has_no_faults_and_its_health_is_not_cached(caller: Caller) -> None:
    reply = caller.call("/health")
    assert reply.json() == {"status": "ok", "newest_capture": caller.store.newest, "faults": []}
    assert reply.headers["cache-control"] == "no-store"


def test_health_names_each_fault(caller: Caller) -> None:
    meta = caller.store.meta
    caller.store.meta = lambda name: "1" if name == UNFINISHED else meta(name)
    caller.access.trouble = caller.app.state.limiter.trouble = True
    result = caller.call("/health").json()
    assert result["status"] == "degraded"
    assert [fault.split(":")[0] for fault in result["faults"]] == [
        "rate limits are not enforced",
        "corrections and subscriptions must wait",
        "an ingest is running, or was interrupted and must be repeated",
    ]


def test_a_text_that_was_not_read_is_not_named_as_searched(tmp_path: Path) -> None:
    broken = {"Lumen/Privacy Policy/2026-02-01.md": PRIVACY, "Lumen/Terms of Service/2026-02-01.md": "404 Not Found"}
    with closing(Caller(build_database(tmp_path, broken))) as caller:
        record = caller.call("/api/machine/platform/lumen").json()
    assert {tuple(row["snapshots"]) for row in record["searched_without_result"]} == {
        (sha256(PRIVACY.encode()).hexdigest(),)
    }
