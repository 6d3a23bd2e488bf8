"""Background tasks of the application, from its start to its end."""

from __future__ import annotations

import time
from contextlib import closing

from starlette.testclient import TestClient

from riskanalytics.service import Access, Pace
from riskanalytics.service.corrections import Queue
from riskanalytics.service.server import application
from riskanalytics.settings.databases import Place
from tests.service.given import by_hand


def state_after(queue: Queue, identifier: str, seconds: float) -> str:
    """State of a correction once it has ended, or after so many seconds."""
    latest = time.monotonic() + seconds
    while True:
        found = queue.get(identifier)
        assert found is not None
        if found["state"] in ("done", "failed") or time.monotonic() > latest:
            return found["state"]
        time.sleep(0.05)


def test_corrections_run_only_while_the_application_runs(copied_place: Place) -> None:
    with closing(Access.of(copied_place)) as access:
        queue = Queue(access)
        app = application(copied_place, "https://a.example", Pace(reads=7))
        wanted = queue.request("aurelia-chat")["id"]
        assert state_after(queue, wanted, 0.3) == "queued"
        with by_hand(copied_place) as connection:
            connection.execute(
                "UPDATE snapshot SET sha256 = replace(sha256, substr(sha256, 1, 4), 'ffff') "
                "WHERE id IN (SELECT snapshot_id FROM capture WHERE revision = '2026-02-01')"
            )
        with TestClient(app, base_url="https://a.example") as client:
            assert client.get("/health").json()["status"] == "ok"
            reply = client.get("/api/machine/platform/aurelia-chat")
            assert reply.json()["url"] == "https://a.example/platform/aurelia-chat"
            assert reply.headers["ratelimit-policy"] == '"reads";q=7;w=60'
            assert state_after(queue, wanted, 60) == "done"
            damaged = queue.request("cafe-lumiere")["id"]
            assert state_after(queue, damaged, 60) == "failed"
            reason = {"reason": "the review could not be run; the platform is unchanged"}
            assert (queue.get(damaged) or {})["outcome"] == reason
            assert state_after(queue, queue.request("northwind-draft")["id"], 60) == "done"
        assert state_after(queue, queue.request("cafe-lumiere")["id"], 0.3) == "queued"
        app.state.service.store.close()
        app.state.access.close()
