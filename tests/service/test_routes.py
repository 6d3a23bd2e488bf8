"""What the service says of itself, and JSON-LD of the machine records as a processor reads it."""

from __future__ import annotations

import shutil
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from pyld import jsonld

from riskanalytics.service.compliance.report import draft
from riskanalytics.service.store.records import UNFINISHED
from tests.service.given import CAFE, PRIVACY, PRIVACY_LATER, PUBLIC_URL, Caller, build_database, by_hand


def without_nulls(value: Any) -> Any:
    """The value in JSON-LD, without nulls and empty maps."""
    if isinstance(value, dict):
        kept = {key: without_nulls(member) for key, member in value.items() if key != "@context" and member is not None}
        return {key: member for key, member in kept.items() if member != {}}
    return [without_nulls(member) for member in value] if isinstance(value, list) else value


def lists_of(value: Any) -> set[str]:
    """The names of all lists in a record, whose order means something."""
    if not isinstance(value, dict):
        return {name for part in value for name in lists_of(part)} if isinstance(value, list) else set()
    parts = {name: part for name, part in value.items() if name != "@context"}
    return {name for name, part in parts.items() if isinstance(part, list)}.union(*map(lists_of, parts.values()))


def test_a_machine_record_expands_and_compacts_again_without_loss(caller: Caller) -> None:
    for slug in ("aurelia-chat", "cafe-lumiere", "northwind-draft"):
        record = caller.call(f"/api/machine/platform/{slug}").json()
        expanded = jsonld.expand(record)
        assert expanded[0]["@type"] == ["https://schema.org/SoftwareApplication"]
        quotes = expanded[0]["urn:riskanalytics:terms:findings"][0]["@list"]
        assert [quote["https://schema.org/text"][0]["@value"] for quote in quotes] == [
            finding["quote"] for finding in record["findings"]
        ]
        assert lists_of(record) >= {"findings", "dates", "documents", "leads"}
        assert {name for name in lists_of(record) if record["@context"][name].get("@container") != "@list"} == set()
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


def test_links_of_a_record_lead_to_the_public_copies_that_the_archive_has(given_database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "copied.sqlite"))
    with by_hand(database) as writer:
        writer.execute(
            "UPDATE state SET documents = json_set(documents, '$[0].archive_url', 'https://copies.example/1')"
        )
    with closing(Caller(database)) as caller:
        record = caller.call("/api/machine/platform/aurelia-chat").json()
        cited = caller.call("/api/v1/platforms/aurelia-chat", tier="pro").json()["citations"]
        (change,) = caller.call("/api/v1/changes", tier="pro").json()["data"]
    first, second = record["documents"]
    assert first["archive_url"] == "https://copies.example/1"
    assert second["archive_url"] == f"{PUBLIC_URL}/archive/{second['snapshot_sha256']}"
    public = {document["snapshot_sha256"]: document["archive_url"] for document in (first, second)}
    for side, text in (("added", PRIVACY_LATER), ("removed", PRIVACY)):
        own = f"{PUBLIC_URL}/archive/{sha256(text.encode()).hexdigest()}"
        assert [one["provenance"]["archive_url"] for one in change[side]] == [own], side
    sources = [finding["provenance"] for finding in record["findings"]]
    assert {(one["snapshot_sha256"], one["archive_url"]) for one in sources} == set(public.items())
    assert [one["source"]["url"] for one in cited] == [one["archive_url"] for one in sources]


def test_no_surface_counts_as_searched_if_one_document_is_in_a_language_that_is_not_read(tmp_path: Path) -> None:
    files = {"Lumen/Privacy Policy/2026-02-01.md": PRIVACY, "Lumen/Terms/2026-02-01.md": f"{CAFE}\n"}
    with closing(Caller(build_database(tmp_path, files))) as caller:
        record = caller.call("/api/machine/platform/lumen").json()
        page = caller.call("/platform/lumen", headers={"accept": "text/html"}).body.decode()
        report = draft(caller.app.state.service, caller.store.platform("lumen") or {})
    assert [(row["document"], row["read"]) for row in record["documents"]] == [
        ("Privacy Policy", True),
        ("Terms", False),
    ]
    assert record["verification_status"] == "partial"
    assert record["searched_without_result"] == []
    assert {row["state"] for row in record["surfaces"].values() if not row["count"]} == {"unread"}
    assert "Not read: 1 document in Chinese.</p>" in page
    assert report.data["read"] == [1, 2]


def test_a_text_that_was_not_read_is_not_named_as_searched(tmp_path: Path) -> None:
    broken = {"Lumen/Privacy Policy/2026-02-01.md": PRIVACY, "Lumen/Terms of Service/2026-02-01.md": "404 Not Found"}
    with closing(Caller(build_database(tmp_path, broken))) as caller:
        record = caller.call("/api/machine/platform/lumen").json()
    assert {tuple(row["snapshots"]) for row in record["searched_without_result"]} == {
        (sha256(PRIVACY.encode()).hexdigest(),)
    }
