"""Each reading row of the specification has a route; each route is a row of it or of the README's table."""

from __future__ import annotations

import re
from pathlib import Path

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


def test_every_route_is_specified_or_a_declared_addition(caller: Caller) -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    declared = set(re.findall(r"^\| `GET (/[^`?]*)`", readme, re.M))
    described = set(caller.call("/openapi.json").json()["paths"]) | {"/openapi.json"}
    assert described - SPECIFIED == declared
    assert described >= SPECIFIED


def test_every_addition_to_a_specified_answer_is_in_the_readme(caller: Caller) -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    for word in (
        "as_of",
        "since",
        "until",
        "class",
        "citation_count",
        "citations_available",
        "highlighted",
        "decided_by",
        "searched",
        "without_result",
    ):
        assert f"`{word}`" in readme
