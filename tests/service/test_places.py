"""Places of open requests: those with a key do not wait behind them."""

from __future__ import annotations

import asyncio
import shutil
import threading
from contextlib import closing, suppress
from pathlib import Path

import httpx

from riskanalytics.service import Access, Store, create_app
from riskanalytics.service.limits import Pace
from riskanalytics.service.places import Places
from tests.http_server import served


def test_so_many_at_once_and_of_one_asker_and_all_in_the_end() -> None:
    places, inside, most = Places(5, 2), [], {"all": 0, "a": 0}

    async def one(asker: str) -> None:
        async with places.taken(asker):
            inside.append(asker)
            most["all"] = max(most["all"], len(inside))
            most["a"] = max(most["a"], inside.count("a"))
            await asyncio.sleep(0.01)
            inside.remove(asker)

    async def all_of_them() -> None:
        await asyncio.gather(*(one(asker) for asker in "aaaaaaaabcdefghijk"))

    asyncio.run(all_of_them())
    assert most == {"all": 5, "a": 2}
    assert not places._of


def test_a_place_is_given_back_by_a_request_that_fails_or_is_given_up() -> None:
    places = Places(1, 1)

    async def fail() -> None:
        async with places.taken("a"):
            raise OSError

    async def run() -> None:
        for _ in range(3):
            with suppress(OSError):
                await fail()
        async with places.taken("a"):
            waiting = asyncio.create_task(fail())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(1), places.taken("a"):
            pass

    asyncio.run(run())


def test_a_keyed_request_is_answered_while_open_ones_hold_all_their_places(
    given_database: Path, tmp_path: Path
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "given.sqlite"))
    with closing(Store(database)) as store, closing(Access.beside(database)) as access:
        key = access.issue("ann@company.example", "pro")
        held, go = threading.Semaphore(0), threading.Event()
        coverage = store.coverage

        def slow(*values: object) -> object:
            held.release()
            assert go.wait(30)
            return coverage(*values)  # type: ignore[arg-type]

        store.coverage = slow  # type: ignore[method-assign, assignment]
        app = create_app(store, access, public_url="https://a.example", pace=Pace())
        with served(app) as address:

            def ask(day: int) -> None:
                httpx.get(f"{address}/api/coverage?as_of=2026-03-{day:02d}", timeout=60)

            threads = [threading.Thread(target=ask, args=(day,)) for day in range(1, 21)]
            for thread in threads:
                thread.start()
            for _ in range(8):
                assert held.acquire(timeout=20)
            assert not held.acquire(timeout=0.3)
            assert httpx.get(f"{address}/api/v1/platforms", headers={"x-api-key": key}, timeout=5).status_code == 200
            assert httpx.get(f"{address}/health", timeout=5).status_code == 200
            go.set()
            for thread in threads:
                thread.join()
