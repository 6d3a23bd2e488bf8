"""Literal answers of the keyed endpoints, written from the specification (sections 2.1 to 2.3, 4.1, 5)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from riskanalytics.models import DISCLAIMER
from riskanalytics.surfaces import SURFACES
from tests.service.given import PRIVACY, PRIVACY_LATER, PUBLIC_URL, Caller, by_hand

QUOTE = "We do not use your prompts to train our models."


def test_the_list_response_is_the_envelope_of_the_specification(caller: Caller) -> None:
    reply = caller.call("/api/v1/platforms?limit=1&offset=1", tier="starter")
    record = reply.json()["data"][0]
    assert reply.status == 200
    assert reply.json() == {
        "object": "list",
        "total": 3,
        "limit": 1,
        "offset": 1,
        "disclaimer": DISCLAIMER,
        "data": [
            {
                "id": "cafe-lumiere",
                "name": "Café Lumière",
                "website": None,
                "rating": record["rating"],
                "risk_reason": record["risk_reason"],
                "last_reviewed": "2026-02-01",
                "verification": "unverified",
                "url": f"{PUBLIC_URL}/platform/cafe-lumiere",
            }
        ],
    }
    assert record["risk_reason"].startswith(f"{record['rating']}: 2 citations extracted")


def test_a_platform_without_readable_documents_is_unrated_not_low(caller: Caller) -> None:
    (record,) = caller.call("/api/v1/search?q=northwind", tier="starter").json()["data"]
    assert record["rating"] == "UNRATED"
    assert record["risk_reason"] == "UNRATED: 0 citations extracted"
    assert record["verification"] == "unverified"


def test_the_detail_on_starter_has_counts_per_surface_and_no_citations(caller: Caller) -> None:
    record = caller.call("/api/v1/platforms/aurelia-chat", tier="starter").json()
    assert set(record) == {
        "id", "name", "website", "rating", "risk_reason", "last_reviewed", "verification", "url", "surfaces",
        "citation_count", "citations_available", "disclaimer",
    }  # fmt: skip
    assert record["citations_available"] is False
    assert list(record["surfaces"]) == list(SURFACES)
    assert record["surfaces"]["content_license"] == {"count": 1, "risk": "HIGH"}
    assert record["surfaces"]["human_review"] == {"count": 0, "risk": None}


@pytest.mark.parametrize("tier", ["pro", "enterprise"])
def test_the_detail_on_pro_has_verbatim_citations_with_their_source(caller: Caller, tier: str) -> None:
    record = caller.call("/api/v1/platforms/aurelia-chat", tier=tier).json()
    sha256 = record["citations"][0]["source"]["snapshot_sha256"]
    start = PRIVACY_LATER.index(QUOTE)
    assert record["citations"][0] == {
        "quote": QUOTE,
        "lead_in": None,
        "surface": "training_use",
        "risk": "LOW",
        "source": {
            "document": "Privacy Policy",
            "url": f"{PUBLIC_URL}/archive/{sha256}",
            "snapshot_sha256": sha256,
            "start": start,
            "end": start + len(QUOTE),
        },
    }
    assert caller.call(f"/archive/{sha256}").body.decode() == PRIVACY_LATER


def test_a_citation_has_the_same_lead_in_as_its_finding(given_database: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "led.sqlite"))
    with by_hand(database) as writer:
        writer.execute("UPDATE finding SET lead_in = 'We', lead_start = 3, lead_end = 5")
    caller = Caller(database)
    record = caller.call("/api/v1/platforms/aurelia-chat", tier="pro").json()
    found = caller.call("/api/machine/platform/aurelia-chat").json()["findings"]
    caller.close()
    assert [row["lead_in"] for row in record["citations"]] == [row["lead_in"] for row in found]
    assert record["citations"][0]["lead_in"] == {"quote": "We", "start": 3, "end": 5}


def test_changes_are_newest_first_with_values_before_and_after(caller: Caller) -> None:
    (change,) = caller.call("/api/v1/changes", tier="pro").json()["data"]
    assert change["platform"] == "aurelia-chat"
    assert change["class"] == "material"
    assert change["surfaces"] == ["training_use"]
    assert change["direction"] == "down"
    assert (change["stance_before"], change["stance_after"]) == ("trains_by_default", "does_not_train")
    assert change["reviewed_at"] == "2026-03-05T00:00:00Z"
    assert [row["quote"] for row in change["added"]] == [QUOTE]
    assert [row["quote"] for row in change["removed"]] == ["We use the prompts you enter to train our models."]
    assert change["url"] == f"{PUBLIC_URL}/platform/aurelia-chat"
    for side, snapshot in (("added", "snapshot_after"), ("removed", "snapshot_before")):
        source = change[side][0]["provenance"]
        assert (source["snapshot_sha256"], source["archive_url"]) == (
            change[snapshot], f"{PUBLIC_URL}/archive/{change[snapshot]}",
        )  # fmt: skip
    assert set(change) == {
        "id", "platform", "name", "document", "reviewed_at", "class", "surfaces", "direction", "rating_before",
        "rating_after", "stance_before", "stance_after", "snapshot_before", "snapshot_after", "added", "removed",
        "altered", "cause", "silent_edit", "summary", "directions", "url",
    }  # fmt: skip


def test_changes_can_be_limited_to_days_and_a_class(caller: Caller) -> None:
    def total(query: str) -> int:
        return caller.call(f"/api/v1/changes?{query}", tier="pro").json()["total"]

    assert total("since=2026-03-05&until=2026-03-05") == 1
    assert total("since=2026-03-06") == 0
    assert total("until=2026-03-04") == 0
    assert total("class=material") == 1
    assert total("class=format") == 0
    assert caller.call("/api/v1/changes?offset=1", tier="pro").json()["data"] == []


def test_a_past_day_shows_the_state_of_that_day_and_echoes_it(caller: Caller) -> None:
    then = caller.call("/api/v1/platforms?as_of=2026-01-31", tier="starter").json()
    assert then["as_of"] == "2026-01-31"
    assert (then["total"], [row["id"] for row in then["data"]]) == (1, ["aurelia-chat"])
    detail = caller.call("/api/v1/platforms/aurelia-chat?as_of=2026-01-31", tier="pro").json()
    assert detail["as_of"] == "2026-01-31"
    assert PRIVACY[detail["citations"][0]["source"]["start"] :].startswith(detail["citations"][0]["quote"])


@pytest.mark.parametrize("query", ["lumiere", "Lumière", "LUMIERE", "café lumière", "Lumeire"])
def test_names_are_found_with_typos_and_without_diacritics(caller: Caller, query: str) -> None:
    (record,) = caller.call(f"/api/v1/search?q={query.replace(' ', '+')}", tier="starter").json()["data"]
    assert record["id"] == "cafe-lumiere"


def test_found_names_and_clauses_are_listed_in_pages(caller: Caller) -> None:
    for path in ("/api/v1/search?q=a", "/api/machine/search?q=personal+data"):
        whole = caller.call(path, tier="starter").json()
        assert (whole["limit"], whole["offset"], whole["total"]) == (50, 0, len(whole["data"]))
        assert len(whole["data"]) > 1
        second = caller.call(f"{path}&limit=1&offset=1", tier="starter").json()
        assert (second["total"], second["data"]) == (whole["total"], whole["data"][1:2])


def test_changes_on_starter_are_refused_with_a_problem(caller: Caller) -> None:
    reply = caller.call("/api/v1/changes", tier="starter")
    assert reply.status == 403
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json() == {
        "type": "urn:riskanalytics:problem:403",
        "title": "Not allowed",
        "status": 403,
        "detail": "Changes need a Pro key.",
        "instance": f"urn:riskanalytics:request:{reply.headers['x-request-id']}",
    }


@pytest.mark.parametrize(
    "path", ["/api/v1/platforms", "/api/v1/platforms/aurelia-chat", "/api/v1/search?q=a", "/api/v1/changes"]
)
def test_a_missing_and_an_unknown_key_are_refused_in_the_same_words(caller: Caller, path: str) -> None:
    missing = caller.call(path)
    unknown = caller.call(path, headers={"x-api-key": "apc_live_" + "0" * 43})
    for reply in (missing, unknown):
        assert reply.status == 401
        assert reply.headers["www-authenticate"].startswith("Bearer")
    assert missing.json()["detail"] == unknown.json()["detail"]


def test_both_headers_accept_a_key_and_two_different_keys_are_refused(caller: Caller) -> None:
    assert caller.call("/api/v1/platforms", headers={"x-api-key": caller.keys["pro"]}).status == 200
    same = {"x-api-key": caller.keys["pro"]}
    assert caller.call("/api/v1/platforms", tier="pro", headers=same).status == 200
    assert caller.call("/api/v1/platforms", tier="starter", headers=same).status == 400


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=-1", "limit=501", "limit=1e3", "limit=%205", "limit=５", "limit=1&limit=2", "offset=-1",
     "as_of=2026-02-30", "as_of=yesterday", "api_key=x", "nonsense=1"],
)  # fmt: skip
def test_a_bad_parameter_is_a_problem_that_names_it(caller: Caller, query: str) -> None:
    reply = caller.call(f"/api/v1/platforms?{query}", tier="pro")
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in reply.body.decode()


def test_an_unknown_platform_is_a_problem_that_does_not_repeat_it(caller: Caller) -> None:
    reply = caller.call("/api/v1/platforms/%3Cscript%3E", tier="pro")
    assert reply.status == 404
    assert "script" not in reply.body.decode()


def test_responses_to_subscribers_are_kept_out_of_shared_caches(caller: Caller) -> None:
    for path in ("/platforms", "/platforms/aurelia-chat", "/search?q=a", "/changes"):
        reply = caller.call(f"/api/v1{path}", tier="pro")
        again = caller.call(f"/api/v1{path}", tier="pro", headers={"if-none-match": reply.headers["etag"]})
        assert (reply.status, again.status) == (200, 304)
        for result in (reply, again):
            assert result.headers["cache-control"] == "private, no-cache"
            assert "X-Api-Key" in result.headers["vary"]
