"""A frame of 50,000 findings against bare `DataFrame.from_records` (aim at most 2), and against pandas with its dtypes.

python -m tests.benchmarks.bench_frames
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pandas as pd

from riskanalytics.frames import findings_frame
from tests.benchmarks.table import row

ROWS = 50_000


def record(number: int) -> dict[str, object]:
    """One finding, as the wire shows it."""
    return {
        "slug": f"platform-{number % 300}", "name": f"Platform {number % 300}", "id": f"{number:020x}",
        "quote": f"We may use content number {number} to improve the service.", "surface": "training_use", "risk": "MED",
        "polarity": "raises_risk", "confidence": 0.8, "confidence_interval": [0.7, 0.9], "rule": "training_use.used",
        "scope": {"audience": None, "region": None, "product": None}, "conflicts_with": [], "duplicate_of": None,
        "verification_status": "verified",
        "provenance": {"snapshot_sha256": f"{number % 900:064x}", "archive_url": f"https://a.example/{number % 900}",
                       "start": number, "end": number + 60, "document": "Privacy Policy",
                       "captured_at": f"2026-{1 + number % 12:02d}-05T00:00:00Z"},
    }  # fmt: skip


def best(build: Callable[[], object], runs: int = 5) -> float:
    """Fewest seconds of processor time of some runs."""
    seconds = []
    for _ in range(runs):
        began = time.process_time()
        build()
        seconds.append(time.process_time() - began)
    return min(seconds)


def main() -> None:
    """Print the ratios."""
    records = [record(number) for number in range(ROWS)]
    made = findings_frame(records)
    flat = [
        dict(zip(made, result, strict=True)) for result in zip(*(made[name].tolist() for name in made), strict=True)
    ]
    ours = best(lambda: findings_frame(records))
    bare = best(lambda: pd.DataFrame.from_records(records))
    typed = best(lambda: pd.DataFrame.from_records(flat).astype(made.dtypes.to_dict()))
    row("frame of 50,000 findings", f"{ours:.2f} s; `DataFrame.from_records` as objects {bare:.2f} s", ours / bare, 2)
    row("the same", f"{ours:.2f} s; pandas, flat records to the same dtypes {typed:.2f} s", ours / typed)


if __name__ == "__main__":
    main()
