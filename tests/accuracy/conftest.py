"""A small database and its labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.accuracy.given import CAFE
from tests.service.given import FILES, build_database


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of three fictional platforms."""
    files = FILES | {"Café Lumière/Privacy Policy/2026-02-01.md": CAFE}
    return build_database(tmp_path_factory.mktemp("small"), files)
