"""What a command takes: seconds, processor time, and the memory of all its processes together."""

from __future__ import annotations

import contextlib
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """What a command took.

    Parameters
    ----------
    seconds : float
        From its start to its end.
    processor : float
        Seconds of processor time of all its processes.
    megabytes : float
        Most memory of all its processes at the same time: proportional set size, sampled ten times a second.
    """

    seconds: float
    processor: float
    megabytes: float


def cost_of(command: Sequence[str | Path], longest: float | None = None) -> Cost | None:
    """Run a command, and give what it took; None where it was ended because it took too long.

    Parameters
    ----------
    command : sequence of str or Path
    longest : float, optional
        Seconds.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began, most = time.perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, memory(process.pid))
            if longest is not None and time.perf_counter() - began > longest:
                process.kill()
                return None
            time.sleep(0.1)
        seconds = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(seconds, used, most)


def memory(process: int) -> float:
    """MB (PSS) of a process and all below it."""
    parents: dict[int, int] = {}
    for entry in (path.name for path in Path("/proc").iterdir()):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
    family, grown = {process}, True
    while grown:
        below = {child for child, parent in parents.items() if parent in family} - family
        family |= below
        grown = bool(below)
    total = 0
    for member in family:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024
