"""Ten million findings in Parquet, counted by surface and level: read lazily, or whole.

Run: `python -m tests.benchmarks.bench_parquet [millions] [folder]`; needs the extra `parquet`, duckdb and dask[dataframe]. The
rows are those of the demo's findings, over and over, a file a million under other slugs and hashes, as pulls keep them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from tests.benchmarks.table import row

GROUP = 100_000
WRITER = """
import sys
from pathlib import Path
import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
import riskanalytics as ra
with ra.connect() as client:
    rows = pa.Table.from_pandas(ra.load(client).findings, preserve_index=False)
place = int(sys.argv[1])
rows = pa.concat_tables([rows] * (1_000_000 // rows.num_rows + 1)).slice(0, 1_000_000)
number = pa.array([f"-{place}-{row}" for row in range(rows.num_rows)])
for name in ("slug", "quote", "snapshot_sha256"):
    told = pc.binary_join_element_wise(rows[name].cast(pa.string()), number, "")
    rows = rows.set_column(rows.column_names.index(name), name, told)
pq.write_table(rows, Path(sys.argv[2]) / f"findings-{place}.parquet", compression="zstd", row_group_size=int(sys.argv[3]))
"""
READERS = {
    "the two columns alone (pyarrow)": """
import pyarrow.dataset as ds, sys
for batch in ds.dataset(sys.argv[1]).to_batches(columns=["surface", "risk"]): batch.num_rows
""",
    "DuckDB": """
import duckdb, sys
duckdb.sql(f"select surface, risk, count(*) from '{sys.argv[1]}/*.parquet' group by all").fetchall()
""",
    "Dask": """
import dask.dataframe as dd, sys
dd.read_parquet(sys.argv[1], columns=["surface", "risk"]).groupby(["surface", "risk"], observed=True).size().compute()
""",
    "pandas, whole": """
import pandas as pd, sys
pd.read_parquet(sys.argv[1]).groupby(["surface", "risk"], observed=True).size()
""",
}


class Taken(NamedTuple):
    """Seconds, and the most memory in MB."""

    seconds: float
    memory: float


def taken(*words: str) -> Taken:
    """Return what a script takes in a process of its own."""
    start = perf_counter()
    with subprocess.Popen([sys.executable, "-c", *words]) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"a reader ended with {process.returncode}")
    return Taken(perf_counter() - start, used.ru_maxrss / 1024)


def main() -> None:
    """Print the rows."""
    millions = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        for place in range(millions):
            taken(WRITER, str(place), folder, str(GROUP))
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
        found = {name: taken(script, folder) for name, script in READERS.items()}
        floor = found.pop("the two columns alone (pyarrow)")
        print(f"{millions} million findings, {size:,.0f} MB; the two columns alone: {floor.seconds:.1f} s")
        for name, one in found.items():
            figures = f"{one.seconds:.1f} s, {one.memory:,.0f} MB; the columns alone {floor.seconds:.1f} s, {floor.memory:,.0f} MB"
            row(f"{millions} million findings counted by {name}", figures, one.seconds / floor.seconds)


if __name__ == "__main__":
    main()
