"""A service with a few platforms, and an explorer of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import riskanalytics as ra
from riskanalytics import widgets
from riskanalytics.client import Client
from tests.service.given import build_database


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_database(tmp_path_factory.mktemp("widgets"))


@pytest.fixture(scope="module")
def client(database: Path) -> Iterator[Client]:
    with ra.connect(database=database) as opened:
        yield opened


@pytest.fixture
def panel(client: Client) -> Any:
    return widgets.explorer(client).panel
