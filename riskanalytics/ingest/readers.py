"""Texts read in processes of their own, one a core: reading is most of the work of an ingest.

The processes are the interpreter itself with one module, asked over pipes. They are not started by `multiprocessing`: that
imports the script that called us once more, and a script without a guard would run twice. A process ends when its pipe
does, also when this one is killed.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any, Final

from riskanalytics.extraction import Reading, extract

WORTH_IT: Final = 1_500_000
"""Characters below which starting the processes costs more than they save."""
_PROGRAM: Final = "from riskanalytics.ingest.readers import serve; serve()"


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
        self._processes = [process for process in (_started() for _ in range(self.count)) if process is not None]
        self._free: queue.SimpleQueue[subprocess.Popen[bytes] | None] = queue.SimpleQueue()
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
            process.kill()
        self._threads.shutdown(wait=True)
        for process in self._processes:
            with contextlib.suppress(OSError):
                process.communicate()

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
        return self._threads.submit(self._asked, texts)

    def _asked(self, texts: Sequence[str]) -> list[Reading]:
        """Ask the next process that is free."""
        process = self._free.get()
        try:
            return _answer(process, texts)
        except (OSError, EOFError, pickle.PickleError):  # ended, by whatever: out of memory, a signal
            process = None
            return [extract(text) for text in texts if not self._ended]
        finally:
            self._free.put(process)


def _answer(process: subprocess.Popen[bytes] | None, texts: Sequence[str]) -> list[Reading]:
    """What a process answers."""
    if process is None or process.stdin is None or process.stdout is None:
        raise EOFError
    pickle.dump(list(texts), process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()
    readings: list[Reading] = pickle.load(process.stdout)  # noqa: S301 (our own process, over a pipe)
    return readings


def _started() -> subprocess.Popen[bytes] | None:
    """Start a process; None where that is not allowed."""
    try:
        return subprocess.Popen(  # noqa: S603 (our own interpreter)
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for this process; the others end with their pipes
        )
    except (OSError, ValueError):
        return None


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def serve() -> None:
    """Read the lists of texts that come in at standard input, and write their readings out, until it ends."""
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    source: IO[bytes] = sys.stdin.buffer
    sink: IO[bytes] = sys.stdout.buffer
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            texts: list[Any] = pickle.load(source)  # noqa: S301 (the process that started this one)
            pickle.dump([extract(text) for text in texts], sink, protocol=pickle.HIGHEST_PROTOCOL)
            sink.flush()
