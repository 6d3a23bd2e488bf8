"""Ingest of an archive against reading and hashing its blobs with the same git library, in one run.

    python -m tests.benchmarks.bench_ingest ../shared/data/genai-contrib-versions.bundle

Rows: storing against the floor, extraction and reviews in seconds per MB of distinct text (blocks between empty lines,
each once), a second run against the first, the command with a process a core against one process, and the memory of all
processes of the command.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
import time
from pathlib import Path

from riskanalytics.ingest import _store, ingest, open_collection
from riskanalytics.ingest.collection import GitCollection
from riskanalytics.service.review import platforms_to_review, review_platform
from riskanalytics.service.store.write import Writer
from tests.benchmarks.measured import cost_of
from tests.benchmarks.table import row


def floor(collection: GitCollection) -> tuple[float, float]:
    """Seconds to read and hash every distinct blob, and MB of distinct text among them."""
    began = time.perf_counter()
    bodies: dict[str, bytes] = {}
    for capture in collection.captures(lambda *_: False):
        if not isinstance(capture, int):
            bodies.setdefault(hashlib.sha256(capture.body).hexdigest(), capture.body)
    seconds = time.perf_counter() - began
    blocks = {block for body in bodies.values() for block in re.split(rb"\n\s*\n", body)}
    return seconds, sum(map(len, blocks)) / 1e6


def main(path: Path) -> None:
    """Print the rows for one collection."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "bench.sqlite"
        began = time.perf_counter()
        with open_collection(path) as collection:
            opening = time.perf_counter() - began
            read, distinct = floor(collection)
            began = time.perf_counter()
            with Writer(database) as writer:
                _store(collection, writer, lambda *result: None)
                stored = time.perf_counter() - began
                began = time.perf_counter()
                for slug in platforms_to_review(writer):
                    review_platform(writer, slug)
                reviewed = time.perf_counter() - began
            began = time.perf_counter()
            ingest(collection, database)
            again = time.perf_counter() - began
        command = [
            sys.executable,
            "-m",
            "riskanalytics.cli",
            "ingest",
            path,
            "--database",
            Path(folder) / "by_all.sqlite",
        ]
        shared = cost_of(command)
    assert shared is not None
    first = stored + reviewed
    whole = f"{opening + first:.1f} s by one process"
    row("read, hash, store", f"{stored:.2f} s; reading and hashing alone {read:.2f} s", stored / read, 3)
    row(
        "extraction and reviews, for a MB of distinct text",
        f"{reviewed:.1f} s; {distinct:.1f} MB",
        reviewed / distinct,
        2,
    )
    row("a second run, nothing new", f"{again:.2f} s; the first {first:.1f} s", again / first, 0.05)
    row("ingest by a process a core", f"{shared.seconds:.1f} s; {whole}", shared.seconds / (opening + first), 0.6)
    row("memory of ingest, all processes", f"{shared.megabytes:.0f} MB; 600 MB", shared.megabytes / 600, 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
