"""The service on the five platforms of `given`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from riskanalytics.service import Store
from riskanalytics.service.wire import Service
from tests.service.answering.given import POLICIES, STANCES, settle, written
from tests.service.given import PUBLIC_URL


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The service on five platforms whose stances are set by hand."""
    database = written(tmp_path_factory.mktemp("many"), POLICIES)
    settle(database, STANCES)
    store = Store(database)
    yield Service(store, PUBLIC_URL)
    store.close()
