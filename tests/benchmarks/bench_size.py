"""What a platform and a year of history cost as there are more of them: seconds and memory of all processes together.

python -m tests.benchmarks.bench_size [--platforms 100 1000] [--years 1 5 25] [--longest 600]

Archives are made from the written policies of the demo, under other names and with small differences (`sizes`). The first
figure of --platforms with each of --years, and each of --platforms with one year, are brought in, and a question, a
dossier, the monthly page and a batch of ten dossiers are asked of each. The ratio is how much faster the cost grew than the
size did, against the smallest: near 1 is linear, below it the cost did not grow as the size did. What needs more than
--longest seconds is ended, and said.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from riskanalytics.demo import DemoCollection
from riskanalytics.ingest import Capture
from riskanalytics.service import Store
from tests.benchmarks.measured import Cost, cost_of
from tests.benchmarks.sizes import AGAIN, as_repository, captures, repeated
from tests.benchmarks.table import row

COMMAND = [sys.executable, "-m", "riskanalytics.cli"]
AIM = 1.3


def one_year() -> list[Capture]:
    """The demo's captures of its last year, and the last one of each document without any."""
    found = list(captures(DemoCollection()))
    since = max(one.captured_at for one in found) - AGAIN + timedelta(days=1)
    newest = {(one.folder, one.document): one for one in found}
    kept = [one for one in found if one.captured_at >= since or newest[one.folder, one.document] is one]
    return sorted(kept, key=lambda one: one.captured_at)


def costs(platforms: int, years: int, folder: Path, longest: float) -> dict[str, Cost | None]:
    """What an archive of a size costs: to bring in, and to ask."""
    archive, database = folder / "a.git", folder / "a.sqlite"
    as_repository(repeated(one_year(), platforms, years), archive)
    of = ["--database", database]
    found = {"ingest": cost_of([*COMMAND, "ingest", archive, *of], longest)}
    if found["ingest"] is None:
        return found
    slugs, table = first_slugs(database), folder / "ten.csv"
    table.write_text("\n".join(["platform", *slugs]) + "\n")
    pages = ["--out", folder / "pages"]
    found["first answer, the process with it"] = cost_of([*COMMAND, "ask", "Who trains on my content?", *of], longest)
    dossier = ["report", "platform_dossier", "-p", f"platform={slugs[0]}"]
    found["a dossier"] = cost_of([*COMMAND, *dossier, *of, *pages], longest)
    found["the monthly page"] = cost_of([*COMMAND, "monthly", *of, *pages], longest)
    batch = ["batch", "platform_dossier", "--over", table, "--out", folder / "batch"]
    found["a batch of ten dossiers"] = cost_of([*COMMAND, *batch, *of], longest)
    return found


def first_slugs(database: Path) -> list[str]:
    """The first ten platforms."""
    with contextlib.closing(Store(database)) as store:
        return [slug for slug, *_ in store.names()[:10]]


def main() -> int:
    """Print the costs of each size against those of the smallest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platforms", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--years", type=int, nargs="+", default=[1, 5, 25])
    parser.add_argument("--longest", type=float, default=600)
    chosen = parser.parse_args()
    least = chosen.platforms[0]
    smallest: dict[str, Cost | None] = {}
    for platforms, years in [*((least, some) for some in chosen.years), *((some, 1) for some in chosen.platforms[1:])]:
        with tempfile.TemporaryDirectory() as folder:
            found = costs(platforms, years, Path(folder), chosen.longest)
        smallest = smallest or found
        growth = platforms * years / (least * chosen.years[0])
        for name, cost in found.items():
            result, first = f"{name}: {platforms:,} platforms, {years} years", smallest.get(name)
            if cost is None or first is None:
                print(f"| {result} | needs more than {chosen.longest:.0f} s | | |", flush=True)
                continue
            seen = (
                f"{cost.processor:.1f} s of processor time, {cost.megabytes:.0f} MB; "
                f"{least:,} platforms, {chosen.years[0]} years: {first.processor:.1f} s, {first.megabytes:.0f} MB"
            )
            row(result, seen, cost.processor / first.processor / growth, AIM)
    return 0


if __name__ == "__main__":
    sys.exit(main())
