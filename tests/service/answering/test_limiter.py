"""What takes long is answered a few at a time: reads and keyed requests do not wait behind it."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from riskanalytics.service import Access, Store, answering, create_app
from tests.http_server import served


@pytest.mark.slow
def test_keyed_requests_are_answered_while_many_questions_wait(
    given_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Path(shutil.copy(given_database, tmp_path / "given.sqlite"))
    begun, go, real = threading.Semaphore(0), threading.Event(), answering.answer_question

    def slow(*values: object) -> object:
        begun.release()
        assert go.wait(30)
        return real(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(answering, "answer_question", slow)
    with closing(Store(database)) as store, closing(Access.of(database)) as access, ThreadPoolExecutor(60) as pool:
        key = access.issue("ann@company.example", "pro")
        with served(create_app(store, access, public_url="https://a.example")) as address:

            def ask(_: int) -> int:
                question = {"question": "Does Aurelia Chat train on my data?"}
                return httpx.post(f"{address}/api/verified/ask", json=question, timeout=60).status_code

            asked = pool.map(ask, range(60))
            assert all(begun.acquire(timeout=20) for _ in range(4))
            assert not begun.acquire(timeout=0.3)
            for path in ("/api/v1/platforms", "/health"):
                assert httpx.get(address + path, headers={"x-api-key": key}, timeout=5).status_code == 200
            go.set()
            assert set(asked) == {200}
