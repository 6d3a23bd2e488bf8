"""Makes reports in processes of their own, several at once: forks of one zygote, or processes that are started."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from riskanalytics.errors import ReportError
from riskanalytics.progress import Told
from riskanalytics.reporting.beside import ServiceBeside
from riskanalytics.reporting.forks import BEGIN, CAN_FORK, Forked, Zygote
from riskanalytics.reporting.job import Answer, Contents, Job, Loaded, Step
from riskanalytics.reporting.ready import ROOMS, SERVICE, report_environment
from riskanalytics.settings import Settings


class _Apart(Exception):  # noqa: N818 (a cause, which nobody catches)
    """Where another process raised an error: shown as the cause of it."""


class Workers:
    """Makes reports of one service; close it, or use it as a context manager: what is not finished then, ends.

    Parameters
    ----------
    settings : Settings
        Which service the data come from.
    at_once : int
        Reports that are made at the same time.
    fork : bool
        Whether processes are forked.
    served : bool
        Whether a process beside serves the data of the one report to come.
    """

    def __init__(self, settings: Settings, at_once: int = 1, *, fork: bool = CAN_FORK, served: bool = False) -> None:
        self._environment = report_environment(settings)
        self._started = set[subprocess.Popen[bytes]]()
        self._folder = tempfile.TemporaryDirectory(prefix="riskanalytics-", ignore_cleanup_errors=True)
        self._executor = ThreadPoolExecutor(at_once, "riskanalytics-report")
        modules = ROOMS if served else (*ROOMS, *SERVICE)
        self._begin = ("riskanalytics.reporting.ready:warm", modules, self._folder.name)
        self._served, self._beside = served, list[ServiceBeside]()
        self._calls: list[tuple[Any, ...]] = []
        self._beginning, self._closed = threading.Lock(), False
        self._zygote = Zygote(self._environment, *self._begin) if fork else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def submit(self, job: Job) -> Future[Contents]:
        """Have a report made; its contents come with the future, as does what `result` raises.

        Parameters
        ----------
        job : Job
            Without a folder.
        """
        return self._executor.submit(self.result, "page", job)

    def prepare(self) -> None:
        """Have all that many reports need be imported and made before the first."""
        self.call("riskanalytics.reporting.ready:warm_for_many")

    def serve(self) -> str:
        """Begin the process that serves the data, and give its socket; empty where there is to be none."""
        if not self._served:
            return ""
        place = str(Path(self._folder.name) / "service")
        self._beside.append(ServiceBeside(self._environment, place))
        return place

    def hold(self, loaded: Loaded) -> None:
        """Have all later reports find what was loaded for them.

        Parameters
        ----------
        loaded : Loaded
        """
        if loaded.file:
            self.call("riskanalytics.reporting.loading:hold", loaded.file)

    def kept_file(self, content: bytes) -> str:
        """Write a file that stays until the end, and give its name."""
        file = Path(self._folder.name) / sha256(content).hexdigest()
        file.write_bytes(content)
        return str(file)

    def call(self, function: str, *arguments: object) -> None:
        """Call a function where all later works find what it leaves; nothing is called where processes are not forked."""
        self._calls.append((function, *arguments))
        if self._zygote is not None:
            self._zygote.call(function, *arguments)

    def _another(self, ended: Zygote) -> Zygote:
        """Begin another zygote in place of one that was killed, which holds what that one held."""
        with self._beginning:
            if self._zygote is ended and not self._closed:
                ended.close()
                self._zygote = Zygote(self._environment, *self._begin)
                for call in self._calls:
                    self._zygote.call(*call)
            return self._zygote or ended

    def result(
        self, work: str, argument: object, told: Told | None = None, meanwhile: Callable[[], None] | None = None
    ) -> Any:
        """Have a work of `making` done in a process of its own, and wait for what it gives.

        Parameters
        ----------
        work : str
        argument : object
        told : callable, optional
            Takes note of how far it has come.
        meanwhile : callable, optional
            Called once the work has begun.

        Raises
        ------
        ReportError
            If its process ended early; other errors as the work raised them.
        """
        process, stream = self._begun(work, argument)
        with stream:
            try:
                if meanwhile is not None:
                    meanwhile()
                while isinstance(message := pickle.load(stream), Step):  # noqa: S301 (a process of our own)
                    if told is not None:
                        told(*message)
            except (EOFError, pickle.UnpicklingError):
                message = Answer(None, ReportError("its process ended early: killed, or out of memory"))
            finally:
                process.kill()
                process.wait()
                self._started -= {process}
        if message.error is not None:
            raise message.error from _Apart(message.trace)
        return message.value

    def _begun(self, work: str, argument: object) -> tuple[Forked | subprocess.Popen[bytes], BinaryIO]:
        """Begin a work; give its process, and where it tells how far it has come."""
        asked = (work, argument, self._folder.name)
        if self._zygote is not None:
            try:
                return _forked(self._zygote, asked)
            except EOFError:
                pass
            try:
                return _forked(self._another(self._zygote), asked)
            except EOFError:
                raise ReportError("the process that reports are forked from has ended; begin again") from None
        process = subprocess.Popen(  # noqa: S603 (our own interpreter)
            [sys.executable, "-P", "-c", BEGIN.format(call="riskanalytics.reporting.making:main", arguments=())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self._environment,
            start_new_session=True,  # Ctrl-C is for the process that asks
        )
        self._started.add(process)
        told, answers = cast("tuple[BinaryIO, BinaryIO]", (process.stdin, process.stdout))
        with told:
            pickle.dump(asked, told)
        return process, answers

    def close(self) -> None:
        """End the zygote, and all processes."""
        with self._beginning:
            self._closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
        if self._zygote is not None:
            self._zygote.close()
        for process in list(self._started):
            process.kill()
        for beside in self._beside:
            beside.close()
        self._executor.shutdown()
        self._folder.cleanup()


def _forked(zygote: Zygote, asked: tuple[object, ...]) -> tuple[Forked, BinaryIO]:
    """Have a work begun in a fork; give its process, and where it tells how far it has come."""
    reads, writes = os.pipe()
    stream: BinaryIO = os.fdopen(reads, "rb")
    try:
        return zygote.fork("riskanalytics.reporting.making:run", *asked, files=(writes,)), stream
    except EOFError:
        stream.close()
        raise
