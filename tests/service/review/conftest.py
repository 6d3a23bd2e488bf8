"""Stores that the tests of reviews opened are closed with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.review.test_review import OPENED


@pytest.fixture(autouse=True)
def _closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close them before a server drops their databases."""
    if "new_place" in request.fixturenames:
        request.getfixturevalue("new_place")
    yield
    while OPENED:
        OPENED.pop().close()
