"""Literal answers of the open endpoints (specification sections 2.4 and 4.2) and of our additions."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from riskanalytics.extraction import LeadIn, Reading, Roles, Scope
from riskanalytics.models import DISCLAIMER
from riskanalytics.surfaces import SURFACES
from tests.service.given import CAFE, PUBLIC_URL, Caller, give_readings, lead_on

QUOTE = "我们会使用您输入的内容训练我们的模型，以提升回答质量。"


def test_the_machine_record_contains_findings_with_their_provenance(caller: Caller) -> None:
    record = caller.call("/api/machine/platform/cafe-lumiere").json()
    finding = record["findings"][0]
    sha256 = finding["provenance"]["snapshot_sha256"]
    start = CAFE.index(QUOTE)
    assert finding == {
        "id": finding["id"],
        "lead_in": None,
        "quote": QUOTE,
        "surface": "training_use",
        "risk": finding["risk"],
        "polarity": "raises_risk",
        "confidence": finding["confidence"],
        "confidence_interval": finding["confidence_interval"],
        "rule": finding["rule"],
        "read_by": None,
        "scope": {"audience": None, "region": None, "product": None},
        "roles": finding["roles"],
        "conflicts_with": [],
        "duplicate_of": None,
        "verification_status": "verified",
        "provenance": {
            "snapshot_sha256": sha256,
            "archive_url": f"{PUBLIC_URL}/archive/{sha256}",
            "start": start,
            "end": start + len(QUOTE),
            "document": "Privacy Policy",
            "captured_at": "2026-02-01T00:00:00Z",
            "document_url": None,
        },
    }
    low, high = finding["confidence_interval"]
    assert 0 <= low <= finding["confidence"] <= high <= 1
    assert len(finding["id"]) == 20
    assert set(finding["roles"]) == {"actor", "action", "object", "condition"}


def test_responses_contain_roles_and_leads_as_they_were_read(given_database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "read.sqlite"))
    lead = "我们仅在实现目的所必要的期限内保存您的个人信息。"
    roles = Roles("vendor", "会使用", "您输入的内容", None)

    before = CAFE[CAFE.index(lead) - 4 : CAFE.index(lead)]

    def before_lead(text: str) -> LeadIn:
        return LeadIn(before, text.index(lead) - len(before), text.index(lead))

    def read(text: str, reading: Reading) -> Reading:
        findings = tuple(finding._replace(roles=roles) for finding in reading.findings)
        return Reading(
            findings, leads=(lead_on(text, lead, 0.71, scope=Scope(region="CN"), lead_in=before_lead(text)),)
        )

    give_readings(database, "cafe-lumiere", read)
    caller = Caller(database)
    record = caller.call("/api/machine/platform/cafe-lumiere").json()
    found = caller.call("/api/machine/search?q=%E8%AE%AD%E7%BB%83").json()["data"]
    caller.close()
    result = {"actor": "vendor", "action": "会使用", "object": "您输入的内容", "condition": None}
    assert [finding["roles"] for finding in (*record["findings"], *found)] == [result] * (len(record["findings"]) + 1)
    sha256, start = record["documents"][0]["snapshot_sha256"], CAFE.index(lead)
    assert record["leads"] == [
        {
            "id": record["leads"][0]["id"],
            "lead_in": {"quote": before, "start": start - len(before), "end": start},
            "quote": lead,
            "surface": "third_party_sharing",
            "risk": "MED",
            "polarity": "raises_risk",
            "confidence": 0.71,
            "confidence_interval": [0.61, 0.81],
            "rule": "third_party_sharing.written",
            "read_by": None,
            "scope": {"audience": None, "region": "CN", "product": None},
            "roles": {"actor": None, "action": None, "object": None, "condition": None},
            "verification_status": "verified",
            "provenance": {
                "snapshot_sha256": sha256,
                "archive_url": f"{PUBLIC_URL}/archive/{sha256}",
                "start": start,
                "end": start + len(lead),
                "document": "Privacy Policy",
                "captured_at": "2026-02-01T00:00:00Z",
                "document_url": None,
            },
        }
    ]
    assert record["surfaces"]["third_party_sharing"] == {
        "count": 0, "risk": None, "explanation": "not read: a document is in a language that is not read",
        "state": "unread", "to_read": 0, "decided_by": [],
    }  # fmt: skip
    assert record["searched_without_result"] == []


def test_a_platform_without_leads_has_an_empty_list_of_them(caller: Caller) -> None:
    assert caller.call("/api/machine/platform/northwind-draft").json()["leads"] == []
    described = caller.call("/openapi.json").json()["components"]["schemas"]
    assert set(described["Finding"]["properties"]) - set(described["Lead"]["properties"]) == {
        "conflicts_with", "duplicate_of",
    }  # fmt: skip
    assert set(described["Roles"]["properties"]) == {"actor", "action", "object", "condition"}


def test_the_machine_record_has_stance_documents_and_surfaces_without_result(
    caller: Caller,
) -> None:
    record = caller.call("/api/machine/platform/cafe-lumiere").json()
    sha256 = record["documents"][0]["snapshot_sha256"]
    assert record["@type"] == "SoftwareApplication"
    assert record["@id"] == f"{PUBLIC_URL}/platform/cafe-lumiere"
    assert record["url"] == f"{PUBLIC_URL}/platform/cafe-lumiere"
    assert (record["rating"], record["verification_status"]) == ("UNRATED", "unverified")
    assert record["disclaimer"] == DISCLAIMER
    assert record["citation_count"] == 2
    assert record["training_use"] == {
        "stance": "undetermined",
        "consumer_stance": "undetermined",
        "business_stance": None,
        "decided_by": [record["findings"][0]["id"]],
    }
    assert record["documents"] == [
        {
            "document": "Privacy Policy",
            "captured_at": "2026-02-01T00:00:00Z",
            "document_url": None,
            "snapshot_sha256": sha256,
            "state": "good",
            "check": "passed",
            "archive_url": f"{PUBLIC_URL}/archive/{sha256}",
            "newest_capture_at": "2026-02-01T00:00:00Z",
            "language": "zh",
            "read": False,
        }
    ]
    found = {finding["surface"] for finding in record["findings"]}
    states = {name: surface["state"] for name, surface in record["surfaces"].items()}
    read_in_part = dict.fromkeys(found, "found") | {"training_use": "to_read"}
    assert states == dict.fromkeys(SURFACES, "unread") | read_in_part
    assert record["searched_without_result"] == []


def test_the_machine_record_states_the_rating_as_a_review(caller: Caller) -> None:
    for slug, day, stars in (
        ("aurelia-chat", "2026-03-05", {"ratingValue": 2, "bestRating": 1, "worstRating": 3}),
        ("aurelia-chat?as_of=2026-01-31", "2026-01-10", {"ratingValue": 3, "bestRating": 1, "worstRating": 3}),
        ("cafe-lumiere", "2026-02-01", {}),
    ):
        record = caller.call(f"/api/machine/platform/{slug}").json()
        rating = {"@type": "Rating", "name": record["rating"], "ratingExplanation": record["risk_reason"]}
        assert record["review"] == {
            "@type": "Review", "reviewAspect": "intellectual-property and privacy risk", "datePublished": day,
            "reviewRating": rating | stars,
        }  # fmt: skip


def test_a_surface_is_quiet_if_all_documents_were_read_and_no_clause_was_found(caller: Caller) -> None:
    record = caller.call("/api/machine/platform/aurelia-chat").json()
    quiet = {row["surface"]: row["snapshots"] for row in record["searched_without_result"]}
    assert set(quiet) == {name for name, surface in record["surfaces"].items() if surface["state"] == "quiet"}
    assert quiet["human_review"] == [row["snapshot_sha256"] for row in record["documents"]]


def test_a_document_that_is_not_a_policy_leaves_no_surface_searched(caller: Caller) -> None:
    record = caller.call("/api/machine/platform/northwind-draft").json()
    assert record["findings"] == []
    assert record["searched_without_result"] == []
    assert record["documents"][0]["state"] in ("broken", "not_a_policy")


@pytest.mark.parametrize("query", ["", "?as_of=2026-02-10"])
def test_a_platform_without_readable_documents_has_no_stance_and_is_not_silent(caller: Caller, query: str) -> None:
    result = caller.call(f"/api/machine/platform/northwind-draft{query}").json()["training_use"]
    assert result == {"stance": None, "consumer_stance": None, "business_stance": None, "decided_by": []}
    page = caller.call("/platform/northwind-draft", headers={"accept": "text/html"}).body.decode()
    assert "<dt>Training use</dt><dd>Not read</dd>" in page
    plain = caller.call("/platform/northwind-draft", headers={"accept": "text/markdown"}).body.decode()
    assert "- Training use: Not read\n" in plain


@pytest.mark.parametrize("query", ["训练", "模型 训练", "\"训练'", "训练 OR *"])
def test_clauses_are_found_by_two_character_words_and_there_are_no_operators(caller: Caller, query: str) -> None:
    from urllib.parse import quote

    reply = caller.call(f"/api/machine/search?q={quote(query)}").json()
    assert reply["object"] == "list"
    if "OR" not in query:
        assert [row["quote"] for row in reply["data"]] == [QUOTE]
        assert "[[训练]]" in reply["data"][0]["highlighted"]


def test_a_search_can_be_limited_to_a_surface(caller: Caller) -> None:
    def slugs(query: str) -> list[str]:
        return [row["platform"] for row in caller.call(f"/api/machine/search?{query}").json()["data"]]

    assert slugs("q=prompts+train&surface=training_use") == ["aurelia-chat"]
    assert slugs("q=prompts+train&surface=ip_liability") == []
    refused = caller.call("/api/machine/search?q=train&surface=foo")
    assert refused.status == 400
    assert "surface must be one of training_use, " in refused.json()["detail"]


def test_coverage_counts_add_up(caller: Caller) -> None:
    record = caller.call("/api/coverage").json()
    assert {name: record[name] for name in ("tracked", "verified", "partial", "stale", "unverified")} == {
        "tracked": 3, "verified": 1, "partial": 0, "stale": 0, "unverified": 2,
    }  # fmt: skip
    assert record["surfaces"]["training_use"] == 2
    assert record["as_of"] == "2026-03-05"
    then = caller.call("/api/coverage?as_of=2026-01-15").json()
    assert (then["tracked"], then["as_of"]) == (1, "2026-01-15")


def test_coverage_publishes_accuracy_figures_and_the_rating_formula(caller: Caller) -> None:
    extraction = caller.call("/api/coverage").json()["extraction"]
    assert set(extraction) == {"version", "figures", "rating", "finding_from"}
    figures = extraction["figures"]
    assert set(figures) <= {"test", "unseen", "calibrate", "with_readings", "audit", "withdrawn"}
    assert figures["with_readings"]["groups"]["calibrate"]["recall"] == {"value": 0.901, "part": 1120, "whole": 1243}
    assert set(figures["audit"]["findings"]) == {"right", "borderline", "embarrassing", "level", "polarity"}
    result = figures["calibrate"]
    assert {"measured_on", "rules", "documents", "platforms", "families", "labels", "firm"} <= set(result)
    assert set(result["groups"]["all"]) == {
        "precision", "recall", "high", "level", "polarity", "sure", "leads", "calibration_error",
    }  # fmt: skip
    share = {"value", "low", "high", "part", "whole", "families"}
    assert set(result["groups"]["all"]["precision"]) == share
    assert set(result["reliability"]["learned"][0]) == {"from", "to", "stated", *share}
    assert set(figures["withdrawn"]["groups"]["never_seen"]["precision"]) == share - {"families"}
    assert set(extraction["rating"]) == {"version", "weights", "points", "high_from", "low_below", "steps"}


def test_a_surface_lists_the_findings_that_decided_its_level(caller: Caller) -> None:
    record = caller.call("/api/machine/platform/aurelia-chat").json()
    known = {finding["id"] for finding in record["findings"]}
    rated = [surface for surface in record["surfaces"].values() if surface["risk"]]
    assert rated
    assert all(surface["decided_by"] and set(surface["decided_by"]) <= known for surface in rated)


@pytest.mark.parametrize("name", ["0" * 64, "abc", "..%2f..", "A" * 64])
def test_an_unknown_snapshot_is_not_found(caller: Caller, name: str) -> None:
    assert caller.call(f"/archive/{name}").status == 404


def test_the_public_page_is_html_for_people_and_json_for_agents(caller: Caller) -> None:
    page = caller.call("/platform/aurelia-chat", headers={"accept": "text/html,*/*;q=0.8", "user-agent": "Mozilla/5.0"})
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert caller.call("/platform/aurelia-chat").json()["slug"] == "aurelia-chat"
    agent = caller.call("/platform/aurelia-chat", headers={"accept": "*/*", "user-agent": "SomeBot/1.0"})
    assert agent.json()["slug"] == "aurelia-chat"
    assert caller.call("/platform/aurelia-chat", headers={"accept": "image/png"}).status == 406


def test_every_quote_is_at_its_offsets_in_the_served_snapshot(caller: Caller) -> None:
    for slug in ("aurelia-chat", "cafe-lumiere"):
        for finding in caller.call(f"/api/machine/platform/{slug}").json()["findings"]:
            source = finding["provenance"]
            text = caller.call(f"/archive/{source['snapshot_sha256']}").body.decode()
            assert text[source["start"] : source["end"]] == finding["quote"]


def test_a_snapshot_is_kept_for_good_and_runs_nothing(caller: Caller) -> None:
    sha256 = caller.call("/api/machine/platform/aurelia-chat").json()["documents"][0]["snapshot_sha256"]
    headers = caller.call(f"/archive/{sha256}").headers
    assert headers["content-security-policy"] == "sandbox"
    assert headers["content-type"] == "text/markdown; charset=utf-8"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"


def test_json_has_no_spaces_and_texts_end_with_a_newline(caller: Caller) -> None:
    body = caller.call("/api/machine/platform/cafe-lumiere").body
    assert body == json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":")).encode()
    for path in ("/llms.txt", "/llms-full.txt"):
        assert caller.call(path).body.endswith(b"\n")
