"""Connections to a file, shared by threads."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access, Store
from riskanalytics.service.store.engine import _READERS, _WRITERS
from riskanalytics.service.store.write import Writer
from tests.service.given import by_hand

DESCRIPTORS = Path("/proc/self/fd")
needs_proc = pytest.mark.skipif(not DESCRIPTORS.is_dir(), reason="counts descriptors in /proc")


def opened() -> int:
    return len(list(DESCRIPTORS.iterdir()))


def burst(work: Callable[[], object], threads: int = 40) -> None:
    """Do the same in many threads at once; each of them ends."""
    together = threading.Barrier(threads)

    def wait_and_work() -> None:
        together.wait()
        work()

    all_of_them = [threading.Thread(target=wait_and_work) for _ in range(threads)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()


@pytest.fixture
def copied(given_database: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(given_database, tmp_path / "demo.sqlite"))


@needs_proc
def test_finished_threads_leave_no_connection_open(copied: Path) -> None:
    with closing(Store(copied)) as store, closing(Access.of(copied)) as access:
        key = access.issue("a@b.example", "pro")
        before = opened()
        burst(lambda: (store.platforms(limit=3), access.holder_of(key)))
        # a file and its log for each connection that is kept; SQLite closes a file that others lock later, or uses it again
        most = before + 2 * (_READERS + _WRITERS) + 2 * 40
        for _ in range(20):
            burst(lambda: (store.platforms(limit=3), access.holder_of(key)))
            assert opened() <= most
    assert opened() <= before


@needs_proc
def test_a_replaced_file_is_closed(copied: Path, tmp_path: Path) -> None:
    with closing(Store(copied)) as store:
        for number in range(12):
            burst(lambda: store.platforms(limit=3), 8)
            fresh = Path(shutil.copy(copied, tmp_path / f"fresh{number}.sqlite"))
            fresh.replace(copied)
            assert store.count() == 3
        names = [str(link.readlink()) for link in DESCRIPTORS.iterdir() if link.is_symlink()]
        assert not [name for name in names if name.endswith("(deleted)") and "demo.sqlite" in name]


def test_blocks_of_one_state_share_a_connection_and_others_do_not_wait(copied: Path) -> None:
    with closing(Store(copied)) as store, store.one_state():
        with store.one_state():
            assert store.count() == 3
        with by_hand(copied) as writer:
            writer.execute("INSERT INTO meta VALUES ('written', 'meanwhile')")
        assert store.meta("written") is None
        result: list[str | None] = []
        burst(lambda: result.append(store.meta("written")), 3)
        assert result == ["meanwhile"] * 3
        assert store.meta("written") is None


def test_a_failed_statement_does_not_spoil_the_connection(copied: Path) -> None:
    with closing(Store(copied)) as store:
        with pytest.raises(DatabaseError):
            store.rows("SELECT nothing FROM nowhere")
        assert store.count() == 3


def test_each_transaction_changes_the_version_for_all_threads(copied: Path) -> None:
    with closing(Store(copied)) as store:
        result: list[object] = [store.version()]
        burst(lambda: result.append(store.version()), 10)
        assert len(set(result)) == 1
        with Writer(copied) as writer, writer.transaction():
            writer.remember("written", "meanwhile")
        burst(lambda: result.append(store.version()), 10)
        assert len(set(result)) == 2


def test_a_closed_store_reopens_on_the_next_read(copied: Path) -> None:
    store = Store(copied)
    store.close()
    assert store.count() == 3
    store.close()
