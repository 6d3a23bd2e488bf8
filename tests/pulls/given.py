"""A small service on two days, and pulls of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import riskanalytics as ra
from riskanalytics.pulls import Manifest
from tests.service.given import FILES, build_database

pytest.importorskip("pyarrow", reason='pulls need pyarrow: pip install "riskanalytics[parquet]"')

LATER = "Aurelia Chat/Privacy Policy/2026-03-05.md"
FRAMES = ("platforms", "findings", "leads", "surfaces", "training_use", "documents", "coverage")


def earlier_database(folder: Path) -> Path:
    """The service of `later_database` before its last document came: a database of the same name."""
    return build_database(folder / "earlier", {name: text for name, text in FILES.items() if name != LATER})


def later_database(folder: Path) -> Path:
    return build_database(folder / "later")


def pulled(folder: Path, database: Path, **options: object) -> Manifest:
    """Write a pull of a database."""
    with ra.connect(database) as client:
        return ra.pull(folder, client, **options)  # type: ignore[arg-type]


def files(folder: Path) -> dict[str, bytes]:
    """Files of a folder of pulls, but for unfinished work."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {name: path.read_bytes() for path in paths if ".unfinished" not in (name := str(path.relative_to(folder)))}
