"""What a process of ours is told about its memory."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

PINNED = """
import sys
from riskanalytics.processes import give_back_large
def held():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
if sys.argv[1] == "told":
    give_back_large()
freed = b"x" * 30_000_000
del freed  # from here on glibc takes what is smaller for small
before = held()
pages, pins = [], []
for _ in range(60):
    pages.append(b"x" * 1_000_000)
    pins.append(b"x" * 100_000)
del pages
print(held() - before)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="only glibc is told")
def test_large_blocks_go_back_to_the_system_when_they_are_freed() -> None:
    grown = [
        float(subprocess.run([sys.executable, "-c", PINNED, word], check=True, capture_output=True, text=True).stdout)
        for word in ("told", "untold")
    ]
    assert grown[0] < 12 < 40 < grown[1]
