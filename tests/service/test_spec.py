"""Each reading row of the specification has a route; each route is a row of it or of the table in docs/interface.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from riskanalytics.surfaces import SURFACES
from tests.service.given import Caller

SPECIFIED = {
    "/api/v1/platforms",
    "/api/v1/platforms/{id}",
    "/api/v1/search",
    "/api/v1/changes",
    "/api/machine/platform/{slug}",
    "/api/machine/search",
    "/api/coverage",
    "/api/verified/export/{slug}",
    "/api/verified/ask",
    "/platform/{slug}",
    "/llms.txt",
    "/api/corrections/{slug}",
    "/llms-full.txt",
    "/api/mcp",
}
SPECIFIED_MEMBERS = {
    "object", "total", "limit", "offset", "disclaimer", "data", "id", "name", "website", "rating", "risk_reason",
    "last_reviewed", "url", "verification", "quote", "surface", "risk", "confidence", "verification_status", "provenance",
}  # fmt: skip
"""Specification sections 2.1, 2.2 and 2.4."""


def test_every_route_is_specified_or_listed_as_an_addition(caller: Caller) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "interface.md").read_text(encoding="utf-8")
    declared = set(re.findall(r"^\| `GET (/[^`?]*)`", page, re.M))
    described = set(caller.call("/openapi.json").json()["paths"]) | {"/openapi.json"}
    assert described - SPECIFIED == declared
    assert described >= SPECIFIED


def test_every_response_field_is_specified_described_or_documented(caller: Caller) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "interface.md").read_text(encoding="utf-8")
    described = set(_members(caller.call("/openapi.json").json()["components"]["schemas"]))
    result = set(re.findall(r"`(\w+)`", page)) | SPECIFIED_MEMBERS | set(SURFACES) | described
    answers = [
        *(
            caller.call(f"/api/v1/{path}", tier="pro")
            for path in ("platforms/aurelia-chat", "search?q=cafe", "changes")
        ),
        caller.call("/api/machine/platform/aurelia-chat?as_of=2026-03-05"),
        caller.call("/api/machine/search?q=train"),
        caller.call("/api/coverage"),
        caller.post("/api/verified/ask", {"question": "Which platforms train on prompts?"}),
        caller.post("/api/verified/ask", {"question": "Who indemnifies me?", "platform": "aurelia-chat"}),
        caller.call("/api/corrections/aurelia-chat", method="POST"),
        caller.call("/health"),
    ]
    members = {name for reply in answers for name in _members(reply.json()) if not name.startswith("@")}
    assert {"direction", "without_result", "requested_at"} <= members
    assert not members - result, sorted(members - result)


def _members(value: Any) -> Iterator[str]:
    """Names of all members, those of JSON-LD and of schema.org apart."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from () if name in ("@context", "review") else _members(part)
    elif isinstance(value, list):
        for part in value:
            yield from _members(part)
