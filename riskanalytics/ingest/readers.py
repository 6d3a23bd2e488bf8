"""Texts read in processes of their own, one a core: reading is most of the work of an ingest."""

from __future__ import annotations

import os
import queue
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from riskanalytics.extraction import Reading, extract
from riskanalytics.processes import Process, ask, serve, start, stop

WORTH_IT: Final = 1_500_000
"""Characters below which starting the processes costs more than they save."""


class Readers:
    """Processes that read texts; a context manager.

    Parameters
    ----------
    count : int, optional
        Processes; one for each core that this process may use without it.

    Attributes
    ----------
    count : int
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = count or _cores()
        self._ended = False
        started = [start(__name__, "read_for_others") for _ in range(self.count)]
        self._processes = [process for process in started if process is not None]
        self._free: queue.SimpleQueue[Process | None] = queue.SimpleQueue()
        for process in self._processes:
            self._free.put(process)
        if not self._processes:
            self._free.put(None)
        self._threads = ThreadPoolExecutor(max(1, len(self._processes)))

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            stop(process)
        self._threads.shutdown(wait=True)

    def read(self, texts: Sequence[str]) -> Future[list[Reading]]:
        """Ask for the readings of some texts.

        Parameters
        ----------
        texts : sequence of str
            Best the versions of one platform's documents, in order: what they share is read once.

        Returns
        -------
        Future of list of Reading
            In the same order. Where a process fails, the texts are read here.
        """
        return self._threads.submit(self._asked, list(texts))

    def _asked(self, texts: list[str]) -> list[Reading]:
        """Ask the next process that is free."""
        process = self._free.get()
        try:
            readings: list[Reading] = ask(process, texts)
        except EOFError:
            process = None
            readings = [extract(text) for text in texts if not self._ended]
        finally:
            self._free.put(process)
        return readings


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_for_others() -> None:
    """Read the lists of texts that a `Readers` in another process sends."""
    serve(lambda texts: [extract(text) for text in texts])
