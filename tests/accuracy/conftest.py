"""A small database and its labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.given import build_database


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of three fictional platforms."""
    return build_database(tmp_path_factory.mktemp("small"))
