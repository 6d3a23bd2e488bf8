"""Work done by the workers of a Dask cluster.

`distributed.Client.get_executor` does not suffice: it sends all at once, so that a worker that ends puts what only waited for
it under suspicion too, and it keeps the client's own words where the scheduler goes away. Here at most as many works are sent
as the workers have threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from importlib import import_module
from typing import Any, Final, Self, TypeVar

from riskanalytics.errors import ClusterGoneError, ExecutorError, MissingExtraError, RiskAnalyticsError, one_line
from riskanalytics.executors.runs import Sealed, another_version, begin, done, end
from riskanalytics.installed import package_hash

T = TypeVar("T")

_PATIENCE: Final = 10
"""Seconds in which a scheduler answers, and its first worker is there."""
_GLANCE: Final = 0.5
"""Seconds after which one who waits looks whether the cluster is still there."""


class Cluster:
    """A Dask cluster.

    Parameters
    ----------
    address : str
        Of its scheduler, such as `tcp://10.0.0.5:8786`; of `tls://` ones the certificates stand in Dask's configuration.
    at_most : int, optional
        Works that are done at the same time; as many as its workers have threads where None.
    apart : bool
        Whether a worker calls functions in processes below it, which end with the run; else in its own.

    Attributes
    ----------
    count : int
        Threads of the workers that were there at the beginning, or `at_most`.

    Raises
    ------
    MissingExtraError, ExecutorError
        If there is no such cluster, or a worker has another riskanalytics, or none: one line.
    """

    def __init__(self, address: str, *, at_most: int | None = None, apart: bool = True) -> None:
        scheme, sign, rest = address.rpartition("://")
        secret, at, place = rest.rpartition("@")
        self._secret, self._shown = secret + at, f"{scheme}{sign}{place}"  # a password in it is not repeated
        self._apart, self._run, self._ended = apart, uuid.uuid4().hex, threading.Event()
        try:
            self._dask = import_module("distributed")
        except ImportError as error:
            raise MissingExtraError('a Dask cluster needs distributed: pip install "riskanalytics[dask]"') from error
        self._exit = contextlib.ExitStack()
        try:
            self._exit.enter_context(_quiet())
            self._client = self._connected(address)
            threads = self._checked_threads()
        except BaseException:
            self._exit.close()
            raise
        self.count = min(at_most or threads, threads)
        self._threads = ThreadPoolExecutor(self.count, "riskanalytics-work")

    def _connected(self, address: str) -> Any:
        """Connect to the scheduler."""
        try:
            with ThreadPoolExecutor(1) as other:  # a notebook's own thread runs a loop already
                other.submit(asyncio.run, _greeted(address)).result()
            client = self._dask.Client(address, timeout=_PATIENCE, set_as_default=False)
        except Exception as error:  # noqa: BLE001 (of many kinds, by what stands at the address)
            why = one_line(error).replace(self._secret, "") if self._secret else one_line(error)
            raise ExecutorError(f"no Dask scheduler answers at {self._shown}, such as tcp://HOST:8786: {why}") from None
        self._exit.callback(client.close, timeout=_PATIENCE)
        return client

    def _checked_threads(self) -> int:
        """Return how many threads the workers have; refuse those that would do the work otherwise, or not at all."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise ExecutorError(
                f"the Dask cluster at {self._shown} has no workers: start one with 'dask worker {self._shown}'"
            ) from None
        told: dict[str, object] = self._client.run(package_hash, on_error="return")
        for worker, version in sorted(told.items()):
            if isinstance(version, Exception):
                raise ExecutorError(
                    f"the worker {worker} lacks this riskanalytics: install it there ({one_line(version)})"
                )
            if version != package_hash():
                raise ExecutorError(another_version(worker))
        return max(1, sum(map(int, self._client.nthreads().values())))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._leave()
        self._threads.shutdown(wait=True)
        self._exit.close()

    def begin(self, make: Callable[..., Any], *arguments: Any) -> None:
        """Have each worker make what it keeps for this run, before the first work asks for it.

        Parameters
        ----------
        make, *arguments
            As `runs.kept` takes them.

        Raises
        ------
        RiskAnalyticsError
            What one of them raises.
        """
        for worker, told in self._client.run(begin, self._run, make, *arguments, on_error="return").items():
            if isinstance(told, RiskAnalyticsError):
                raise told
            if isinstance(told, Exception):
                raise ExecutorError(f"the worker {worker} cannot be used: {one_line(told)}")

    def _leave(self) -> None:
        """Have the workers end what they keep for this run; one that has gone has done so."""

        def call() -> None:
            with contextlib.suppress(Exception):
                self._client.run(end, self._run, on_error="ignore")

        if self._client.status == "running":
            calling = threading.Thread(target=call, daemon=True)
            calling.start()
            calling.join(_PATIENCE)

    def shared(self, value: bytes) -> Any:
        """Return what stands for a value among the last arguments of works: a worker is sent it once.

        Parameters
        ----------
        value : bytes
        """
        return self._client.submit(bytes, value, key=f"riskanalytics-data-{uuid.uuid4().hex}")

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> Future[T]:
        """Have a function called by a worker, as `Executor.submit` says; the work of one that is lost is given to another.

        Raises
        ------
        ExecutorError
            By the future: if the cluster has gone, each worker that it was given to ended, or one is of another version.
        """
        return self._threads.submit(self._asked, function, arguments)

    def _asked(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        """Send a work, and wait for what it gives."""
        shared = [one for one in arguments if isinstance(one, self._dask.Future)]
        own = [one for one in arguments if not isinstance(one, self._dask.Future)]
        sealed = Sealed.of(self._run, package_hash(), function, own, apart=self._apart)
        name = f"riskanalytics-{function.__name__}-{uuid.uuid4().hex}"
        with self._told_why():
            told = pickle.loads(self._waited(self._client.submit(done, sealed, *shared, key=name)))  # noqa: S301 (our worker)
        if told.error is not None:
            raise told.error
        value: T = told.value
        return value

    def _waited(self, future: Any) -> Any:
        """Wait for a work."""
        while not self._ended.is_set():
            try:
                return future.result(timeout=_GLANCE)
            except TimeoutError:
                if self._client.status != "running":
                    break
        raise CancelledError

    @contextlib.contextmanager
    def _told_why(self) -> Iterator[None]:
        """Tell in one line why a work was lost."""
        try:
            yield
        except self._dask.KilledWorker as error:
            times = error.allowed_failures + 1
            raise ExecutorError(
                f"each of the {times} workers that it was given to ended: killed, or out of memory; their logs tell more"
            ) from None
        except Exception as error:  # noqa: BLE001 (of many kinds)
            if self._ended.is_set():
                raise CancelledError from None
            if isinstance(error, CancelledError) or self._client.status != "running":
                raise ClusterGoneError(
                    f"the Dask cluster at {self._shown} has gone away: it ended, or the network did"
                ) from None
            lacks = ": a worker that came later lacks this riskanalytics" if isinstance(error, ImportError) else ""
            raise ExecutorError(f"the Dask cluster could not do it{lacks} ({one_line(error)})") from None


async def _greeted(address: str) -> None:
    """Connect to a scheduler for a moment: a client that cannot connect does not end by itself."""
    asked = import_module("distributed.security").Security().get_connection_args("client")
    wire = await import_module("distributed.comm").connect(address, timeout=_PATIENCE, **asked)
    await wire.close()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Have Dask not tell what we tell in a line; and not warn of works that hold many texts."""
    told = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    handlers = {handler for logger in told for handler in logger.handlers}

    def none(_record: logging.LogRecord) -> bool:
        return False

    for handler in handlers:
        handler.addFilter(none)
    try:
        with import_module("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
            yield
    finally:
        for handler in handlers:
            handler.removeFilter(none)
