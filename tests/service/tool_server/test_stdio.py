"""The tool server over stdin and stdout, as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

HELLO = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def words(database: Path | str) -> list[str]:
    return [sys.executable, "-m", "riskanalytics.cli", "mcp", "--database", str(database)]


def call(number: int) -> dict[str, object]:
    params = {"name": "check_training_use", "arguments": {"slug": "cafe-lumiere"}}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_calls_are_answered_and_nothing_else_is_on_stdout(given_database: Path) -> None:
    lines = [HELLO, READY, *(call(number) for number in range(1, 21))]
    with subprocess.Popen(
        words(given_database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(21)]
        process.stdin.close()
        assert process.wait(30) == 0
    assert sorted(answer["id"] for answer in answers) == list(range(21))
    result = next(answer["result"] for answer in answers if answer["id"] == 20)
    assert result["structuredContent"]["training_use"]["stance"] == "undetermined"
    assert result["structuredContent"]["findings"][0]["provenance"]["archive_url"] is None
    assert result["structuredContent"]["url"] is None
    assert "no public copy known" in result["content"][0]["text"]


@pytest.mark.slow
def test_a_client_that_stops_reading_ends_the_server_without_a_traceback(given_database: Path) -> None:
    with subprocess.Popen(
        words(given_database), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write("".join(json.dumps(line) + "\n" for line in (HELLO, READY, call(1))).encode())
            process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_the_server_while_it_waits_for_input(given_database: Path, number: int) -> None:
    with subprocess.Popen(words(given_database), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 0
        process.send_signal(number)
        assert process.wait(30) == -number


@pytest.mark.parametrize(
    ("mode", "revision"), [("auto", "2026-07-28"), pytest.param("legacy", "2025-11-25", marks=pytest.mark.slow)]
)
def test_the_official_client_starts_it_and_talks_to_it(given_database: Path, mode: str, revision: str) -> None:
    command, *rest = words(given_database)
    server = StdioServerParameters(command=command, args=rest, env=dict(os.environ))

    async def talk() -> None:
        async with Client(server, mode=mode) as client:
            assert client.protocol_version == revision
            result = await client.call_tool("compare_platforms", {"slugs": ["aurelia-chat", "cafe-lumiere"]})
            assert [row["rating"] for row in result.structured_content["platforms"]] == ["MED", "UNRATED"]

    asyncio.run(talk())
