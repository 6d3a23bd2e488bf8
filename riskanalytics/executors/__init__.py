"""Where work is done: in this process, in processes of this machine, or on a Dask cluster. One interface for all.

It is the narrow part of `concurrent.futures` that they share: a function of ours with its arguments, a future of what it
gives. What is submitted can be pickled, and gives the same wherever it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, Protocol, Self, TypeVar

from riskanalytics.executors.cluster import Cluster
from riskanalytics.executors.processes import Processes

__all__ = ["WORTH_IT", "Cluster", "Executor", "Here", "Processes", "open_executor"]

T = TypeVar("T")

WORTH_IT: Final = 1_500_000
"""Characters of text below which starting processes costs more than they save."""


class Executor(Protocol):
    """Does work; a context manager: what is not done at its end, is not done.

    Attributes
    ----------
    count : int
        Works that are done at the same time.
    """

    count: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> Future[T]:
        """Have a function called; what it gives or raises comes with the future.

        Parameters
        ----------
        function : callable
            Of a module that can be imported.
        *arguments : object
        """


class Here:
    """Does work in this process, at once."""

    count = 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Nothing is left to end."""

    def submit(self, function: Callable[..., T], /, *arguments: Any) -> Future[T]:
        """Call a function, as `Executor.submit` says."""
        future: Future[T] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:  # noqa: BLE001 (raised where the result is asked for)
            future.set_exception(error)
        return future


def open_executor(dask: str | None = None, characters: int = WORTH_IT) -> Executor:
    """Return what does work: this process, the processes of this machine, one a core, or a cluster.

    Parameters
    ----------
    dask : str, optional
        Address of a Dask scheduler, such as `tcp://10.0.0.5:8786`.
    characters : int
        How much text is to be read: without a cluster, below `WORTH_IT` this process does it.

    Raises
    ------
    ExecutorError, MissingExtraError
        If the cluster cannot be used: one line.
    """
    if dask is not None:
        return Cluster(dask)
    return Processes() if characters >= WORTH_IT else Here()
