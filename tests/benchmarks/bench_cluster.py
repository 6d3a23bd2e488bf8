"""The same batch on a local Dask cluster of two workers and on two cores: clock in turn, and the bytes of all files.

Run: `python -m tests.benchmarks.bench_cluster [dossiers] [rounds]`; needs the extra `dask`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median

from riskanalytics.dataset.connecting import connect
from riskanalytics.dataset.loading import listed_slugs
from tests.benchmarks.bench_batch import batch
from tests.benchmarks.bench_report import taken
from tests.benchmarks.table import row
from tests.dask_cluster import dask_cluster


def held(folder: Path) -> dict[str, bytes]:
    """The files of a folder of pages."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def main() -> None:
    """Print the row."""
    count, rounds = (int(word) for word in [*sys.argv[1:], *["24", "3"][len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as name, connect() as client, dask_cluster(Path(name)) as cluster:
        folder, slugs = Path(name), listed_slugs(client, None)[:count]
        here, there = [], []
        for _ in range(rounds):
            both = [batch(slugs, folder, *words) for words in (("-j", "2"), ("--dask", cluster.address))]
            here.append(taken([both[0]]).clock)
            there.append(taken([both[1]]).clock)
            pages = [held(Path(words[words.index("--out") + 1])) for words in both]
            assert len(pages[0]) == 2 * count + 2, sorted(pages[0])
            assert pages[0] == pages[1]
        ratio = median(many / few for many, few in zip(there, here, strict=True))
        result = f"{median(there):.1f} s; `-j 2` {median(here):.1f} s, the same bytes"
        row(f"{count} dossiers by two workers of a Dask cluster", result, ratio, 1.3)


if __name__ == "__main__":
    main()
