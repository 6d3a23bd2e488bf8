"""A database that a test may write to, and the keys' file beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riskanalytics.service import Access
from riskanalytics.service.store import backup
from riskanalytics.settings.databases import Place


@pytest.fixture
def database(given_database: Path, tmp_path: Path) -> Path:
    """A copy that a test may write to."""
    backup(given_database, tmp_path / "copy.sqlite")
    return tmp_path / "copy.sqlite"


@pytest.fixture
def access(copied_place: Place) -> Iterator[Access]:
    """The queue's place, in a file and on a server."""
    made = Access.beside(copied_place)
    yield made
    made.close()
