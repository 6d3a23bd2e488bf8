"""The service as `riskanalytics serve` brings it up."""

from __future__ import annotations

import errno
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from uvicorn.supervisors import Multiprocess

from riskanalytics.service import Pace
from riskanalytics.service.server import serve
from tests.cli.calling import refused, run
from tests.service.given import overwritten

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def address(given_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a service in a process of its own, on a copy of the literal database."""
    database = tmp_path_factory.mktemp("served") / "given.sqlite"
    shutil.copy(given_database, database)
    words = [sys.executable, "-m", "riskanalytics.cli", "serve", "--port", "0", "--database", str(database),
             "--public-url", "https://ratings.example", "--check"]  # fmt: skip
    with subprocess.Popen(words, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        output = re.search(r"http://\S+", process.stderr.readline())
        assert output is not None
        announced = [process.stderr.readline() for _ in range(2)]
        yield output[0]
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        assert process.wait(15) in (0, 130)
    assert announced == [
        "accepts 512 connections; each address may send 1,200 reads and 120 posts per minute\n",
        "to get a key: riskanalytics subscriptions start --email you@company.example --tier pro\n",
    ]


def test_the_tools_are_served_under_the_public_name_and_on_loopback(address: str) -> None:
    assert httpx.post(f"{address}/api/mcp", json=PING).json()["result"] == {}
    named = {"host": "ratings.example", "origin": "https://ratings.example"}
    assert httpx.post(f"{address}/api/mcp", json=PING, headers=named).json()["result"] == {}
    assert httpx.post(f"{address}/api/mcp", json=PING, headers={"host": "evil.example"}).status_code == 421
    call = PING | {
        "method": "tools/call",
        "params": {"name": "check_training_use", "arguments": {"slug": "cafe-lumiere"}},
    }
    result = httpx.post(f"{address}/api/mcp", json=call).json()["result"]["structuredContent"]
    assert result["url"] == "https://ratings.example/platform/cafe-lumiere"


def test_answers_on_a_kept_connection_do_not_wait_for_acknowledgements(address: str) -> None:
    spent = []
    with httpx.Client() as client:
        for _ in range(60):
            began = time.perf_counter()
            assert client.get(f"{address}/health").status_code == 200
            spent.append(time.perf_counter() - began)
    assert statistics.median(spent) < 0.03  # a delayed acknowledgement takes 40 ms


def test_an_embedded_application_imports_neither_the_tool_protocol_nor_the_server() -> None:
    program = "import sys, riskanalytics.dataset; print({'mcp', 'mcp_types', 'uvicorn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "set()"


def test_an_endless_header_is_refused_and_a_long_body_gets_413(address: str) -> None:
    with socket.create_connection(("127.0.0.1", httpx.URL(address).port)) as peer:
        peer.settimeout(10)
        peer.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nX: ")
        for _ in range(17):  # no more than the server takes: the rest would reset the connection
            peer.sendall(b"a" * 1000)
            time.sleep(0.01)
        assert peer.recv(100).startswith(b"HTTP/1.1 400")
    reply = httpx.post(f"{address}/api/verified/ask", json={"question": "a" * 100_000})
    assert (reply.status_code, reply.headers["content-type"]) == (413, "application/problem+json")
    assert reply.json()["instance"] == f"urn:riskanalytics:request:{reply.headers['x-request-id']}"


def test_a_running_request_is_answered_before_the_service_ends(given_database: Path, tmp_path: Path) -> None:
    shutil.copy(given_database, tmp_path / "given.sqlite")
    words = [sys.executable, "-m", "riskanalytics.cli", "serve", "--port", "0", "--database", tmp_path / "given.sqlite"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        output = re.search(r"http://127.0.0.1:(\d+)", process.stderr.readline())
        assert output is not None
        body = b'{"question": "Does Aurelia Chat train on my data?"}'
        head = b"POST /api/verified/ask HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        assert httpx.get(f"{output[0]}/health", timeout=30).status_code == 200  # it has started
        with socket.create_connection(("127.0.0.1", int(output[1]))) as peer:
            peer.settimeout(10)
            peer.sendall(head % len(body) + body[:9])
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            peer.sendall(body[9:])
            assert peer.recv(100).startswith(b"HTTP/1.1 200")
        process.stderr.read()
        process.wait(15)


@pytest.mark.slow
def test_workers_share_rate_limits_and_a_trusted_proxy_names_the_client(given_database: Path, tmp_path: Path) -> None:
    database = tmp_path / "given.sqlite"
    shutil.copy(given_database, database)
    words = [sys.executable, "-m", "riskanalytics.cli", "serve", "--port", "0", "--database", str(database),
             "--workers", "2", "--trusted-proxy", "127.0.0.1", "--open-reads", "2"]  # fmt: skip
    with subprocess.Popen(words, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        output = re.search(r"http://\S+", process.stderr.readline())
        assert output is not None

        def ask(client: str) -> int:
            sent = {"x-forwarded-for": client}
            return httpx.get(f"{output[0]}/api/coverage", headers=sent, timeout=60).status_code

        try:
            assert [ask("203.0.113.1") for _ in range(4)] == [200, 200, 429, 429]
            assert ask("203.0.113.2") == 200
        finally:
            process.send_signal(signal.SIGTERM)
            process.stderr.read()
            process.wait(15)


@pytest.mark.parametrize(
    ("host", "workers", "public_url", "pace", "limits"),
    [
        ("127.0.0.1", 1, None, Pace(), "512 connections; each address may send 1,200 reads and 120 posts per minute"),
        ("::1", 3, "https://a.example", Pace(reads=None, posts=7),
         "1,536 connections; each address may send any number of reads and 7 posts per minute"),
    ],
)  # fmt: skip
def test_a_service_announces_what_it_does_and_believes_each_named_proxy(
    given_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    host: str, workers: int, public_url: str | None, pace: Pace, limits: str,
) -> None:  # fmt: skip
    if ":" in host:
        with socket.socket(socket.AF_INET6) as probe:
            if probe.connect_ex((host, 9)) == errno.EADDRNOTAVAIL:
                pytest.skip("has no IPv6")
    started: list[uvicorn.Config] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: started.append(self.config))
    monkeypatch.setattr(Multiprocess, "run", lambda self: started.append(self.config))
    database, lines = Path(shutil.copy(given_database, tmp_path / "given.sqlite")), []
    proxies = ("10.0.0.0/8", "192.0.2.7")
    serve(database, host, 0, public_url=public_url, announce=lines.append, check=True, workers=workers,
          trusted_proxies=proxies, pace=pace)  # fmt: skip
    address = lines[0].removeprefix("serving given.sqlite at ")
    assert re.fullmatch(r"http://(127\.0\.0\.1|\[::1\]):\d+", address)
    assert lines[1] == f"accepts {limits}"
    [config] = started
    assert (config.workers, config.forwarded_allow_ips) == (workers, ["10.0.0.0/8", "192.0.2.7/32"])
    app = config.app()  # type: ignore[operator]
    assert (app.state.service.public_url, app.state.pace) == (public_url or address, pace)
    app.state.service.store.close()
    app.state.access.close()


@pytest.mark.slow
def test_a_start_with_check_refuses_a_damaged_file(given_database: Path, tmp_path: Path) -> None:
    database = tmp_path / "damaged.sqlite"
    database.write_bytes(overwritten(given_database.read_bytes()))
    done = run("serve", "--port", "0", "--database", str(database), "--check", cwd=tmp_path)
    assert f"{database} is damaged: restore a backup, or ingest again" in refused(done, 1)
    assert not done.stdout


def test_a_port_in_use_gives_a_one_line_error(given_database: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--port", str(port), "--database", str(given_database), cwd=tmp_path)
    assert f"cannot listen on 127.0.0.1, port {port} (address already in use): give another" in refused(done, 2)
