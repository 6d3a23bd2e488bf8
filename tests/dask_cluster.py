"""A Dask cluster on this machine, for tests."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.processes_seen import eventually

ROOT = Path(__file__).resolve().parents[1]
QUIET = {"DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False", "PYTHONPATH": str(ROOT)}


class DaskCluster:
    """A scheduler and its workers, each with a nanny that begins it again."""

    def __init__(self, folder: Path, workers: int = 2, **environment: str) -> None:
        pytest.importorskip("distributed", reason="needs the extra dask (distributed)")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.log = folder / "cluster.log"
        self._folder, self._environment = folder, {**os.environ, **QUIET, **environment}
        host, port = self.address.removeprefix("tcp://").split(":")
        self._started: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", host, "--port", port)
        self.nanny = self.join(workers) if workers else None

    def _start(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            started = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, "--no-dashboard"],
                stdout=log, stderr=log, cwd=self._folder, env={**self._environment, **environment},
            )  # fmt: skip
        self._started.append(started)
        return started

    def join(self, count: int, **environment: str) -> subprocess.Popen[bytes]:
        """Have workers join, of one thread each."""
        there = self.begun
        words = ("worker", self.address, "--nworkers", str(count), "--nthreads", "1")
        started = self._start(*words, "--local-directory", str(self._folder), **environment)
        eventually(lambda: self.begun >= there + count)
        return started

    @property
    def begun(self) -> int:
        """How many workers have joined so far; one that is killed joins again."""
        return self.log.read_bytes().count(b"Registered to")

    @property
    def workers(self) -> list[psutil.Process]:
        """The processes of the workers."""
        assert self.nanny is not None
        with contextlib.suppress(psutil.NoSuchProcess):
            below = psutil.Process(self.nanny.pid).children()
            return [one for one in below if "spawn_main" in " ".join(one.cmdline())]
        return []

    def below(self) -> list[psutil.Process]:
        """All that the workers have started."""
        return [one for worker in self.workers for one in worker.children(recursive=True)]

    def close(self) -> None:
        """End all of it."""
        for process in self._started[::-1]:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(15)
            process.kill()
            process.wait()


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int = 2, **environment: str) -> Iterator[DaskCluster]:
    """Begin a cluster; skip the test where Dask is not installed."""
    cluster = DaskCluster(folder, workers, **environment)
    try:
        yield cluster
    finally:
        cluster.close()
