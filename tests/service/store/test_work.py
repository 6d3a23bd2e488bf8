"""The work of a request: it is counted, charged to the pace, and ended when nobody waits for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from riskanalytics.service import Pace, Store
from riskanalytics.service.door.limits import places_for
from riskanalytics.service.store.work import CURRENT, ClientGoneError, Work, spent
from tests.service.given import Caller

MUCH = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT {}) SELECT count(*) FROM n"


@contextmanager
def working() -> Iterator[Work]:
    """Let this thread run for a request."""
    work = Work()
    token = CURRENT.set(work)
    try:
        yield work
    finally:
        CURRENT.reset(token)


def left(caller: Caller, path: str = "/llms.txt", method: str = "GET") -> int:
    """Requests that are left after one more."""
    field = caller.call(path, method=method).headers["ratelimit"]
    return int(field.partition("r=")[2].partition(";")[0])


def test_the_time_of_reading_is_counted_for_the_request_and_for_no_other(given_database: Path) -> None:
    with closing(Store(given_database)) as store:
        with working() as work, store.one_state():
            store.rows(MUCH.format(300_000))
        assert work.seconds > 0.005
        so_far = work.seconds
        store.rows(MUCH.format(300_000))
        assert work.seconds == so_far


def test_a_statement_ends_when_nobody_waits_for_it_and_the_next_does_not_begin(given_database: Path) -> None:
    with closing(Store(given_database)) as store, working() as work:
        gone = threading.Timer(0.1, setattr, (work, "vain", True))
        gone.start()
        began = time.monotonic()
        with pytest.raises(ClientGoneError):
            store.rows(MUCH.format(10**10))
        assert time.monotonic() - began < 5
        with pytest.raises(ClientGoneError):
            store.count()
        gone.join()
        CURRENT.set(None)
        assert store.count() == 3


def test_a_request_that_makes_much_work_counts_for_several(
    given_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (places_for(0.019, 1200), places_for(0.021, 1200), places_for(0.5, 120)) == (0, 1, 2)
    assert (places_for(0.019, 10**7), places_for(0.041, 10**7)) == (0, 2)
    caller = Caller(given_database, Pace(reads=1200, posts=120))
    real = caller.store.coverage

    def slow(*values: object) -> object:
        caller.store.rows(MUCH.format(2_000_000))
        return real(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(caller.store, "coverage", slow)
    assert left(caller) == 1199
    caller.call("/api/coverage")
    deadline = time.monotonic() + 5
    while (now := left(caller)) > 1190 and time.monotonic() < deadline:
        pass
    assert now < 1190
    caller.close()


def test_a_correction_counts_for_the_run_that_it_asks_for(given_database: Path) -> None:
    caller = Caller(given_database, Pace(reads=1200, posts=120))
    assert caller.call("/api/corrections/aurelia-chat", method="POST").status == 202
    told = [left(caller, "/api/nowhere", "POST")]
    deadline = time.monotonic() + 5
    while told[-1] > 114 - len(told) and time.monotonic() < deadline:
        told.append(left(caller, "/api/nowhere", "POST"))
    assert told[-1] == 114 - len(told)  # one for itself and five for the run
    caller.close()


def test_work_outside_of_a_request_counts_for_nobody() -> None:
    spent(1.0)
    assert CURRENT.get() is None
