"""Every answer in JSON is what `models` declares and what the description says: no field more, none less."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from riskanalytics.settings.databases import Place
from tests.service.given import Caller, give_readings, led

POSTED = {"/api/verified/ask": {"question": "Does Aurelia Chat train on my prompts?"}, "/api/corrections/{slug}": {}}
ASKED = {
    "/api/v1/platforms": ("", "as_of=2026-01-31"),
    "/api/v1/platforms/{id}": ("", "as_of=2026-01-31"),
    "/api/v1/search": ("q=aurelia",),
    "/api/machine/platform/{slug}": ("", "as_of=2026-01-31"),
    "/api/machine/search": ("q=prompts",),
    "/api/coverage": ("", "as_of=2026-01-31"),
}
"""Path -> its queries; one without any where it is not named."""


def closed(schema: Any) -> Any:
    """A schema whose objects with named fields hold no others."""
    if isinstance(schema, dict):
        inner = {name: closed(part) for name, part in schema.items()}
        return inner | ({"additionalProperties": False} if "properties" in schema else {})
    return [closed(part) for part in schema] if isinstance(schema, list) else schema


@pytest.mark.parametrize("slug", ["aurelia-chat", "cafe-lumiere", "northwind-draft"])
def test_every_endpoint_returns_its_declared_fields(copied_place: Place, slug: str) -> None:
    give_readings(copied_place, "aurelia-chat", led)
    with closing(Caller(copied_place)) as caller:
        check_endpoints(caller, slug)


def check_endpoints(caller: Caller, slug: str) -> None:
    """Call every endpoint that answers in JSON and validate each answer."""
    document = caller.call("/openapi.json").json()
    correction = caller.post(f"/api/corrections/{slug}", {}).json()["id"]
    walked = set()
    for path, operations in document["paths"].items():
        (method, operation), *_ = operations.items()
        status = next(status for status in operation["responses"] if status in ("200", "202", "303"))
        content = operation["responses"][status].get("content", {})
        if "application/json" not in content or path == "/api/mcp":
            continue
        whole = {"components": closed(document["components"]), "$ref": content["application/json"]["schema"]["$ref"]}
        for query in ASKED.get(path, ("",)):
            for tier in ("starter", "pro") if path.startswith("/api/v1/") else ("",):
                address = path.format(slug=slug, id=correction if "{slug}" in path else slug)
                reply = (
                    caller.post(address, POSTED[path])
                    if method == "post"
                    else caller.call(f"{address}?{query}" if query else address, tier=tier)
                )
                if reply.status in (200, 202):
                    Draft202012Validator(whole).validate(reply.json())
                    walked.add(path)
    missed = {path for path in document["paths"] if path.endswith((".txt", ".pdf"))}
    assert walked == document["paths"].keys() - missed - {
        "/archive/{sha256}", "/api/verified/export/{slug}", "/api/mcp",
    }  # fmt: skip


def test_changes_of_all_classes_match_the_declared_fields(embedded_demo: Path) -> None:
    caller = Caller(embedded_demo)
    document = caller.call("/openapi.json").json()
    whole = {"components": closed(document["components"]), "$ref": "#/components/schemas/ChangeList"}
    listed = caller.call("/api/v1/changes?since=2000-01-01&limit=500", tier="pro").json()
    caller.close()
    assert any(pair["surface"] is None for change in listed["data"] for pair in change["altered"])
    Draft202012Validator(whole).validate(listed)
