"""A database that a test may write to, and the keys' file beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riskanalytics.service import Access
from riskanalytics.service.store import backup


@pytest.fixture
def database(given_database: Path, tmp_path: Path) -> Path:
    """A copy that a test may write to."""
    backup(given_database, tmp_path / "copy.sqlite")
    return tmp_path / "copy.sqlite"


@pytest.fixture
def access(database: Path) -> Iterator[Access]:
    made = Access.beside(database)
    yield made
    made.close()
