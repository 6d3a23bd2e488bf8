"""Fixtures for the tests of reports."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dask_cluster import DaskCluster, dask_cluster

KEY = "rk-0123456789abcdef"


@pytest.fixture
def short_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder for temporary files of processes that are started. The path of a socket has at most 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="ra") as name:
        monkeypatch.setenv("TMPDIR", name)
        yield Path(name)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("dask"), RISKANALYTICS_API_KEY=KEY) as started:
        yield started


def held(folder: Path) -> dict[str, bytes]:
    """The files of a folder of pages."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}
