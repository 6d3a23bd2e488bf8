"""What the workers of a cluster do, and keep for the length of a run: nothing of a run outlives it or its worker."""

from __future__ import annotations

import contextlib
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from riskanalytics.errors import ExecutorError, one_line
from riskanalytics.executors.processes import Outcome, Processes, outcome
from riskanalytics.installed import package_hash

T = TypeVar("T", bound=AbstractContextManager[Any])

_IDLE: Final = 60.0
"""Seconds without a work after which the next run ends one whose command was killed; it is made again if it was not."""
_LOCK: Final = threading.RLock()
_RUNS: Final[dict[str, _Run]] = {}
_ENDED: Final[deque[str]] = deque(maxlen=1000)
_HERE: Final[ContextVar[str]] = ContextVar("run")
"""The run of the work that this thread does."""


class Sealed:
    """A work on its way to a worker; nothing of it is shown by what logs arguments.

    Parameters
    ----------
    content : bytes
    """

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __repr__(self) -> str:
        return "<a work>"

    @classmethod
    def of(cls, run: str, version: str, function: Callable[..., Any], own: list[Any], *, apart: bool) -> Sealed:
        """Seal a work.

        Parameters
        ----------
        run : str
            Which run it is of.
        version : str
            The package's, as `package_hash` tells it.
        function : callable
        own : list
            Its first arguments.
        apart : bool
            Whether it is called in a process below the worker.
        """
        return cls(pickle.dumps((run, version, apart, pickle.dumps((function, own), pickle.HIGHEST_PROTOCOL))))


class _Run:
    """What a worker keeps for a run."""

    def __init__(self) -> None:
        self.exit, self.kept = ExitStack(), dict[str, Any]()
        self.works, self.used = 0, time.monotonic()


def done(sealed: Sealed, *shared: Any) -> bytes:
    """Do a work here, on a worker; give its pickled outcome, as Dask would take a list of records to pieces.

    What it raises is given, too: raised, a worker would log it with all arguments.

    Parameters
    ----------
    sealed : Sealed
    *shared : object
        Its last arguments.
    """
    found = _outcome(sealed, shared)
    try:
        return pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 (an error of a library may not be one that can be sent)
        return pickle.dumps(
            Outcome(None, ExecutorError(f"what it gave cannot be sent: {one_line(found.error or error)}"))
        )


def _outcome(sealed: Sealed, shared: tuple[Any, ...]) -> Outcome:
    """Do a work."""
    run, version, apart, work = pickle.loads(sealed.content)  # noqa: S301 (who can send works can run any code here)
    if version != package_hash():
        return Outcome(None, ExecutorError(another_version("that it was given to")))
    if run in _ENDED:
        return Outcome(None, ExecutorError("the run has ended"))
    with _work_of(run):
        function, own = pickle.loads(work)  # noqa: S301
        if not apart:
            return outcome(function, *own, *shared)
        return outcome(lambda: kept(Processes).submit(function, *own, *shared).result())


@contextlib.contextmanager
def _work_of(name: str) -> Iterator[None]:
    """Do a work of a run."""
    with _LOCK:
        run = _RUNS.get(name) or _begun(name)
        run.works += 1
    entered = _HERE.set(name)
    try:
        yield
    finally:
        _HERE.reset(entered)
        with _LOCK:
            run.works, run.used = run.works - 1, time.monotonic()


def _begun(name: str) -> _Run:
    """Begin a run, and end those that were left."""
    for other in [other for other, run in _RUNS.items() if not run.works and time.monotonic() - run.used > _IDLE]:
        _close(other)
    _RUNS[name] = _Run()
    return _RUNS[name]


def another_version(worker: str) -> str:
    """Say that a worker is refused.

    Parameters
    ----------
    worker : str
        Which one.
    """
    return f"the worker {worker} has another riskanalytics than this one: install the same version there, and start it again"


def begin(run: str, make: Callable[..., AbstractContextManager[Any]], *arguments: Any) -> Exception | None:
    """Make what a run keeps, before its first work; give what that raises.

    Parameters
    ----------
    run : str
    make, *arguments
        As `kept` takes them.
    """
    with _work_of(run):
        return outcome(lambda: kept(make, *arguments) and None).error


def kept(make: Callable[..., T], *arguments: Any) -> T:
    """Return what this worker keeps for the run whose work it does, made where it is not there yet.

    Parameters
    ----------
    make : callable
        Gives a context manager, which is left when the run ends.
    *arguments : object

    Raises
    ------
    ExecutorError
        If the run has ended.
    """
    name = _HERE.get()
    with _LOCK:
        if (run := _RUNS.get(name)) is None:
            raise ExecutorError("the run has ended")
        if make.__name__ not in run.kept:
            run.kept[make.__name__] = run.exit.enter_context(make(*arguments))
        value: T = run.kept[make.__name__]
        return value


def end(run: str) -> None:
    """End what is kept for a run, and the works that it does.

    Parameters
    ----------
    run : str
    """
    with _LOCK:
        _ENDED.append(run)
        _close(run)


def _close(name: str) -> None:
    """Leave what is kept for a run."""
    if run := _RUNS.pop(name, None):
        with contextlib.suppress(Exception):
            run.exit.close()
