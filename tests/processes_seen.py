"""What tests see of processes, and how they wait for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

_PATIENCE = 120


def eventually(true: Callable[[], object]) -> None:
    """Wait until something is true; fail where it does not become so."""
    ends = time.monotonic() + _PATIENCE
    while not true():
        assert time.monotonic() < ends, "it did not become true"
        time.sleep(0.02)


def ended(pid: int) -> bool:
    """Say whether a process is gone, or only waits to be taken away."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True
