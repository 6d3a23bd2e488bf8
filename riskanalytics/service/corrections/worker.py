"""Runs the queue of corrections, in whichever server process holds the lock."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from riskanalytics.databases import Place, written_out
from riskanalytics.errors import DatabaseError
from riskanalytics.service.corrections.queue import Correction, Queue
from riskanalytics.service.corrections.sole import sole
from riskanalytics.service.keys.access import Access
from riskanalytics.settings import ENVIRONMENT

_LOG: Final = logging.getLogger("riskanalytics.service")
_POLLED: Final = 0.5
_POLLED_AWAY: Final = 5.0
"""Seconds between two looks at a server whether the process that runs corrections has gone: each is a connection."""
_LONGEST_RUN: Final = 900.0
_NOT_RUN: Final = "the review could not be run; the platform is as it was"


class Worker:
    """A thread that runs corrections until it is stopped.

    Parameters
    ----------
    database : Path or Server
    access : Access
        Holds the queue.
    """

    def __init__(self, database: Place, access: Access) -> None:
        self._database = database
        self._access, self._queue = access, Queue(access)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name="riskanalytics-corrections", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End; a run under way is stopped and waits for the next process."""
        self._stopping.set()
        self._thread.join(10)

    def _work(self) -> None:
        """Wait for the lock, then run what waits."""
        while not self._stopping.is_set():
            try:
                with sole(self._database) as still:
                    if still is not None:
                        self._queue.recover()
                        self._run_all(still)
                    elif self._access.trouble:
                        self._access.try_writing()
                self._stopping.wait(_POLLED if isinstance(self._database, Path) else _POLLED_AWAY)
            except (DatabaseError, OSError, ValueError) as error:
                _LOG.error("corrections rest: %s", type(error).__name__)
                self._stopping.wait(10 * _POLLED)

    def _run_all(self, still: Callable[[], bool]) -> None:
        """Run one after the other while the lock is held."""
        while not self._stopping.is_set() and still():
            correction = self._queue.take()
            if correction is None:
                self._stopping.wait(_POLLED)
            else:
                self._run(correction, still)

    def _run(self, correction: Correction, still: Callable[[], bool]) -> None:
        """Run one in a process of its own and write its outcome; whoever has taken the lock meanwhile runs it again."""
        began = time.monotonic()
        command = [sys.executable, "-m", "riskanalytics.service.corrections.rerun", correction.platform]
        # not among the arguments, which every user of the machine can read: an address may hold a password
        environment = os.environ | {ENVIRONMENT["database"]: written_out(self._database)}
        with subprocess.Popen(  # noqa: S603 (our own interpreter; the slug is one the database knows)
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            written = self._awaited(process, still)
        if process.returncode and not still():
            _LOG.error("the correction of %s was stopped: its lock is lost", correction.platform)
        elif self._stopping.is_set() and process.returncode:
            self._queue.put_back(correction.id)
        elif process.returncode:
            _LOG.error("the correction of %s failed with exit code %d", correction.platform, process.returncode)
            if time.monotonic() - began < _LONGEST_RUN:
                self._queue.try_again(correction.id, {"reason": _NOT_RUN})
            else:
                self._queue.finish(correction.id, "failed", {"reason": _NOT_RUN})
            self._stopping.wait(_POLLED)
        else:
            self._queue.finish(correction.id, "done", json.loads(written))

    def _awaited(self, process: subprocess.Popen[bytes], still: Callable[[], bool]) -> bytes:
        """Return what a run wrote; end it where this worker ends, the lock is lost, or the run does not end."""
        latest = time.monotonic() + _LONGEST_RUN
        while True:
            try:
                return process.communicate(timeout=_POLLED)[0]
            except subprocess.TimeoutExpired:
                if self._stopping.is_set() or time.monotonic() > latest or not still():
                    process.kill()
                    return process.communicate()[0]
