"""Literal answers at the limits (specification section 8; RFC 6585; IETF ratelimit-headers-10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riskanalytics.service import Pace
from tests.service.given import Caller

LISTED = "/api/v1/platforms?limit=1"


@pytest.fixture
def paced(given_database: Path) -> Iterator[Caller]:
    made = Caller(given_database, Pace(reads=3, posts=1))
    yield made
    made.close()


def test_a_starter_key_has_sixty_requests_per_minute_and_sees_how_many_are_left(paced: Caller) -> None:
    first = paced.call(LISTED, tier="starter")
    assert first.headers["ratelimit-policy"] == '"starter";q=60;w=60'
    assert first.headers["ratelimit"] == '"starter";r=59;t=60'
    assert [paced.call(LISTED, tier="starter").status for _ in range(60)] == [200] * 59 + [429]
    refused = paced.call(LISTED, tier="starter")
    wait = int(refused.headers["retry-after"])
    assert 1 <= wait <= 60
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json() == {
        "type": "https://iana.org/assignments/http-problem-types#quota-exceeded",
        "title": "Too many requests",
        "status": 429,
        "detail": f"More than 60 requests per minute: wait {wait} s.",
        "instance": f"urn:riskanalytics:request:{refused.headers['x-request-id']}",
        "violated-policies": ["starter"],
    }


def test_pro_has_three_hundred_and_enterprise_no_limit(paced: Caller) -> None:
    assert paced.call(LISTED, tier="pro").headers["ratelimit"] == '"pro";r=299;t=60'
    assert "ratelimit" not in paced.call(LISTED, tier="enterprise").headers


def test_open_reads_are_limited_by_address_and_health_is_not(paced: Caller) -> None:
    assert [paced.call("/api/coverage").status for _ in range(4)] == [200, 200, 200, 429]
    refused = paced.call("/api/coverage", headers={"origin": "https://elsewhere.example"})
    assert (refused.status, refused.headers["access-control-allow-origin"]) == (429, "*")
    assert paced.call("/health").status == 200
    assert paced.call("/api/coverage", peer="203.0.113.9").status == 200
    assert paced.call("/api/mcp", method="POST").status == 503


def test_guessing_keys_is_limited_like_open_reads(paced: Caller) -> None:
    sent = {"x-api-key": "svc_guess"}
    assert [paced.call(LISTED, headers=sent).status for _ in range(4)] == [401, 401, 401, 429]
    assert paced.call(LISTED, tier="starter").status == 200


def test_a_forwarded_address_is_not_trusted(paced: Caller) -> None:
    for number in range(3):
        paced.call("/api/coverage", headers={"x-forwarded-for": f"203.0.113.{number}"})
    assert paced.call("/api/coverage", headers={"x-forwarded-for": "203.0.113.99"}).status == 429


def test_tool_calls_are_limited_like_other_posts(paced: Caller) -> None:
    assert [paced.call("/api/mcp", method="POST").status == 429 for _ in range(3)] == [False, True, True]
