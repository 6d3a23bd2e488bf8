"""Literal answers of the correction trigger (specification section 4.2)."""

from __future__ import annotations

import pytest

from riskanalytics.models import DISCLAIMER
from tests.service.given import PUBLIC_URL, Caller

PATH = "/api/corrections/aurelia-chat"


def test_a_correction_is_accepted_and_its_outcome_has_an_address(caller: Caller) -> None:
    reply = caller.call(PATH, method="POST")
    record = reply.json()
    assert reply.status == 202
    assert record == {
        "object": "review",
        "id": record["id"],
        "platform": "aurelia-chat",
        "state": "queued",
        "requested_at": record["requested_at"],
        "finished_at": None,
        "outcome": {},
        "url": f"{PUBLIC_URL}{PATH}/{record['id']}",
        "disclaimer": DISCLAIMER,
    }
    assert reply.headers["location"] == record["url"]
    assert reply.headers["cache-control"] == "no-store"
    assert caller.call(f"{PATH}/{record['id']}").json() == record
    assert caller.call(f"/api/corrections/cafe-lumiere/{record['id']}").status == 404
    assert caller.call(PATH, method="POST").json()["id"] == record["id"]


def test_an_idempotency_key_repeats_its_review_and_is_refused_for_another_platform(caller: Caller) -> None:
    sent = {"idempotency-key": "one"}
    first = caller.call(PATH, method="POST", headers=sent).json()
    assert caller.call(PATH, method="POST", headers=sent).json() == first
    assert caller.call("/api/corrections/cafe-lumiere", method="POST", headers=sent).status == 422


@pytest.mark.parametrize(
    ("path", "method", "headers", "status"),
    [
        ("/api/corrections/nobody", "POST", {}, 404),
        (PATH, "GET", {}, 405),
        (PATH + "/0123456789abcdef", "GET", {}, 404),
        (PATH + "?x=1", "POST", {}, 400),
        (PATH, "POST", {"idempotency-key": "two words"}, 400),
        (PATH, "POST", {"idempotency-key": "!" * 255}, 202),
        (PATH, "POST", {"idempotency-key": "!" * 256}, 400),
        (PATH, "POST", {"origin": "https://evil.example"}, 403),
        (PATH, "POST", {"origin": "null"}, 403),
        (PATH, "POST", {"sec-fetch-site": "cross-site"}, 403),
        (PATH, "POST", {"sec-fetch-site": "same-site"}, 403),
        (PATH, "POST", {"origin": PUBLIC_URL, "sec-fetch-site": "same-origin"}, 202),
        (PATH, "POST", {"origin": PUBLIC_URL.upper() + ":443"}, 202),
        (PATH, "POST", {"content-length": "1000000"}, 413),
    ],
)
def test_invalid_correction_requests_are_refused(
    caller: Caller, path: str, method: str, headers: dict[str, str], status: int
) -> None:
    assert caller.call(path, method=method, headers=headers).status == status
