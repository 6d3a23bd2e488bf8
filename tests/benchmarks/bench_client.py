"""Loads and pulls of 500 platforms against a bare concurrent httpx loop, and again, in one run.

python -m tests.benchmarks.bench_client [--database FILE] [--turns 3] [--clauses 40]

The service runs in a process of its own, with its pace off for both; the key is a Pro key. The loop asks for the list and
then for all platforms, 16 at once, and reads each answer as JSON: what any client has to do. Each figure is the median of
some turns, which take turns with each other.

- `ra.load`, records of all platforms, against the loop (aim at most 1.2), and a second one against the first (aim below 1)
- `ra.load` with all frames
- `ra.pull` against the loop (aim at most 1.3), and a second one of the same data against the first (aim below 1)
- bytes of bodies that the second load and pull take (aim 0)
- memory that a hostile server makes a load take beyond the package (aim at most 200 MiB)
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

import riskanalytics as ra
from riskanalytics.service import Access
from tests.benchmarks.serving import build, service
from tests.benchmarks.table import row
from tests.client.test_hostile_server import FILLING, MEASURED
from tests.http_server import serving

AT_ONCE = 16
FRAMES = ("platforms", "findings", "leads", "surfaces", "training_use", "documents", "coverage")

AIMS = {"records": 1.2, "load": None, "pull": 1.3}
"""What is told against the loop, and at most how many times as long it is to take."""


async def loop(address: str, key: str) -> int:
    """The bare loop: bytes of JSON that it read."""
    limits, places, size = httpx.Limits(max_connections=AT_ONCE), asyncio.Semaphore(AT_ONCE), 0
    async with httpx.AsyncClient(base_url=address, headers={"x-api-key": key}, limits=limits, timeout=60) as client:

        async def one(path: str) -> int:
            async with places:
                answer = await client.get(path)
            json.loads(answer.raise_for_status().content)
            return len(answer.content)

        rows = (await client.get("/api/v1/platforms?limit=500")).raise_for_status().json()["data"]
        for part in await asyncio.gather(*(one(f"/api/machine/platform/{row['id']}") for row in rows)):
            size += part
    return size


class Counting:
    """Bodies that came from a server, counted below the client: whatever httpx handed on."""

    def __init__(self) -> None:
        self.size = 0
        read = httpx.Response.aiter_raw

        async def counted(response: httpx.Response, chunk_size: int | None = None):  # type: ignore[no-untyped-def]
            async for piece in read(response, chunk_size):
                self.size += len(piece)
                yield piece

        httpx.Response.aiter_raw = counted  # type: ignore[method-assign]


def records(address: str) -> None:
    """The records of all platforms."""
    with ra.connect(address) as client:
        data = ra.load(client)
        assert len(data.records) == len(data.tracked)


def load(address: str) -> None:
    """All frames."""
    with ra.connect(address) as client:
        data = ra.load(client)
        for name in FRAMES:
            getattr(data, name)


def pull(address: str, folder: Path) -> None:
    """A pull."""
    with ra.connect(address) as client:
        ra.pull(folder, client)


def against_the_loop(address: str, key: str, folder: Path, turns: int) -> None:
    """Print loads and pulls against the loop, and again against themselves."""
    counting = Counting()
    seconds: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}

    def measured(name: str, call: Callable[[], object]) -> None:
        counting.size, began = 0, time.perf_counter()
        call()
        seconds.setdefault(name, []).append(time.perf_counter() - began)
        sizes[name] = counting.size

    measured("warm", lambda: asyncio.run(loop(address, key)))
    for turn in range(turns):
        measured("loop", lambda: asyncio.run(loop(address, key)))
        for name, call in (("records", records), ("load", load)):
            os.environ["RISKANALYTICS_CACHE"] = str(folder / f"{name}{turn}")
            measured(name, lambda call=call: call(address))
            measured(f"{name} again", lambda call=call: call(address))
        os.environ["RISKANALYTICS_CACHE"] = str(folder / f"pull{turn}")
        measured("pull", lambda turn=turn: pull(address, folder / f"pulls{turn}"))
        measured("pull again", lambda turn=turn: pull(address, folder / f"pulls{turn}"))
    result = {name: statistics.median(values) for name, values in seconds.items()}
    for name, value in result.items():
        if name in AIMS:
            seen = f"{value:.2f} s; an httpx loop, 16 at once, {result['loop']:.2f} s"
            row(f"500 platforms: {name}", seen, value / result["loop"], AIMS[name])
        elif (first := name.removesuffix(" again")) in AIMS:
            seen = f"{value:.2f} s, {sizes[name]:,} bytes of bodies; the first time {result[first]:.2f} s"
            row(f"500 platforms: {name}", seen, value / result[first], 1)


def memory() -> None:
    """Print what each answer that could fill the memory takes at most."""
    for fault, answer in FILLING.items():
        with serving(answer) as server:
            words = [sys.executable, "-c", MEASURED, server.url]
            done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
        taken = int(done.stdout)
        row(f"load from a hostile server: {fault}", f"{taken} MiB beyond the package; allowed 200 MiB", taken / 200, 1)


def main() -> None:
    """Build or copy a database, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", type=Path)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--clauses", type=int, default=40)
    chosen = parser.parse_args(sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = chosen.database
        database = build(folder, chosen.clauses) if given is None else Path(shutil.copy(given, folder / "a.sqlite"))
        with contextlib.closing(Access.of(database)) as access:
            os.environ["RISKANALYTICS_API_KEY"] = key = access.issue("bench@b.example", "enterprise")
        with service(database, 8375, "--open-reads", "0") as address:
            against_the_loop(address, key, folder, chosen.turns)
    memory()


if __name__ == "__main__":
    main()
