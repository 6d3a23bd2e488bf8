"""The protocol: revisions, lists, schemas, malformed messages."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mcp import Client

from tests.service.tool_server.fixtures import Agent

TOOLS = ["get_platform_risk", "compare_platforms", "search_clauses", "check_training_use"]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_platform_risk", {"slug": "aurelia-chat"}),
    ("get_platform_risk", {"slug": "northwind-draft", "surface": None, "cursor": None}),
    ("compare_platforms", {"slugs": ["northwind-draft", "cafe-lumiere", "aurelia-chat"]}),
    ("search_clauses", {"query": "personal data"}),
    ("search_clauses", {"query": "unicorn"}),
    ("check_training_use", {"slug": "cafe-lumiere"}),
    ("check_training_use", {"slug": "northwind-draft"}),
]
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CURRENT = {"mcp_protocol_version": "2026-07-28"}


@pytest.mark.parametrize(
    ("mode", "revision"), [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")]
)
def test_the_official_client_lists_and_calls_in_both_revisions(agent: Agent, mode: str, revision: str) -> None:
    async def talk() -> None:
        async with Client(agent.url, mode=mode) as client:
            assert client.protocol_version == revision
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            for name, arguments in CALLS:
                result = await client.call_tool(name, arguments)
                assert result.is_error is False
                assert result.structured_content == agent.result(name, **arguments)
            refused = await client.call_tool("check_training_use", {"slug": "aurelia"})
            assert refused.is_error is True

    asyncio.run(talk())


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_earlier_protocol_revisions_are_accepted(agent: Agent, revision: str) -> None:
    output = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    result = agent.ask("initialize", output)["result"]
    assert result["protocolVersion"] == revision
    assert "tools" in result["capabilities"]
    assert result["serverInfo"]["name"] == "riskanalytics"
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert agent.post(note, mcp_protocol_version=revision).status_code == 202


def test_an_unknown_revision_is_refused_with_the_supported_ones(agent: Agent) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    reply = agent.post(body, mcp_protocol_version="2031-01-01", mcp_method="tools/list")
    assert reply.status_code == 400
    body["params"] = {"_meta": META | {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}
    reply = agent.post(body, mcp_protocol_version="2031-01-01", mcp_method="tools/list")
    assert reply.status_code == 400
    assert reply.json()["error"]["data"]["supported"] == ["2026-07-28"]


def test_a_header_that_contradicts_the_message_is_refused(agent: Agent) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    assert agent.post(body, mcp_method="tools/list", **CURRENT).status_code == 200
    reply = agent.post(body, mcp_method="tools/call", **CURRENT)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, -32020)


def test_the_list_of_tools_never_changes(agent: Agent) -> None:
    def listed() -> str:
        return hashlib.sha256(json.dumps(agent.ask("tools/list")["result"]).encode()).hexdigest()

    first = listed()
    for name, arguments in CALLS:
        agent.call(name, **arguments)
    assert listed() == first


def test_the_tools_only_read_and_describe_their_arguments(agent: Agent) -> None:
    tools = agent.ask("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == TOOLS
    for tool in tools:
        assert tool["annotations"] == {
            "readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False,
        }  # fmt: skip
        assert all(field["description"] for field in tool["inputSchema"]["properties"].values())
        for name in ("inputSchema", "outputSchema"):
            Draft202012Validator.check_schema(tool[name])
            assert '"$ref": "#/$defs/' in json.dumps(tool[name]) or "$ref" not in json.dumps(tool[name])


def test_every_argument_schema_accepts_what_the_tool_accepts(agent: Agent) -> None:
    schemas = {tool["name"]: tool["inputSchema"] for tool in agent.ask("tools/list")["result"]["tools"]}
    for name, arguments in CALLS:
        Draft202012Validator(schemas[name]).validate(arguments)
    for name, wrong in [
        ("get_platform_risk", {"slug": "a", "surface": "moon"}),
        ("compare_platforms", {"slugs": ["a"]}),
        ("compare_platforms", {"slugs": ["a", "a"]}),
        ("search_clauses", {"query": ""}),
    ]:
        assert not Draft202012Validator(schemas[name]).is_valid(wrong)
        agent.refusal(name, **wrong)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_every_result_matches_its_schema(agent: Agent, name: str, arguments: dict[str, Any]) -> None:
    schemas = {tool["name"]: tool["outputSchema"] for tool in agent.ask("tools/list")["result"]["tools"]}
    result = agent.result(name, **arguments)
    Draft202012Validator(schemas[name]).validate(result)
    for field in schemas[name]["required"]:
        without = {key: value for key, value in result.items() if key != field}
        assert not Draft202012Validator(schemas[name]).is_valid(without)


def test_equal_calls_get_equal_results(agent: Agent) -> None:
    for name, arguments in CALLS:
        assert agent.call(name, **arguments) == agent.call(name, **arguments)


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 5000, b"[]", b"null", b'{"jsonrpc":"2.0","id":1}'])
def test_a_malformed_message_is_a_json_rpc_error(agent: Agent, body: bytes) -> None:
    reply = agent.post(body)
    assert (reply.status_code, reply.json()["id"]) == (400, None)
    assert reply.json()["error"]["code"] in (-32700, -32600, -32602)


def test_an_internal_error_does_not_reveal_its_cause(agent: Agent, caplog: pytest.LogCaptureFixture) -> None:
    agent.store.rows = lambda *_, **__: 1 / 0  # type: ignore[method-assign]
    try:
        refusal = agent.refusal("check_training_use", slug="aurelia-chat")
    finally:
        del agent.store.rows
    assert refusal == "Error executing tool check_training_use"
    assert "ZeroDivisionError" in caplog.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["slug", "slugs", "query", "surface", "cursor", "x"]), JSON, max_size=4)
BODIES = st.one_of(
    st.binary(max_size=200),
    JSON.map(lambda value: json.dumps(value).encode()),
    st.fixed_dictionaries(
        {"jsonrpc": st.sampled_from(["2.0", "1.0"]), "method": st.sampled_from(["ping", "tools/list", "tools/call", "x"])},
        optional={"id": JSON, "params": JSON},
    ).map(lambda value: json.dumps(value).encode()),
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0"), "id": st.integers() | st.text(max_size=30), "method": st.just("tools/call"),
         "params": st.fixed_dictionaries({"name": st.sampled_from(TOOLS), "arguments": ARGUMENTS})},
    ).map(lambda value: json.dumps(value).encode()),
)  # fmt: skip


@settings(max_examples=300, derandomize=True, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(body=BODIES, revision=st.sampled_from([None, "2025-11-25", "2026-07-28"]))
def test_any_posted_body_gets_a_well_formed_response(agent: Agent, body: bytes, revision: str | None) -> None:
    reply = agent.post(body, mcp_protocol_version=revision)
    assert reply.status_code in (200, 202, 400, 404)
    assert "Traceback" not in reply.text
    if reply.status_code != 202:
        assert reply.json()["jsonrpc"] == "2.0"
    assert agent.ask("ping")["result"] == {}
