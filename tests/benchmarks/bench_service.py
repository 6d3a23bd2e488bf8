"""The service under load, and its reads against their floors, in one run.

python -m tests.benchmarks.bench_service [--seconds 60] [--clients 64]

- a list of 500 platforms against a route of the same application that returns the same bytes from memory (aim at most 2)
- a clause search over 100,000 findings against the bare FTS5 query (aim at most 3)
- mixed reads by many clients: no 5xx; and one Starter key from all of them: exactly as many accepted as its limit
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import httpx
from fastapi import Request, Response

from riskanalytics.service import UNLIMITED, Access, Store, create_app
from tests.benchmarks.serving import PLATFORMS, build, service
from tests.benchmarks.table import row
from tests.http_server import served

PATHS = (
    "/api/v1/platforms?limit=50", "/api/v1/platforms/{slug}", "/api/v1/search?q=platform", "/api/v1/changes?limit=20",
    "/api/machine/platform/{slug}", "/api/machine/search?q=train&limit=10", "/api/coverage", "/platform/{slug}",
)  # fmt: skip


def median(call: Callable[[], object], runs: int = 60) -> float:
    """Median seconds of some runs, after a few that are not counted."""
    seconds = []
    for run in range(runs + 5):
        began = time.perf_counter()
        call()
        if run >= 5:
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def reads(store: Store) -> None:
    """Print the list and the search against their floors."""
    access = Access.embedded()
    app = create_app(store, access, public_url="https://a.example", pace=UNLIMITED)
    memory: dict[str, bytes] = {}

    @app.get("/memory")
    def kept(_: Request) -> Response:
        return Response(memory["body"], media_type="application/json")

    with served(app) as address, httpx.Client(base_url=address, headers={"accept-encoding": "identity"}) as client:
        client.headers["x-api-key"] = access.embedded_key
        memory["body"] = client.get("/api/v1/platforms?limit=500").content
        ours = median(lambda: client.get("/api/v1/platforms?limit=500"))
        floor = median(lambda: client.get("/memory"))
        size = len(memory["body"])
        memory_took = f"the bytes from memory {1e3 * floor:.2f} ms"
        row(f"list of 500 ({size:,} bytes)", f"{1e3 * ours:.2f} ms; {memory_took}", ours / floor, 2)
        days = (date(2026, 2, 1) + timedelta(days=number) for number in range(10_000))
        made = median(lambda: client.get(f"/api/v1/platforms?limit=500&as_of={next(days)}"))
        row("the same list made anew", f"{1e3 * made:.2f} ms; {memory_took}", made / floor)
        for query, match in (("train models", '"train" AND "models"'), ("advertising", '"advertising"')):
            # another page each time, so that no answer is one that was kept
            pages = iter(range(10_000))
            found = median(
                lambda query=query, pages=pages: client.get(
                    "/api/machine/search", params={"q": query, "offset": next(pages)}
                ),
                30,
            )
            with contextlib.closing(sqlite3.connect(store.place)) as bare:
                sql = "SELECT rowid FROM live_search WHERE live_search MATCH ? ORDER BY bm25(live_search) LIMIT 50"
                plain = median(lambda match=match, bare=bare, sql=sql: bare.execute(sql, (match,)).fetchall(), 30)
            seen = f"{1e3 * found:.1f} ms; bare FTS5 {1e3 * plain:.1f} ms"
            row(f"search {query!r} in 100,000 findings", seen, found / plain, 3)


async def _load(
    address: str, key: str, clients: int, seconds: float, slugs: list[str]
) -> tuple[Counter[int], list[float]]:
    """Mixed reads by many clients for some seconds."""
    statuses: Counter[int] = Counter()
    waits: list[float] = []
    until = time.perf_counter() + seconds
    limits = httpx.Limits(max_connections=clients)
    async with httpx.AsyncClient(base_url=address, headers={"x-api-key": key}, limits=limits, timeout=60) as client:

        async def one(start: int) -> None:
            number = start
            while time.perf_counter() < until:
                path = PATHS[number % len(PATHS)].format(slug=slugs[number % len(slugs)])
                began = time.perf_counter()
                reply = await client.get(path)
                waits.append(time.perf_counter() - began)
                statuses[reply.status_code] += 1
                number += 7

        await asyncio.gather(*(one(number) for number in range(clients)))
    return statuses, waits


def load(store: Store, folder: Path, clients: int, seconds: float) -> None:
    """Print what many clients got, and how many requests of one Starter key were accepted."""
    access = Access(folder / "a.sqlite.access.sqlite")
    key = access.issue("load@b.example", "enterprise")
    slugs = [slug for slug, _ in store.names()]
    with service(store.place, 8377, "--open-reads", "0", "--workers", "2") as address:
        statuses, waits = asyncio.run(_load(address, key, clients, seconds, slugs))
    waits.sort()
    spread = ", ".join(f"p{share}: {1e3 * waits[int(len(waits) * share / 100) - 1]:.0f} ms" for share in (50, 95, 99))
    print(f"{clients} clients, {seconds:.0f} s: {sum(statuses.values()):,} answers {dict(statuses)}, {spread}")
    limited = create_app(store, access, public_url="https://a.example")
    starter = access.issue("limited@b.example", "starter")
    accepted: Counter[int] = Counter()
    with served(limited) as one, served(limited) as other:

        def ask(number: int) -> None:
            with httpx.Client(headers={"x-api-key": starter}, timeout=60) as client:
                for _ in range(4):
                    accepted[client.get(f"{(one, other)[number % 2]}/api/v1/platforms?limit=1").status_code] += 1

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    print(f"one Starter key, {4 * clients} requests to two servers at once: {dict(accepted)}")
    access.close()


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=64)
    chosen = parser.parse_args(sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        database = build(Path(name))
        with contextlib.closing(Store(database)) as store:
            findings = store.value("SELECT count(*) FROM live_finding")
            print(f"built {PLATFORMS} platforms, {findings:,} findings in {time.perf_counter() - began:.0f} s")
            reads(store)
            load(store, Path(name), chosen.clients, chosen.seconds)


if __name__ == "__main__":
    main()
