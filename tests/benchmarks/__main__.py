"""All benchmarks, one after the other, as one table for the README; a quiet machine of two cores needs about half an hour.

Needs the extras `parquet`, `dask` and `browser`, and duckdb.

python -m tests.benchmarks [NAME ...] [--archive BUNDLE] > figures.md

Each benchmark runs in a process of its own; what it prints beside the table's rows goes to stderr. One that fails costs
its own rows, and is named. With an archive (a bundle, a repository or a folder) its ingest is measured, too.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from os import cpu_count
from pathlib import Path

from tests.benchmarks.table import HEAD

WORDS = {"load": ["--seconds", "4"], "service": ["--seconds", "10"], "report": ["3"], "size": ["--years", "1", "5"]}
"""What the shorter form of a benchmark takes."""
OF_AN_ARCHIVE = ("ingest",)


def modules(archive: Path | None) -> list[str]:
    """Names of the benchmarks that can run."""
    found = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    return [name for name in found if archive is not None or name not in OF_AN_ARCHIVE]


def rows(name: str, archive: Path | None) -> list[str]:
    """Run one benchmark, and give its rows of the table."""
    words = [str(archive)] if name in OF_AN_ARCHIVE else WORDS.get(name, [])
    command = [sys.executable, "-m", f"tests.benchmarks.bench_{name}", *words]
    found = []
    print(f"== {name}", file=sys.stderr, flush=True)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", file=sys.stderr, flush=True)
            if line.startswith("| "):
                found.append(line.rstrip("\n"))
    return (
        found if process.returncode == 0 else [*found, f"| {name} | failed with exit code {process.returncode} | | |"]
    )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="as report, batch, client; all where none is named")
    parser.add_argument("--archive", type=Path, help="a collection to ingest")
    chosen = parser.parse_args()
    known = modules(chosen.archive)
    if unknown := [name for name in chosen.names if name not in known]:
        parser.error(f"no benchmark {', '.join(unknown)}: there are {', '.join(known)}")
    machine = f"{cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    print(f"Measured on {datetime.now(UTC):%Y-%m-%d}, riskanalytics {version('riskanalytics')}, {machine}.\n\n{HEAD}")
    failed = False
    for name in chosen.names or known:
        for row in rows(name, chosen.archive):
            failed |= "failed with exit code" in row
            print(row, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
