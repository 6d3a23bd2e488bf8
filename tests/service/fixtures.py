"""Fixtures of the service's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.given import Caller, build_database


@pytest.fixture(scope="session")
def given_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Path of the literal database."""
    return build_database(tmp_path_factory.mktemp("given"))


@pytest.fixture
def caller(given_database: Path) -> Iterator[Caller]:
    """A caller on the literal database."""
    caller = Caller(given_database)
    yield caller
    caller.close()
