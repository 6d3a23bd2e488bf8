"""Fixtures that every part of the suite may use."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with the real policy archive and its labels; the test skips where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs the real policy archive beside the checkout (../shared)")
    return SHARED
