"""Shared parts of the tests of batches."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from riskanalytics.work.executors import apart

ROOT = Path(__file__).resolve().parents[2]


def names(folder: Path) -> list[str]:
    """Names of the pages in a folder."""
    return sorted(path.name for path in folder.glob("[!.]*.html") if path.name != "index.html")


def made(folder: Path) -> dict[str, int]:
    """Pages that stand with their manifest, and when each was written."""
    manifests = (path.name.removesuffix(".manifest.json") for path in folder.glob("*.manifest.json"))
    return {name: (folder / f"{name}.html").stat().st_mtime_ns for name in manifests}


def stand(folder: Path, count: int) -> bool:
    """Say whether so many pages stand in a folder."""
    return len(made(folder)) >= count


def command(path: Path, rows: Path, out: Path) -> list[str]:
    """Words of the command."""
    return [sys.executable, "-m", "riskanalytics.cli", "batch", str(path), "--over", str(rows), "--out", str(out)]


def late(seconds: float) -> None:
    """Start a process that sleeps, some moments from now."""
    time.sleep(0.5)
    apart(_asleep, seconds)


def _asleep(seconds: float, _tell: object) -> None:
    time.sleep(seconds)
