"""Fixtures that every part of the suite may use."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from riskanalytics.dataset import connecting
from riskanalytics.ingest import ingest
from riskanalytics.reporting.runner import ROOMS, warm
from riskanalytics.service.store.files import backup
from tests.pulls.parquet import stand_in
from tests.real_archive import LabelledPart

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job: what tests start would ignore Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).resolve().parents[2] / "shared"

LONG = ("test_directions.py", "notebooks", "test_examples.py", "cli", "reporting", "client", "tool_server")
"""Folders and files whose tests take longest, after one that ingests the real archive: the others then need not wait for it."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that the workers end together; what stands in one file stays together."""
    items.sort(key=lambda item: next((at for at, name in enumerate(LONG) if name in item.path.parts), len(LONG)))


def pytest_collection_finish() -> None:
    """Keep tests and modules, which live until the end, out of garbage collections."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with the real policy archive and its labels; the test skips where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs the real policy archive beside the checkout (../shared)")
    return SHARED


@pytest.fixture(scope="session")
def real_database(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Database of the part of the real archive that tests need, which one worker ingests for all; a test that writes copies it."""
    folder = tmp_path_factory.getbasetemp()
    path = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "real.sqlite"
    with FileLock(path.with_suffix(".lock")):
        if not path.exists():
            with LabelledPart(shared) as collection:
                ingest(collection, path.with_suffix(".part"))
            backup(path.with_suffix(".part"), path)
    return path


@pytest.fixture(scope="session", autouse=True)
def _reports_begin_at_once() -> None:
    """The fork server of this worker imports what reports need once, as for a batch."""
    warm(*ROOMS, "riskanalytics.reporting.execution", "riskanalytics.reporting.loading")


@pytest.fixture(scope="module")
def parquet() -> Iterator[None]:
    """Tables of pulls can be written and read, also without pyarrow."""
    with stand_in():
        yield


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test starts without settings of the person who runs it."""
    for name in [name for name in os.environ if name.startswith("RISKANALYTICS_") and name != "RISKANALYTICS_CACHE"]:
        monkeypatch.delenv(name)
    connecting._NAMED.clear()
    yield


@pytest.fixture(scope="session")
def embedded_demo() -> Path:
    """Path of the demo's database, built by the first test that asks for it."""
    from riskanalytics.demo import demo_database
    from riskanalytics.settings import load_settings

    return demo_database(load_settings().cache)
