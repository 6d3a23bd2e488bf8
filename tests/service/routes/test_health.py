"""What the service says of itself."""

from __future__ import annotations

from riskanalytics.service.store.records import UNFINISHED
from tests.service.given import Caller


def test_a_sound_service_has_no_faults_and_its_state_is_kept_by_nobody(caller: Caller) -> None:
    reply = caller.call("/health")
    assert reply.json() == {"status": "ok", "newest_capture": caller.store.newest, "faults": []}
    assert reply.headers["cache-control"] == "no-store"


def test_what_does_not_work_is_named(caller: Caller) -> None:
    meta = caller.store.meta
    caller.store.meta = lambda name: "1" if name == UNFINISHED else meta(name)
    caller.access.trouble = caller.app.state.limiter.trouble = True
    told = caller.call("/health").json()
    assert told["status"] == "degraded"
    assert [fault.split(":")[0] for fault in told["faults"]] == [
        "the pace is not counted",
        "the keys' file cannot be written",
        "an ingest goes on, or was cut off and must run again",
    ]
