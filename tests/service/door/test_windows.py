"""Windows of the pace: in a file that processes share, and in memory where it cannot be written."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from riskanalytics.errors import DatabaseError
from riskanalytics.service import Access, Store, create_app
from riskanalytics.service.door.limits import Limiter, Pace
from riskanalytics.service.door.windows import MemoryWindows, SharedWindows
from tests.http_server import served

SECOND = 1_000_000_000


@pytest.fixture(params=["memory", "file"])
def windows(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryWindows | SharedWindows]:
    if request.param == "memory":
        yield MemoryWindows()
        return
    shared = SharedWindows(tmp_path / "a.pace.sqlite")
    yield shared
    shared.close()


def test_both_kinds_of_windows_count_alike(windows: MemoryWindows | SharedWindows) -> None:
    told = [windows.take("a", lambda at=at: at * SECOND, 3) for at in (100, 110, 120, 130, 159, 160, 161, 5)]
    assert [place.accepted for place in told] == [True, True, True, False, False, True, False, True]
    assert [place.taken for place in told] == [0, 1, 2, 3, 3, 2, 3, 0]
    assert [place.oldest // SECOND for place in told] == [100, 100, 100, 100, 100, 110, 110, 5]
    assert windows.take("b", lambda: 161 * SECOND, 1).accepted


def test_memory_forgets_who_asked_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskanalytics.service.door.windows._MOST_SUBJECTS", 2)
    windows = MemoryWindows()
    for subject in "abc":
        assert windows.take(subject, lambda: SECOND, 1).accepted
    assert not windows.take("c", lambda: SECOND, 1).accepted
    assert windows.take("a", lambda: SECOND, 1).accepted


def test_a_full_window_is_refused_without_the_file_until_a_place_is_free(tmp_path: Path) -> None:
    at = [100 * SECOND]
    limiter = Limiter(tmp_path / "a.pace.sqlite", lambda: at[0])
    assert limiter.take("a", "reads", 1).accepted
    assert not limiter.take("a", "reads", 1).accepted
    with closing(sqlite3.connect(tmp_path / "a.pace.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        at[0] += 30 * SECOND
        refused = limiter.take("a", "reads", 1)
        assert (refused.accepted, refused.seconds, limiter.alone) == (False, 30, False)
        assert time.monotonic() - began < 0.2
    at[0] += 30 * SECOND
    assert limiter.take("a", "reads", 1).accepted
    limiter.close()


def test_a_file_that_somebody_holds_costs_one_short_wait_and_is_used_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riskanalytics.service.door.windows._AGAIN_AFTER", 0.2)
    limiter = Limiter(tmp_path / "a.pace.sqlite")
    assert limiter.take("a", "reads", 5).accepted
    with closing(sqlite3.connect(tmp_path / "a.pace.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        told = [limiter.take("a", "reads", 5).accepted for _ in range(7)]
        assert limiter.alone
        assert told == [True] * 5 + [False] * 2
    limiter.close()
    time.sleep(0.3)
    later = Limiter(tmp_path / "a.pace.sqlite")
    assert later.take("a", "reads", 5).accepted
    assert not later.alone
    later.close()


def test_what_is_no_file_of_windows_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "a.pace.sqlite").write_bytes(b"no database" * 1000)
    windows = SharedWindows(tmp_path / "a.pace.sqlite")
    with pytest.raises(DatabaseError, match="cannot be written"):
        windows.take("a", lambda: SECOND, 1)
    with pytest.raises(DatabaseError, match="a moment ago"):
        windows.take("a", lambda: SECOND, 1)


def test_reads_go_on_and_health_says_so_where_the_windows_cannot_be_written(
    given_database: Path, tmp_path: Path
) -> None:
    import httpx

    database = Path(shutil.copy(given_database, tmp_path / "given.sqlite"))
    (tmp_path / "given.sqlite.pace.sqlite").mkdir()
    with closing(Store(database)) as store, closing(Access.beside(database)) as access:
        app = create_app(store, access, public_url="https://a.example", pace=Pace(reads=3))
        with served(app) as address, httpx.Client(base_url=address) as client:
            assert client.get("/health").json()["status"] == "ok"
            told = [client.get("/api/coverage").status_code for _ in range(4)]
            health = client.get("/health").json()
    assert told == [200, 200, 200, 429]
    assert (health["status"], len(health["faults"])) == ("degraded", 1)
