"""Run functions in other processes of this machine, or on the workers of a Dask cluster, through `concurrent.futures`.

Functions and arguments must be picklable; the result is the same wherever a function runs.
"""

import gc
import logging
import multiprocessing
import os
import pkgutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import forkserver
from types import ModuleType
from typing import Any, Final, NamedTuple

from riskanalytics.errors import ClusterGoneError, ExecutorError, one_line
from riskanalytics.settings import optional_module, package_hash

from . import OnProgress, silent

WORTH_IT: Final = 1_500_000
"""Number of characters of text below which starting processes costs more than it saves."""
CAN_FORK: Final = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether processes are forked: not on Windows, nor on macOS, whose system libraries do not support it."""
_PATIENCE: Final = 10
"""Maximum number of seconds for a Dask scheduler to answer, and for its first worker."""
_ENDED: Final = (
    "process that did the work ended early: it was killed, or ran out of memory; try again with more free memory"
)
_STARTING: Final = threading.Lock()

_context: Any = multiprocessing.get_context("forkserver" if CAN_FORK else "spawn")


class Process(_context.Process):  # type: ignore[misc]
    """A process that does not import the script that started it, so that scripts need no `__main__` guard."""

    def start(self) -> None:
        """Start the process."""
        with _STARTING:
            main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
            try:
                super().start()
            finally:
                sys.modules["__main__"] = main


class _Context(type(_context)):  # type: ignore[misc]
    """Makes processes of the class `Process`."""

    Process = Process


CONTEXT: Final = _Context()


def start_fork_server(*modules: str) -> None:
    """Start multiprocessing's fork server, which imports modules once for all processes that it forks later.

    The function does not wait for the imports. Where processes are not forked (Windows, macOS), it does nothing.

    Parameters
    ----------
    *modules : str
        Names of the modules; importing them must not start threads.
    """
    if not CAN_FORK:
        return
    # so that forks give the same bytes, and import nothing from the working folder
    more = {"PYTHONHASHSEED": "0", "PYTHONSAFEPATH": "1", "PYTHONUTF8": "1"}
    more["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    with _STARTING:
        before = {name: os.environ[name] for name in more if name in os.environ}
        os.environ.update(more)
        try:
            forkserver.set_forkserver_preload(["riskanalytics.work.preloaded", *modules])
            forkserver.ensure_running()
        finally:
            for name in more:
                del os.environ[name]
            os.environ.update(before)


def end_processes() -> None:
    """Kill the running processes that this process started on this machine."""
    for process in multiprocessing.active_children():
        if isinstance(process, Process):
            process.kill()


def follow_parent(then: Callable[[], object] = lambda: None) -> None:
    """End this process as soon as its parent ends, for whatever reason.

    Parameters
    ----------
    then : callable
        Called before the process ends.
    """
    parent = multiprocessing.parent_process()
    # only called in child processes
    assert parent is not None  # noqa: S101

    def wait() -> None:
        parent.join()
        then()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _begin() -> None:
    """Initialise a worker process."""
    # a collection would copy all memory shared with the fork server
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    follow_parent()
    collect_seldom()


def apart(function: Callable[..., Any] | str, *arguments: Any, progress: OnProgress | None = None) -> Any:
    """Call a function in a separate process, and return its result.

    Parameters
    ----------
    function : callable or str
        A function of an importable module, or `module:name` if this process should not import the module. It is called once,
        with `arguments` and, after them, a callable to which it can report its progress.
    *arguments : object
        Arguments of the function.
    progress : callable, optional
        Called in this process with each progress that the function reports: phase, finished steps, all steps or None.

    Raises
    ------
    ExecutorError
        If the process ended before the function did. Errors of the function are raised unchanged.
    """
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_answer, args=(theirs, dict(os.environ), function, *arguments))
    process.start()
    theirs.close()
    try:
        while (message := ours.recv())[0] == "step":
            (progress or silent)(*message[1])
    except (EOFError, OSError):
        raise ExecutorError(f"the {_ENDED}") from None
    finally:
        ours.close()
        process.kill()
        process.join()
    if message[0] == "error":
        raise message[1]
    return message[1]


def _answer(answers: Any, environment: dict[str, str], function: Callable[..., Any] | str, *arguments: Any) -> None:
    """Call a function in this worker process with the environment of the requesting process."""
    os.environ.clear()
    os.environ.update(environment)
    _begin()
    try:
        found = pkgutil.resolve_name(function) if isinstance(function, str) else function
        answers.send(("value", found(*arguments, lambda *step: answers.send(("step", step)))))
    except Exception as error:  # noqa: BLE001 (raised where the function was called)
        answers.send(("error", error))


@contextmanager
def processes(count: int | None = None) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor that runs tasks in processes of this machine; use it in a `with` block.

    At the end of the block, tasks that have not started are dropped. If the block raises an error, running tasks are killed.

    Parameters
    ----------
    count : int, optional
        Number of processes. By default one for each available core.

    Raises
    ------
    ExecutorError
        If one of the processes ended early, because it was killed or ran out of memory.
    """
    pool = ProcessPoolExecutor(count or cores(), mp_context=CONTEXT, initializer=_begin)
    try:
        yield pool
        pool.shutdown(cancel_futures=True)
    except BrokenExecutor as error:
        raise ExecutorError(f"a {_ENDED}") from error
    finally:
        own = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in own:
            process.kill()
            process.join()


class Workers(NamedTuple):
    """An executor, and how many tasks it runs at the same time.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Runs the tasks.
    at_once : int
        Number of tasks that run at the same time.
    share : callable
        Takes bytes that many tasks need, and returns an object to pass to the tasks as argument: they receive the bytes. On a
        cluster the bytes are thus sent once, not with each task.
    """

    executor: Executor
    at_once: int
    share: Callable[[bytes], Any] = bytes


@contextmanager
def open_executor(dask: str | None = None, characters: int = WORTH_IT) -> Iterator[Workers]:
    """Yield an executor for reading texts, with the number of tasks that it runs at the same time; use it in a `with` block.

    The tasks run on a Dask cluster, if `dask` is given; else in processes, if there is much text; else in one thread.

    Parameters
    ----------
    dask : str, optional
        Address of a Dask scheduler, such as `tcp://10.0.0.5:8786`.
    characters : int
        Number of characters to read. Without a cluster, if it is at least `WORTH_IT`, there is one process for each core; else
        one thread of this process.

    Raises
    ------
    ExecutorError
        If the cluster cannot be used, or a worker or process ended early.
    MissingExtraError
        If the package distributed is needed for a cluster, but not installed.
    """
    if dask is not None:
        with dask_cluster(dask) as workers:
            yield workers
    elif characters >= WORTH_IT:
        with processes() as pool:
            yield Workers(pool, cores())
    else:
        with ThreadPoolExecutor(1) as here:
            yield Workers(here, 1)


@contextmanager
def dask_cluster(address: str) -> Iterator[Workers]:
    """Yield the workers of a Dask cluster; use it in a `with` block. At its end, tasks that have not started are dropped.

    Parameters
    ----------
    address : str
        Address of the scheduler. For `tls://`, Dask's configuration names the certificates.

    Raises
    ------
    MissingExtraError
        If the package distributed is not installed.
    ExecutorError
        If the cluster is unreachable or goes away, or a worker ends early or does not have the same version of riskanalytics.
    """
    scheme, sign, rest = address.rpartition("://")
    secret, at, place = rest.rpartition("@")
    # the address may contain a password
    shown = f"{scheme}{sign}{place}"
    dask = optional_module("distributed", "a Dask cluster needs the package distributed", "dask")
    # the error below says that the cluster is gone
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    client, why = None, ""
    try:
        client = dask.Client(address, timeout=_PATIENCE, set_as_default=False)
    except Exception as error:  # noqa: BLE001 (of many kinds, depending on the address)
        why = one_line(error).replace(secret + at, "") if secret else one_line(error)
    if client is None:
        gc.collect()  # a client that failed closes when it is collected; while another one starts, that would be a deadlock
        raise ExecutorError(f"no Dask scheduler answers at {shown} ({why}): give an address like tcp://HOST:8786")
    with client:
        threads = _checked_threads(client, shown)
        executor = client.get_executor(pure=False)
        try:
            yield Workers(executor, threads, client.scatter)
        except CancelledError:
            raise ClusterGoneError(
                f"the Dask cluster at {shown} has gone away: it ended, or the network failed"
            ) from None
        except dask.KilledWorker as error:
            raise ExecutorError(lost(error)) from None
        finally:
            executor.shutdown(wait=False)


def lost(error: Exception) -> str:
    """Return a line that says why Dask gave up a task: a number of workers ended while they ran it.

    `error` is Dask's error, `KilledWorker`, from which the number is taken.
    """
    times = getattr(error, "allowed_failures", 0) + 1
    return f"each of its {times} workers ended: killed, or out of memory; their logs say more"


def _checked_threads(client: Any, shown: str) -> int:
    """Return the number of threads of a cluster; refuse workers with another version of the package."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise ExecutorError(f"the Dask cluster has no workers: start one with 'dask worker {shown}'") from None
    for worker, found in sorted(client.run(package_hash, on_error="return").items()):
        if found != package_hash():
            why = one_line(found) if isinstance(found, Exception) else "another version"
            raise ExecutorError(
                f"the worker {worker} lacks this version of riskanalytics ({why}): install it there, then restart the worker"
            )
    return max(1, sum(map(int, client.nthreads().values())))


def cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def collect_seldom() -> None:
    """Make this process run Python's garbage collector rarely, for tasks whose many small objects live until the task ends."""
    gc.set_threshold(50_000, 20, 100)
