"""A loop in a thread of its own: what runs there can be ended at any moment, whatever a server does."""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers in other threads, also for those inside a running loop; a forked child gets its own.

    The thread ends when this is closed, or nobody holds it any more.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._end = asyncio.Event()
        self._at_end: list[Callable[[], Awaitable[object]]] = []
        self.process = 0

    def started(self) -> asyncio.AbstractEventLoop:
        """Return the loop of this process, running."""
        with self._lock:
            if self._loop is None or self.process != os.getpid():
                self._loop, self.process, self._at_end = asyncio.new_event_loop(), os.getpid(), []
                self._end = asyncio.Event()
                told = (self._loop, self._end, self._at_end)
                self._thread = threading.Thread(target=_serve, args=told, name="riskanalytics-http", daemon=True)
                self._thread.start()
                weakref.finalize(self, _stop, self._loop, self._end, self.process).atexit = False
            return self._loop

    def at_end(self, close: Callable[[], Awaitable[object]]) -> None:
        """Call and await something on the loop before it ends."""
        self._at_end.append(close)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Return what a coroutine returns; an interrupted caller ends it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self.started())
        try:
            return future.result()
        finally:
            future.cancel()

    def each(self, make: Callable[[Callable[[], Any]], AsyncIterator[T]], kept: int) -> Iterator[T]:
        """Give what an asynchronous iterator gives; one that is left is ended.

        Parameters
        ----------
        make : callable
            Makes the iterator; takes a callable that makes a semaphore of `kept` places, released as values are taken.
        kept : int
            Values that may wait to be taken.
        """
        values: queue.SimpleQueue[tuple[T] | BaseException | None] = queue.SimpleQueue()
        loop = self.started()
        room: list[asyncio.Semaphore] = []

        def places() -> asyncio.Semaphore:
            room.append(asyncio.Semaphore(kept))
            return room[0]

        async def fill() -> None:
            end: BaseException | None = None
            try:
                async for value in make(places):
                    values.put((value,))
            except Exception as error:  # noqa: BLE001 (handed to the caller's thread)
                end = error
            finally:
                values.put(end)

        future = asyncio.run_coroutine_threadsafe(fill(), loop)
        try:
            while isinstance(got := values.get(), tuple):
                yield got[0]
                loop.call_soon_threadsafe(room[0].release)
            if isinstance(got, BaseException):
                raise got
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                future.cancel()

    def close(self) -> None:
        """End the loop and its thread."""
        with self._lock:
            loop, thread, self._loop = self._loop, self._thread, None
        if loop is None or thread is None or self.process != os.getpid():
            return
        _stop(loop, self._end, self.process)
        thread.join(5)


def _stop(loop: asyncio.AbstractEventLoop, end: asyncio.Event, process: int) -> None:
    """Have a loop of this process end, without waiting: the collector of memory may call this in any thread."""
    if process == os.getpid():
        with contextlib.suppress(RuntimeError):  # it is closed already
            loop.call_soon_threadsafe(end.set)


def _serve(loop: asyncio.AbstractEventLoop, end: asyncio.Event, at_end: list[Callable[[], Awaitable[object]]]) -> None:
    """Run a loop until its end is told, end what still runs there, and close it."""
    # not run_forever: where no task lasts as long as the loop, anyio starts and ends a thread for each request
    loop.run_until_complete(end.wait())
    loop.run_until_complete(_end_all(loop, at_end))
    loop.close()


async def _end_all(loop: asyncio.AbstractEventLoop, at_end: list[Callable[[], Awaitable[object]]]) -> None:
    """End what still runs on a loop."""
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.gather(*(close() for close in at_end), return_exceptions=True)
    await loop.shutdown_asyncgens()
    await loop.shutdown_default_executor()
