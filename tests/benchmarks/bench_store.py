"""The service on PostgreSQL against the same on SQLite, in one run; skipped, saying so, where there is no PostgreSQL.

python -m tests.benchmarks.bench_store [--clauses 240] [--clients 64] [--seconds 6]

- a list of 500, a platform's detail and a clause search over 120,000 findings, none of them asked before, for many clients:
  median latency (aim at most 1.5)
- the same by four server processes: answers a second (aim at least 1)
- ingest of what is searched, and the room that it takes
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import statistics
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import httpx

from riskanalytics.ingest import ingest, open_collection
from riskanalytics.service import Access, Store
from riskanalytics.settings.databases import Place, Server
from tests.benchmarks.bench_load import Ask, asked
from tests.benchmarks.serving import PLATFORMS, build, service
from tests.benchmarks.table import row
from tests.postgres import Unavailable, cluster, opened

FIRST = date(2026, 2, 1)
TURNS = 2


def anew() -> dict[str, Ask]:
    """Requests by their name, each for what no request before it asked."""
    numbers = itertools.count()

    def day() -> date:
        return FIRST + timedelta(days=next(numbers))

    return {
        "list of 500": lambda client, _: client.get("/api/v1/platforms", params={"limit": 500, "as_of": f"{day()}"}),
        "platform detail": lambda client, turn: client.get(
            f"/api/v1/platforms/platform-{turn % PLATFORMS:03d}", params={"as_of": f"{day()}"}
        ),
        "clause search": lambda client, turn: client.get(
            "/api/machine/search", params={"q": "train models", "limit": 50, "offset": next(numbers)}
        ),
    }


def waits(place: Place, key: str, port: int, workers: int, clients: int, seconds: float) -> dict[str, list[float]]:
    """Seconds of each request to a server, by kind."""
    sent = {"x-api-key": key, "accept-encoding": "identity"}
    with service(place, port, "--workers", str(workers), "--open-reads", "0") as address:
        httpx.get(f"{address}/api/v1/platforms?limit=1", headers=sent).raise_for_status()
        return {
            name: asyncio.run(asked(address, clients, seconds, ask, headers=sent, event_hooks={"response": [_whole]}))
            for name, ask in anew().items()
        }


async def _whole(response: httpx.Response) -> None:
    """Count no failure as an answer."""
    response.raise_for_status()


def size_of(place: Place) -> int:
    """Bytes that a database takes."""
    if isinstance(place, Server):
        with contextlib.closing(opened(place)) as connection:
            return int(connection.execute("SELECT pg_database_size(current_database())").fetchone()[0])
    return place.stat().st_size


def against(file: Path, server: Server, clients: int, seconds: float) -> None:
    """Print latencies of one process each, and rates of four."""
    keys: dict[Place, str] = {}
    for place in (file, server):
        with contextlib.closing(Access.of(place)) as access:
            keys[place] = access.issue("load@b.example", "enterprise")
    for workers in (1, 4):
        result: dict[Place, dict[str, list[float]]] = {file: {}, server: {}}
        for place in (file, server) * TURNS:
            for name, each in waits(place, keys[place], 28_381, workers, clients, seconds).items():
                result[place].setdefault(name, []).extend(each)
        for name in result[file]:
            one, other = result[file][name], result[server][name]
            if workers == 1:
                middle = [1e3 * statistics.median(each) for each in (one, other)]
                seen = f"median {middle[1]:.0f} ms; SQLite {middle[0]:.0f} ms"
                row(f"PostgreSQL, {name}, {clients} clients", seen, middle[1] / middle[0], 1.5)
            else:
                rates = [len(each) / seconds / TURNS for each in (one, other)]
                seen = f"{rates[1]:.0f} a second; SQLite {rates[0]:.0f}"
                row(f"PostgreSQL, {name}, {workers} processes", seen, rates[1] / rates[0], 1, least=True)


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clauses", type=int, default=240)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=6)
    chosen = parser.parse_args(sys.argv[1:])
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as running:
        try:
            server = running.enter_context(cluster()).made()
        except Unavailable as error:
            print(f"skipped: {error}", file=sys.stderr)
            return
        began = time.perf_counter()
        file = build(Path(name), chosen.clauses)
        middle = time.perf_counter()
        with open_collection(Path(name) / "set") as collection:
            ingest(collection, server)
        seconds = middle - began, time.perf_counter() - middle
        with contextlib.closing(Store(server)) as store:
            findings = store.value("SELECT count(*) FROM live_finding")
        seen = f"{seconds[1]:.0f} s; SQLite {seconds[0]:.0f} s with writing the texts"
        row(f"PostgreSQL, ingest of {findings:,} findings", seen, seconds[1] / seconds[0])
        sizes = [size_of(place) for place in (file, server)]
        row("the same: room", f"{sizes[1] >> 20} MiB; SQLite {sizes[0] >> 20} MiB", sizes[1] / sizes[0])
        against(file, server, chosen.clients, chosen.seconds)


if __name__ == "__main__":
    main()
