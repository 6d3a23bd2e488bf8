"""The service under load against a peer, with its pace on and off, and a paying client beside an attack, in one run.

python -m tests.benchmarks.bench_load [--database FILE] [--seconds 8] [--clients 16]

- a list of 500 platforms, or all that there are, against a Starlette application that answers the same bytes from memory:
  rate (aim at least 1 / 1.5) and p99 (aim at most 3)
- open reads with the pace on against off: rate (aim at least 0.8)
- a paying client's p99 beside deep searches, days never asked before, tool calls that are cut off and corrections from one
  address, and beside exports: against its p99 alone (aim at most 3)
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx

from riskanalytics.service import Access
from tests.benchmarks.serving import build, running, service
from tests.benchmarks.table import row

PEER = """
import sys, uvicorn
from pathlib import Path
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
body = Path(sys.argv[1]).read_bytes()
app = Starlette(routes=[Route("/", lambda _: Response(body, media_type="application/json"))])
uvicorn.run(app, port=int(sys.argv[2]), log_level="critical", http="h11", ws="none")
"""
Ask = Callable[[httpx.AsyncClient, int], Awaitable[object]]


async def asked(address: str, clients: int, seconds: float, ask: Ask, pause: float = 0, **named: object) -> list[float]:
    """Seconds of each request of some clients, sorted."""
    waits: list[float] = []
    until = time.perf_counter() + seconds
    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=60, **named) as client:  # type: ignore[arg-type]

        async def one(number: int) -> None:
            for turn in itertools.count(number, clients):
                if time.perf_counter() > until:
                    return
                began = time.perf_counter()
                with contextlib.suppress(httpx.TransportError):
                    await ask(client, turn)
                waits.append(time.perf_counter() - began)
                await asyncio.sleep(pause)

        await asyncio.gather(*(one(number) for number in range(clients)))
    return sorted(waits)


def getting(path: str) -> Ask:
    """Ask for one address again and again."""
    return lambda client, _: client.get(path)


def p99(waits: list[float]) -> float:
    """Milliseconds that 99 of 100 requests do not exceed."""
    return 1e3 * waits[int(0.99 * (len(waits) - 1))]


def against_peer(database: Path, key: str, folder: Path, clients: int, seconds: float) -> None:
    """Print the list against the peer's constant bytes: four turns, two each."""
    sent = {"x-api-key": key, "accept-encoding": "identity"}
    path = "/api/v1/platforms?limit=500"
    with service(database, 8371) as ours:
        (folder / "body").write_bytes(httpx.get(ours + path, headers=sent).content)
        with running(["-c", PEER, str(folder / "body"), "8372"], 8372, "/") as peer:
            kinds = [(ours, path), (peer, "/")] * 2
            waits = [asyncio.run(asked(address, clients, seconds, getting(at), headers=sent)) for address, at in kinds]
    mine, floor = sorted(waits[0] + waits[2]), sorted(waits[1] + waits[3])
    size = (folder / "body").stat().st_size
    listed, rates = (
        f"list of 500 ({size:,} bytes), {clients} clients",
        [len(each) / seconds / 2 for each in (mine, floor)],
    )
    row(
        f"{listed}: rate",
        f"{rates[0]:.0f} a second; the bytes from memory {rates[1]:.0f}",
        rates[0] / rates[1],
        0.67,
        least=True,
    )
    row(f"{listed}: p99", f"{p99(mine):.1f} ms; the bytes from memory {p99(floor):.1f} ms", p99(mine) / p99(floor), 3)


def pace(database: Path, clients: int, seconds: float) -> None:
    """Print the rate of open reads with the pace on against off: four turns, two each."""
    counts = {"10000000": 0, "0": 0}
    for reads in [*counts] * 2:
        with service(database, 8373, "--open-reads", reads) as address:
            counts[reads] += len(asyncio.run(asked(address, clients, seconds, getting("/api/coverage"))))
    on, off = (counts[reads] / seconds / 2 for reads in ("10000000", "0"))
    row("open reads with the pace on: rate", f"{on:.0f} a second; off {off:.0f}", on / off, 0.8, least=True)


async def work(client: httpx.AsyncClient, turn: int, slugs: list[str]) -> object:
    """What makes most work within the default pace."""
    word = random.choice(["data", "your", "information", "service"])
    match turn % 8:
        case 0 | 1 | 2 | 3:
            return await client.get("/api/machine/search", params={"q": word, "limit": 50, "offset": 20_000 + turn})
        case 4 | 5:
            return await client.get(f"/api/coverage?as_of=20{10 + turn % 16}-{1 + turn % 12:02d}-{1 + turn % 28:02d}")
        case 6:
            call = {"name": "search_clauses", "arguments": {"query": f"{word} {turn}"}}
            message = {"jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": call}
            return await client.post("/api/mcp", json=message, timeout=0.03)
    return await client.post(f"/api/corrections/{slugs[turn % len(slugs)]}")


def attack(kind: str, address: str, slugs: list[str], seconds: float) -> None:
    """Attack for some seconds, in a process of its own: it must not share the paying client's."""

    async def ask(client: httpx.AsyncClient, turn: int) -> object:
        if kind == "work":
            return await work(client, turn, slugs)
        return await client.get(f"/api/verified/export/{slugs[turn % len(slugs)]}")

    asyncio.run(asked(address, 40, seconds, ask, 0.2))


def attacked(database: Path, key: str, seconds: float) -> None:
    """Print a paying client's p99 alone and beside each attack."""
    with service(database, 8374) as address:
        listed = httpx.get(f"{address}/api/v1/platforms?limit=500", headers={"x-api-key": key}).json()["data"]
        slugs = [row["id"] for row in listed]

        async def pay(client: httpx.AsyncClient, turn: int) -> object:
            return await client.get(f"/api/v1/platforms/{slugs[turn % len(slugs)]}")

        def paid() -> float:
            return p99(asyncio.run(asked(address, 1, seconds, pay, 0.02, headers={"x-api-key": key})))

        paid()
        alone = paid()
        for kind in ("work", "exports"):
            program = f"from tests.benchmarks.bench_load import attack; attack({kind!r}, {address!r}, {slugs!r}, {seconds + 4})"
            with subprocess.Popen([sys.executable, "-c", program]):
                time.sleep(2)
                beside = paid()
            row(f"paying client beside {kind}: p99", f"{beside:.1f} ms; alone {alone:.1f} ms", beside / alone, 3)


def main() -> None:
    """Build or copy a database, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--clients", type=int, default=16)
    chosen = parser.parse_args(sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        database = build(folder) if chosen.database is None else Path(shutil.copy(chosen.database, folder / "a.sqlite"))
        with contextlib.closing(Access.of(database)) as access:
            key = access.issue("load@b.example", "enterprise")
        against_peer(database, key, folder, chosen.clients, chosen.seconds)
        pace(database, chosen.clients, chosen.seconds)
        attacked(database, key, 2 * chosen.seconds)


if __name__ == "__main__":
    main()
