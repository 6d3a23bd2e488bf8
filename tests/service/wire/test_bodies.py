"""Bodies of POSTs: one JSON object, not packed, not too long."""

from __future__ import annotations

import pytest

from tests.service.given import Caller

ASK = "/api/verified/ask"


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"content-type": "text/plain"}, b"{}", 415),
        ({"content-type": "application/json", "content-encoding": "gzip"}, b"{}", 415),
        ({"content-type": "application/json"}, b"no json", 400),
        ({"content-type": "application/json"}, b"[" * 60_000, 400),
        ({"content-type": "application/json"}, b"[]", 422),
        ({"content-type": "application/json"}, b" " * 65_537, 413),
        ({"content-type": "application/json", "content-length": "65537"}, b"{}", 413),
        ({"content-type": "application/ld+json; charset=utf-8"}, b'{"question": "Does it train?"}', 200),
    ],
)
def test_a_body_is_one_json_object(caller: Caller, headers: dict[str, str], body: bytes, status: int) -> None:
    assert caller.call(ASK, method="POST", headers=headers, body=body).status == status


def test_a_body_without_use_is_read_only_so_far(caller: Caller) -> None:
    path = "/api/corrections/aurelia-chat"
    assert caller.call(path, method="POST", body=b"x" * 65_536).status == 202
    assert caller.call(path, method="POST", body=b"x" * 65_537).status == 413
    assert caller.call("/api/corrections/nope", method="POST").status == 404


def test_another_sites_page_is_refused_before_its_body_is_read(caller: Caller) -> None:
    sent = {"origin": "https://evil.example", "content-type": "text/plain"}
    assert [caller.call(path, method="POST", headers=sent, body=b"x" * 70_000).status for path in (
        ASK, "/api/corrections/aurelia-chat",
    )] == [403, 403]  # fmt: skip
