"""Background tasks of the application, from its start to its end."""

from __future__ import annotations

import time
from contextlib import closing

from starlette.testclient import TestClient

from riskanalytics.service import Access, Store, create_app
from riskanalytics.service.corrections import Queue
from riskanalytics.settings.databases import Place


def state_after(queue: Queue, identifier: str, seconds: float) -> str:
    """State of a correction once it is done, or after so many seconds."""
    latest = time.monotonic() + seconds
    while True:
        found = queue.get(identifier)
        assert found is not None
        if found["state"] == "done" or time.monotonic() > latest:
            return found["state"]
        time.sleep(0.05)


def test_corrections_run_only_while_the_application_runs(copied_place: Place) -> None:
    with closing(Store(copied_place)) as store, closing(Access.of(copied_place)) as access:
        queue = Queue(access)
        app = create_app(store, access, public_url="https://a.example", corrects=True)
        wanted = queue.request("aurelia-chat")["id"]
        assert state_after(queue, wanted, 0.3) == "queued"
        with TestClient(app, base_url="https://a.example") as client:
            assert client.get("/health").json()["status"] == "ok"
            assert state_after(queue, wanted, 60) == "done"
        assert state_after(queue, queue.request("cafe-lumiere")["id"], 0.3) == "queued"
