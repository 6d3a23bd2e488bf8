"""Work done in processes of this machine, one a core."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, NamedTuple, Self, TypeVar

from riskanalytics.errors import ExecutorError
from riskanalytics.processes import Process, ask, serve, start, stop

T = TypeVar("T")


class Outcome(NamedTuple):
    """What a function gave, or raised."""

    value: Any
    error: Exception | None = None


def outcome(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Call a function, and give what it raises as it gives what it returns.

    Parameters
    ----------
    function : callable
    *arguments : object
    """
    try:
        return Outcome(function(*arguments))
    except Exception as error:  # noqa: BLE001 (raised where the result is asked for)
        return Outcome(None, error)


def call_for_others() -> None:
    """Call the functions that another process names."""
    serve(lambda asked: outcome(*asked))


class Processes:
    """Processes of this machine, each asked for one work at a time, and started when it is needed.

    Parameters
    ----------
    count : int, optional
        One for each core that this process may use without it.

    Attributes
    ----------
    count : int
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = count or cores()
        self._ended, self._starting = False, threading.Lock()
        self._processes: dict[int, Process] = {}
        self._free: queue.LifoQueue[int] = queue.LifoQueue()  # what has started is asked before another one is started
        for place in range(self.count):
            self._free.put(place)
        self._threads = ThreadPoolExecutor(self.count, "riskanalytics-work")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._starting:
            self._ended = True
            for process in self._processes.values():
                stop(process)
        self._threads.shutdown(wait=True)

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> Future[T]:
        """Have a function called in the next process that is free, as `Executor.submit` says.

        A work whose process is killed is given to another one, once. Where none can be started, it is done here.

        Raises
        ------
        ExecutorError
            By the future: if that process ended as well.
        """
        return self._threads.submit(self._asked, function, arguments)

    def _asked(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        """Ask the next process that is free."""
        place = self._free.get()
        try:
            told = self._told(place, (function, *arguments))
        finally:
            self._free.put(place)
        if told.error is not None:
            raise told.error
        value: T = told.value
        return value

    def _told(self, place: int, asked: tuple[Any, ...]) -> Outcome:
        """Ask a process; another in its place where it has ended."""
        for _ in range(2):
            with self._starting:
                if self._ended:
                    raise CancelledError
                process = self._processes.get(place) or start(call_for_others.__module__, call_for_others.__name__)
                if process is None:
                    return outcome(*asked)
                self._processes[place] = process
            try:
                told: Outcome = ask(process, asked)
            except EOFError:
                with self._starting:
                    stop(self._processes.pop(place))
            else:
                return told
        raise ExecutorError(f"the process of {asked[0].__name__} ended early, twice: killed, or out of memory")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
