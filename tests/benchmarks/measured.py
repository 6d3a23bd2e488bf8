"""What a command takes: seconds, processor time, and the memory of all its processes together."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_SUBREAPER: Final = 36
"""PR_SET_CHILD_SUBREAPER of linux/prctl.h."""
_LAST: Final = 0.3
"""Seconds in which what is being ended ends."""


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
    before = processor_time()
    began, most = time.perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            most = max(most, memory())
            if longest is not None and time.perf_counter() - began > longest:
                process.kill()
                return None
            time.sleep(0.1)
        seconds = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, command))}")
    return Cost(seconds, processor_time() - before, most)


def processor_time() -> float:
    """Seconds of processor time of all that this process has started and that has ended, orphans among them.

    Orphans become children of this process (PR_SET_CHILD_SUBREAPER, prctl(2)), which counts what it has waited for.
    """
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    time.sleep(_LAST)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory(process: int | None = None) -> float:
    """MB (PSS) of a process and all below it; of all that this process has started where None."""
    parents: dict[int, int] = {}
    for entry in (path.name for path in Path("/proc").iterdir()):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
    family = {child for child, parent in parents.items() if parent == os.getpid()} if process is None else {process}
    grown = True
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
