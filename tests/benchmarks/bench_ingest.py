"""Ingest of an archive against reading and hashing its blobs with the same git library, in one run.

    python -m tests.benchmarks.bench_ingest ../shared/data/genai-contrib-versions.bundle

Prints: storing against the floor (aim at most 3), extraction and reviews in seconds per MB of distinct text
(aim at most 2; distinct: blocks between empty lines, each once), a second run against the first (aim at most
0.05), and the peak of memory (aim at most 1 GB).
"""

from __future__ import annotations

import hashlib
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

from riskanalytics.ingest import _store, ingest, open_collection
from riskanalytics.ingest.git import GitCollection
from riskanalytics.service.review import platforms_to_review, review_platform
from riskanalytics.service.store.write import Writer


def floor(collection: GitCollection) -> tuple[float, float]:
    """Seconds to read and hash every distinct blob, and MB of distinct text among them."""
    began = time.perf_counter()
    bodies: dict[str, bytes] = {}
    for capture in collection.captures(lambda revision, path: False):
        if not isinstance(capture, int):
            bodies.setdefault(hashlib.sha256(capture.body).hexdigest(), capture.body)
    seconds = time.perf_counter() - began
    blocks = {block for body in bodies.values() for block in re.split(rb"\n\s*\n", body)}
    return seconds, sum(map(len, blocks)) / 1e6


def main(path: Path) -> None:
    """Print the figures for one collection."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "bench.sqlite"
        began = time.perf_counter()
        with open_collection(path) as collection:
            opening = time.perf_counter() - began
            read, distinct = floor(collection)
            began = time.perf_counter()
            with Writer(database) as writer:
                _store(collection, writer, lambda *told: None)
                stored = time.perf_counter() - began
                began = time.perf_counter()
                for slug in platforms_to_review(writer):
                    review_platform(writer, slug)
                reviewed = time.perf_counter() - began
            began = time.perf_counter()
            ingest(collection, database)
            again = time.perf_counter() - began
    first = stored + reviewed
    print(f"opening the collection       {opening:7.2f} s")
    print(f"floor: read and hash         {read:7.2f} s   ({distinct:.1f} MB of distinct text)")
    print(f"read, hash, store            {stored:7.2f} s   {stored / read:5.2f} x the floor alone")
    print(f"  with opening on both sides                {(opening + stored) / (opening + read):5.2f} x")
    print(f"extraction and reviews       {reviewed:7.2f} s   {reviewed / distinct:5.2f} s per MB of distinct text")
    print(f"second run, nothing new      {again:7.2f} s   {100 * again / first:5.1f} % of the first (opening aside)")
    print(f"peak of memory               {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:7.0f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
