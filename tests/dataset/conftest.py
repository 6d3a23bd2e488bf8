"""A small database and a client of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import riskanalytics as ra
from riskanalytics.client import Client
from tests.service.given import build_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("sources"))


@pytest.fixture
def client(database: Path) -> Iterator[Client]:
    with ra.connect(database=database) as client:
        yield client
