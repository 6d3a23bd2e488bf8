"""Fixtures for the tests of reports."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def short_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder for temporary files of processes that are started. The path of a socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="ra") as name:
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)
