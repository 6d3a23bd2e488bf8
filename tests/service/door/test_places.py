"""Places of open requests: those with a key do not wait behind them."""

from __future__ import annotations

import asyncio
import shutil
import threading
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from riskanalytics.service import Access, Store, create_app
from riskanalytics.service.door.limits import Pace
from riskanalytics.service.door.places import MOST, MOST_OF_ONE, Places
from tests.http_server import served
from tests.service.given import Caller


def test_so_many_at_once_and_of_one_asker_and_all_in_the_end() -> None:
    places, inside, most = Places(5, 2), [], {"all": 0, "a": 0}

    async def one(asker: str) -> None:
        place = places.of(asker)
        await place.take()
        inside.append(asker)
        most["all"] = max(most["all"], len(inside))
        most["a"] = max(most["a"], inside.count("a"))
        await asyncio.sleep(0.01)
        inside.remove(asker)
        place.leave()
        place.leave()

    async def all_of_them() -> None:
        await asyncio.gather(*(one(asker) for asker in "aaaaaaaabcdefghijk"))

    asyncio.run(all_of_them())
    assert most == {"all": 5, "a": 2}
    assert not places._of


@pytest.mark.parametrize("most", [1, 2])
def test_who_gives_up_waiting_takes_no_place(most: int) -> None:
    places = Places(1, most)

    async def run() -> None:
        held = places.of("a")
        await held.take()
        waiting = asyncio.create_task(places.of("a").take())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        held.leave()
        async with asyncio.timeout(1):
            for _ in range(3):
                again = places.of("a")
                await again.take()
                again.leave()

    asyncio.run(run())
    assert not places._of


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
            for _ in range(MOST_OF_ONE):
                assert held.acquire(timeout=20)
            assert not held.acquire(timeout=0.3)
            assert httpx.get(f"{address}/api/v1/platforms", headers={"x-api-key": key}, timeout=5).status_code == 200
            assert httpx.get(f"{address}/health", timeout=5).status_code == 200
            go.set()
            for thread in threads:
                thread.join()


def test_a_place_is_held_neither_by_a_body_that_comes_slowly_nor_by_a_reader_who_reads_slowly_nor_by_a_failure(
    given_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice as many as there are places: then one more is answered."""
    caller = Caller(given_database, Pace())
    stuck = asyncio.Event()

    async def post(slow_body: bool) -> None:
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "https",
            "path": "/api/verified/ask", "raw_path": b"", "query_string": b"", "root_path": "", "state": {},
            "headers": [(b"content-type", b"application/json")], "server": ("x", 443), "client": ("127.0.0.1", 1),
        }  # fmt: skip
        messages = [{"type": "http.request", "body": b'{"question": "Does it train?"}', "more_body": False}]

        async def receive() -> dict[str, object]:
            if slow_body:
                await stuck.wait()
            return messages.pop() if messages else {"type": "http.disconnect"}

        async def send(_: object) -> None:
            await stuck.wait()

        await caller.app(scope, receive, send)

    async def run() -> None:
        slow = [asyncio.create_task(post(slow_body)) for slow_body in (True, False) for _ in range(2 * MOST)]
        await asyncio.sleep(0.3)
        async with asyncio.timeout(5):
            reply = await caller._call("/llms.txt", "GET", {}, b"", "127.0.0.1")
        assert reply.status == 200
        stuck.set()
        await asyncio.gather(*slow)
        with monkeypatch.context() as during:
            during.setattr(caller.store, "coverage", lambda *_: 1 / 0)
            async with asyncio.timeout(5):
                for _ in range(2 * MOST):
                    assert (await caller._call("/api/coverage", "GET", {}, b"", "127.0.0.1")).status == 500
        assert (await caller._call("/llms.txt", "GET", {}, b"", "127.0.0.1")).status == 200

    asyncio.run(run())
    caller.close()
