"""Workers: each correction runs once, also when processes die."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from riskanalytics.service import Access
from riskanalytics.service.corrections import Queue, Worker
from tests.service.corrections.given import content


def finished(queue: Queue, identifier: str, seconds: float = 60) -> str:
    """State of a correction once it has ended."""
    latest = time.monotonic() + seconds
    while time.monotonic() < latest:
        found = queue.get(identifier)
        assert found is not None
        if found.state in ("done", "failed"):
            return found.state
        time.sleep(0.05)
    return "open"


HELD = """
import sys, time
from pathlib import Path
from riskanalytics.service import Access
from riskanalytics.service.corrections import Worker
from tests.service.given import by_hand
database = Path(sys.argv[1])
Worker(database, Access.beside(database)).start()
time.sleep(60)
"""


@pytest.mark.slow
def test_two_workers_on_one_database_run_each_correction_once(database: Path, access: Access) -> None:
    queue = Queue(access)
    wanted = [queue.request(slug).id for slug in ("aurelia-chat", "cafe-lumiere")]
    workers = [Worker(database, access) for _ in range(2)]
    for worker in workers:
        worker.start()
    assert [finished(queue, identifier) for identifier in wanted] == ["done", "done"]
    for worker in workers:
        worker.stop()
    with access.reading() as connection:
        assert connection.execute("SELECT sum(attempts) FROM correction").fetchone()[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.3, 0.7, 1.1])
def test_a_killed_server_leaves_its_correction_to_the_next(database: Path, access: Access, after: float) -> None:
    before = content(database)
    queue = Queue(access)
    wanted = queue.request("aurelia-chat").id
    process = subprocess.Popen([sys.executable, "-c", HELD, str(database)])
    time.sleep(after)
    process.kill()
    process.wait()
    worker = Worker(database, access)
    worker.start()
    assert finished(queue, wanted) == "done"
    worker.stop()
    assert content(database) == before
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
