"""Queries, bodies, entity tags and packed answers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from fastapi import Request

from riskanalytics.service.store.files import backup
from riskanalytics.service.store.write import Writer
from riskanalytics.service.wire import Service, stance_sentence
from riskanalytics.settings.databases import Place
from tests.service.given import Caller

ASK = "/api/verified/ask"
PATHS = [
    "/api/coverage",
    "/api/machine/platform/aurelia-chat",
    "/health",
    "/openapi.json",
    "/platform/aurelia-chat",
]


@pytest.mark.parametrize("path", PATHS)
def test_a_client_that_has_the_response_gets_304(caller: Caller, path: str) -> None:
    first = caller.call(path)
    again = caller.call(path, headers={"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    strong = first.headers["etag"].removeprefix("W/")  # tags are compared weakly (RFC 9110 section 13.1.2)
    assert caller.call(path, headers={"if-none-match": f'"other", {strong}'}).status == 304


def test_the_entity_tag_of_a_pro_response_does_not_work_for_starter(caller: Caller) -> None:
    pro = caller.call("/api/v1/platforms/aurelia-chat", tier="pro")
    starter = caller.call(
        "/api/v1/platforms/aurelia-chat", tier="starter", headers={"if-none-match": pro.headers["etag"]}
    )
    assert starter.status == 200
    assert "citations" not in starter.json()
    assert "Authorization" in pro.headers["vary"]
    for path in ("/api/v1/platforms", "/api/v1/platforms/aurelia-chat", "/api/v1/search?q=a", "/api/v1/changes"):
        headers = caller.call(path, tier="pro").headers
        assert (headers["cache-control"], headers["vary"].partition(", Accept")[0]) == (
            "private, no-cache", "Authorization, X-Api-Key",
        )  # fmt: skip
        again = caller.call(path, tier="pro", headers={"if-none-match": headers["etag"]})
        assert (again.status, again.headers["cache-control"]) == (304, "private, no-cache")


def test_the_first_page_may_be_asked_for_by_its_offset_and_the_largest_limit(caller: Caller) -> None:
    assert caller.call("/api/v1/platforms?limit=500&offset=0", tier="starter").json()["total"] == 3


def test_a_pro_response_is_never_sent_to_other_tiers(caller: Caller) -> None:
    for path in ("/api/v1/changes", "/api/v1/changes?limit=1"):
        assert caller.call(path, tier="pro").status == 200
        assert caller.call(path, tier="starter").status == 403
        assert caller.call(path).status == 401
        assert caller.call(path, tier="pro").json()["total"] == 1


def test_an_entity_tag_identifies_one_database_state_and_one_form_of_a_response(copied_place: Place) -> None:
    caller = Caller(copied_place)
    path = "/platform/aurelia-chat"
    forms = [{"accept": kind} for kind in ("text/html", "application/json", "text/markdown")]
    tags = [caller.call(path, headers=form).headers["etag"] for form in forms]
    assert len(set(tags)) == 3
    assert [caller.call(path, headers=form).headers["etag"] for form in forms] == tags
    with Writer(copied_place) as writer, writer.transaction():
        writer.remember("word", "new")
    for form, tag in zip(forms, tags, strict=True):
        later = caller.call(path, headers=form | {"if-none-match": tag})
        assert (later.status, later.headers["etag"] == tag) == (200, False)
    caller.close()


def test_other_addresses_queries_services_and_versions_of_the_package_have_other_entity_tags(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [
        "/api/machine/platform/aurelia-chat", "/api/machine/platform/cafe-lumiere",
        "/api/machine/platform/aurelia-chat?as_of=2026-01-31", "/api/machine/search?q=data", "/api/machine/search?q=train",
    ]  # fmt: skip
    tags = {caller.call(path).headers["etag"] for path in paths}
    request = Request({"type": "http", "path": "/", "query_string": b"", "headers": []})
    tags |= {Service(caller.store, url).reply(request, dict).headers["etag"] for url in ("https://a.example", None)}
    assert len(tags) == len(paths) + 2
    monkeypatch.setattr("riskanalytics.service.wire.package_hash", lambda: "a newer package")
    assert tags.isdisjoint(caller.call(path).headers["etag"] for path in paths)


def test_links_lead_to_a_public_copy_first_and_to_no_service_without_an_address(caller: Caller) -> None:
    public, private = Service(caller.store, "https://a.example/r/"), Service(caller.store, None)
    assert public.archived("ab") == "https://a.example/r/archive/ab"
    assert public.address("opal") == "https://a.example/r/platform/opal"
    assert (private.archived("ab"), private.address("opal")) == (None, None)
    for service in (public, private):
        assert service.archived("ab", "https://copies.example/1") == "https://copies.example/1"


def test_a_response_is_built_from_one_database_state(given_database: Path, tmp_path: Path) -> None:
    database = tmp_path / "copy.sqlite"
    backup(given_database, database)
    caller = Caller(database)

    def result() -> bytes:
        before = caller.store.meta("word")
        with Writer(database) as writer, writer.transaction():
            writer.remember("word", "new")
        return f"{before} {caller.store.meta('word')}".encode()

    request = Request({"type": "http", "path": "/", "query_string": b"", "headers": []})
    service = Service(caller.store, "https://a.example")
    assert [service.reply(request, result).body for _ in range(2)] == [b"None None", b"new new"]
    caller.close()


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [("gzip, br", True), ("br;q=1, gzip;q=0.5", True), ("br", False), ("", False)],
)
def test_long_responses_are_compressed_for_clients_that_accept_gzip(
    caller: Caller, accepted: str, packed: bool
) -> None:
    path = "/api/machine/platform/aurelia-chat"
    reply = caller.call(path, headers={"accept-encoding": accepted})
    assert (reply.headers.get("content-encoding") == "gzip") is packed
    assert (gzip.decompress(reply.body) if packed else reply.body) == caller.call(path).body
    assert reply.headers["vary"] == "Accept-Encoding, Origin"
    assert caller.call("/health").headers["vary"] == "Origin"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("limit=1&limit=2", "A query parameter was given more than once."),
        ("limit=0", "limit should be greater than or equal to 1."),
        ("limit=501", "limit should be less than or equal to 500."),
        ("limit=1e1", "limit should be a whole number."),
        ("offset=-1", "offset should be a whole number."),
        ("limit=\u0661", "limit should be a whole number."),
        ("limit=0000000005", "limit should be a whole number."),
        ("as_of=2026-1-31", "as_of should be a date like 2026-01-31."),
        ("as_of=20260131", "as_of should be a date like 2026-01-31."),
        ("canary=1", "Unknown query parameter. Known parameters: limit, offset, as_of."),
    ],
)
def test_a_wrong_query_is_refused_in_one_sentence(caller: Caller, query: str, sentence: str) -> None:
    reply = caller.call(f"/api/v1/platforms?{query}", tier="starter")
    assert (reply.status, reply.json()["detail"]) == (400, sentence)


@pytest.mark.parametrize(
    ("method", "path", "known"),
    [
        ("GET", "/health?canary=1", "none"),
        ("POST", "/api/corrections/aurelia-chat?Idempotency-Key=1", "none"),
        ("GET", "/api/machine/platform/aurelia-chat?slug=aurelia-chat", "as_of"),
        ("GET", "/api/v1/changes?change_class=material", "limit, offset, since, until, class"),
    ],
)
def test_an_address_takes_the_parameters_of_its_query_only(caller: Caller, method: str, path: str, known: str) -> None:
    reply = caller.call(path, method=method, tier="pro" if "/v1/" in path else "")
    assert (reply.status, reply.json()["detail"]) == (400, f"Unknown query parameter. Known parameters: {known}.")


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": "text/plain"}, b"{}", 415),
        ({"content-type": "application/json", "content-encoding": "gzip"}, b"\x1f\x8b", 415),
        ({"content-type": "application/json"}, b"no json", 400),
        ({"content-type": "application/json"}, b"[" * 60_000, 400),
        ({"content-type": "application/json"}, b"[]", 422),
        ({"content-type": "application/json"}, b" " * 65_537, 413),
        ({"content-type": "application/ld+json; charset=utf-8"}, b'{"question": "Does it train?"}', 200),
        ({"content-type": "Application/JSON", "content-encoding": " Identity"}, b'{"question": "Does it train?"}', 200),
        ({"content-type": "text/json"}, b'{"question": "Does it train?"}', 415),
        ({}, b'{"question": "Does it train?"}', 415),
    ],
)
def test_a_body_must_be_a_json_object(caller: Caller, headers: dict[str, str], body: bytes, status: int) -> None:
    assert caller.call(ASK, method="POST", headers=headers, body=body).status == status


def test_an_unused_body_is_read_only_up_to_the_limit(caller: Caller) -> None:
    path = "/api/corrections/aurelia-chat"
    assert caller.call(path, method="POST", body=b"x" * 65_536).status == 202
    assert caller.call(path, method="POST", body=b"x" * 65_537).status == 413
    assert caller.call("/api/corrections/nope", method="POST").status == 404


def test_a_page_of_another_site_is_refused_before_its_body_is_read(caller: Caller) -> None:
    sent = {"origin": "https://evil.example", "content-type": "text/plain"}
    assert [caller.call(path, method="POST", headers=sent, body=b"x" * 70_000).status for path in (
        ASK, "/api/corrections/aurelia-chat",
    )] == [403, 403]  # fmt: skip


def test_an_undetermined_stance_is_reported_as_undetermined() -> None:
    assert stance_sentence("undetermined").startswith("The documents do not settle whether user content trains models")
    assert stance_sentence("does_not_train") == "The documents say that it does not train on user content."
    assert stance_sentence("trains_with_opt_in") == (
        "The documents say that it trains on user content only where the user opts in."
    )
    assert stance_sentence("silent") == (
        "No clause found on whether user content trains models. Silence is not a promise."
    )
