"""Kills pulls at random moments, and looks at what they leave: prints how many were killed, how many ended, and faults.

usage: killed.py FOLDER EARLIER LATER TIMES
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import riskanalytics as ra
from riskanalytics.dataset.storage import check_pulls


def pull(folder: Path, database: Path) -> float:
    """Pull, and tell how long it took."""
    began = time.perf_counter()
    with ra.connect(database) as client:
        ra.pull(folder, client, snapshots=True)
    return time.perf_counter() - began


def child(folder: Path, database: Path) -> int:
    """Start a pull in a process of its own."""
    made = os.fork()
    if not made:
        pull(folder, database)
        os._exit(0)
    return made


def main() -> None:
    folder, earlier, later, times = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
    longest = min(pull(folder / "first", database) for database in (earlier, later, earlier))
    place, killed, whole, damaged = folder / "pulls", 0, 0, 0
    moments = random.Random(14)
    for turn in range(times):
        process = child(place, earlier if turn % 20 < 10 else later)
        time.sleep(moments.uniform(0, 1.2 * longest))
        os.kill(process, signal.SIGKILL)
        if os.WIFSIGNALED(os.waitpid(process, 0)[1]):
            killed += 1
        else:
            whole += 1
        if any(place.glob("*/manifest.json")):
            damaged += len(check_pulls(place).damaged)
    pull(place, later)
    with ra.connect(place) as client, ra.connect(later) as service:
        damaged += not ra.load(client).findings.equals(ra.load(service).findings)
    damaged += len(check_pulls(place).damaged)
    print(killed, whole, damaged)


if __name__ == "__main__":
    main()
