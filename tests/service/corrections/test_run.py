"""The background task: each correction runs to its end, also after its server was killed."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from riskanalytics.service import Access
from riskanalytics.service.corrections import Queue, run_corrections
from riskanalytics.service.store.records import Json
from riskanalytics.settings.databases import Place
from tests.service.corrections.given import content
from tests.service.given import by_hand


def finished(database: Place, queue: Queue, *identifiers: str, seconds: float = 60) -> list[Json]:
    """Run corrections until these have ended."""

    async def run() -> list[Json]:
        task = asyncio.ensure_future(run_corrections(database, queue))
        try:
            async with asyncio.timeout(seconds):
                while True:
                    found = [queue.get(identifier) or {} for identifier in identifiers]
                    if all(one["state"] in ("done", "failed") for one in found):
                        return found
                    await asyncio.sleep(0.05)
        finally:
            task.cancel()

    return asyncio.run(run())


@pytest.mark.slow
def test_corrections_run_and_their_outcome_is_kept(copied_place: Place, access: Access) -> None:
    queue = Queue(access)
    wanted = [queue.request(slug)["id"] for slug in ("aurelia-chat", "cafe-lumiere")]
    found = finished(copied_place, queue, *wanted)
    assert [one["state"] for one in found] == ["done", "done"]
    assert found[0]["outcome"]["findings"] == {"added": 0, "removed": 0, "kept": 5}


@pytest.mark.slow
def test_a_correction_that_fails_is_told_and_the_next_one_runs(database: Path) -> None:
    with by_hand(database) as connection:
        connection.execute(
            "UPDATE snapshot SET sha256 = replace(sha256, substr(sha256, 1, 4), 'ffff') WHERE id IN (SELECT snapshot_id "
            "FROM capture c JOIN document d ON d.id = c.document_id JOIN platform p ON p.id = d.platform_id "
            "WHERE p.slug = 'aurelia-chat')"
        )
    with contextlib.closing(Access.beside(database)) as access:
        queue = Queue(access)
        wanted = [queue.request(slug)["id"] for slug in ("aurelia-chat", "northwind-draft")]
        found = finished(database, queue, *wanted)
    assert [one["state"] for one in found] == ["failed", "done"]
    assert found[0]["outcome"] == {"reason": "the review could not be run; the platform is as it was"}


HELD = """
import asyncio, sys
from pathlib import Path
from riskanalytics.service import Access
from riskanalytics.service.corrections import Queue, run_corrections
database = Path(sys.argv[1])
asyncio.run(run_corrections(database, Queue(Access.beside(database))))
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.7, 1.5, 2.5])
def test_a_killed_server_leaves_its_correction_to_the_next(database: Path, after: float) -> None:
    before = content(database)
    with contextlib.closing(Access.beside(database)) as access:
        queue = Queue(access)
        wanted = queue.request("aurelia-chat")["id"]
        process = subprocess.Popen([sys.executable, "-c", HELD, str(database)])
        time.sleep(after)
        process.kill()
        process.wait()
        assert [one["state"] for one in finished(database, queue, wanted)] == ["done"]
    assert content(database) == before
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
