"""Runs the queue of corrections, in whichever server process holds the lock."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from riskanalytics.errors import DatabaseError
from riskanalytics.service.corrections.queue import Correction, Queue
from riskanalytics.service.keys.access import Access

_LOG: Final = logging.getLogger("riskanalytics.service")
_POLLED: Final = 0.5
_LONGEST_RUN: Final = 900.0
_NOT_RUN: Final = "the review could not be run; the platform is as it was"


class Worker:
    """A thread that runs corrections until it is stopped.

    Parameters
    ----------
    database : Path
    access : Access
        Holds the queue.
    """

    def __init__(self, database: Path, access: Access) -> None:
        self._database = database
        self._queue = Queue(access)
        self._lock = FileLock(f"{database}.corrections.lock", mode=0o600)
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
                with self._lock.acquire(timeout=0):
                    self._queue.recover()
                    self._run_all()
            except Timeout:
                self._stopping.wait(_POLLED)
            except (DatabaseError, OSError, ValueError) as error:
                _LOG.error("corrections rest: %s", type(error).__name__)
                self._stopping.wait(10 * _POLLED)

    def _run_all(self) -> None:
        """Run one after the other while the lock is held."""
        while not self._stopping.is_set():
            correction = self._queue.take()
            if correction is None:
                self._stopping.wait(_POLLED)
            else:
                self._run(correction)

    def _run(self, correction: Correction) -> None:
        """Run one in a process of its own and write its outcome."""
        began = time.monotonic()
        command = [sys.executable, "-m", "riskanalytics.service.corrections.rerun", str(self._database)]
        with subprocess.Popen(  # noqa: S603 (our own interpreter; the slug is one the database knows)
            [*command, correction.platform], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            written = self._awaited(process)
        if self._stopping.is_set() and process.returncode:
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

    def _awaited(self, process: subprocess.Popen[bytes]) -> bytes:
        """Return what a run wrote; end it where this worker ends or the run does not."""
        latest = time.monotonic() + _LONGEST_RUN
        while True:
            try:
                return process.communicate(timeout=_POLLED)[0]
            except subprocess.TimeoutExpired:
                if self._stopping.is_set() or time.monotonic() > latest:
                    process.kill()
                    return process.communicate()[0]
