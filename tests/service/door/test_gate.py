"""Who is let through, and what is refused before it is read."""

from __future__ import annotations

from tests.service.given import Caller


def test_an_address_that_is_too_long_is_refused_before_it_is_read(caller: Caller) -> None:
    assert caller.call("/" + "a" * 5000).status == 414
    assert caller.call("/api/machine/search?q=" + "a" * 10_000).status == 414


def test_headers_that_are_too_long_are_refused_and_their_connection_closed(caller: Caller) -> None:
    reply = caller.call("/api/coverage", headers={"x-long": "a" * 20_000})
    assert (reply.status, reply.headers["connection"]) == (431, "close")
    assert caller.call("/api/coverage", headers={"x-long": "a" * 8_000}).status == 200


def test_a_key_comes_by_either_header_or_the_same_by_both_and_two_keys_by_none(caller: Caller) -> None:
    pro, starter = caller.keys["pro"], caller.keys["starter"]
    sent = (
        {"x-api-key": pro},
        {"authorization": f"bearer  {pro}"},
        {"authorization": f"Bearer {pro}", "x-api-key": pro},
        {"authorization": f"Bearer {starter}", "x-api-key": pro},
        {"authorization": f"Basic {pro}"},
    )
    told = [caller.call("/api/v1/changes", headers=headers) for headers in sent]
    assert [reply.status for reply in told] == [200, 200, 200, 400, 401]
    assert told[4].headers["www-authenticate"] == 'Bearer realm="riskanalytics"'
    assert told[4].headers["vary"] == "Authorization, X-Api-Key"


def test_an_address_that_only_begins_like_the_keyed_ones_needs_no_key(caller: Caller) -> None:
    assert [caller.call(path).status for path in ("/api/v1", "/api/v1/nope", "/api/v10")] == [401, 401, 404]
