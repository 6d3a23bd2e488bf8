"""Asks a zygote for forks; what comes back is handled like a process that was started.

A zygote is a small process that has imported what its forks need, so that each begins in milliseconds.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from riskanalytics.reporting.zygote import Question, exit_code, fork, receive, send

CAN_FORK: Final = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether processes are forked here: not on Windows, nor on macOS, whose own libraries do not bear it."""

_ROOT: Final = str(Path(__file__).parents[2])
BEGIN: Final = (
    f"import sys; sys.path.extend({{{{{_ROOT!r}}}}} - set(sys.path)); from importlib import import_module; "
    "module, name = {call!r}.split(':'); getattr(import_module(module), name)(*{arguments!r})"
)
"""Code of a process that calls a function of ours, wherever the package stands."""


class Forked:
    """A forked process, with what of `subprocess.Popen` is needed to watch and to end it.

    Parameters
    ----------
    pid : int
    code_of : callable
        Asked for the exit code, or None while the process runs; `wait` says whether to wait for it.
    """

    stdin = stdout = stderr = None

    def __init__(self, pid: int, code_of: Callable[..., int | None]) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._code_of = code_of

    def poll(self) -> int | None:
        """Return the exit code; None while the process runs."""
        return self._code(wait=False)

    def wait(self) -> int | None:
        """Wait for the exit code."""
        return self._code(wait=True)

    def _code(self, *, wait: bool) -> int | None:
        """Return the exit code; that of a process whose parent has ended is 1, as it ended with it."""
        if self.returncode is None:
            try:
                self.returncode = self._code_of(self.pid, wait=wait)
            except (OSError, EOFError):
                self.returncode = 1
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process and to what it has started, while it runs."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def kill(self) -> None:
        """End the process and what it has started, and wait for its end."""
        self.send_signal(signal.SIGKILL)
        self.wait()

    def terminate(self) -> None:
        """Ask the process to end."""
        self.send_signal(signal.SIGTERM)


class Zygote:
    """A zygote, as who has started it sees it; close it. May be asked from several threads.

    Parameters
    ----------
    environment : mapping
        Variables that it and its forks begin with.
    *begin : object
        What it calls first, as `call` takes it: nobody waits for it. Texts and numbers alone, in tuples.

    Attributes
    ----------
    environment : dict
    owner : int
        Process id of who has started it; a fork of that one cannot ask.
    """

    def __init__(self, environment: Mapping[str, str], *begin: object) -> None:
        self.environment, self.owner = dict(environment), os.getpid()
        self._lock, self._forks, self._answers = threading.Lock(), list[Forked](), False
        self._wire, theirs = socket.socketpair()
        with theirs:
            code = BEGIN.format(call="riskanalytics.reporting.zygote:main", arguments=(theirs.fileno(), *begin))
            self._process = subprocess.Popen(  # noqa: S603 (our own interpreter)
                [sys.executable, "-P", "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=self.environment,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C is for the process that asks
            )
        self.pid = self._process.pid

    @property
    def lives(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    @property
    def idle(self) -> bool:
        """Whether none of its forks runs; a fork of who has started it has none there."""
        return self.owner != os.getpid() or all(forked.poll() is not None for forked in self._forks)

    def call(self, function: str, *arguments: object) -> Any:
        """Call a function in the zygote itself, so that all later forks find what it leaves.

        Parameters
        ----------
        function : str
            `module:name`; starts no thread, and leaves no loop or open file.
        *arguments : object
        """
        return self._ask(Question("call", function, arguments))

    def fork(self, function: str, *arguments: object, files: Sequence[int] = ()) -> Forked:
        """Call a function in a fork, which ends with it.

        Parameters
        ----------
        function : str
            `module:name`.
        *arguments : object
        files : sequence of int
            Open descriptors: the function is given its own after the arguments, and these are closed here.
        """
        try:
            forked = Forked(self._ask(Question("fork", function, arguments), files), self._code_of)
            self._forks = [other for other in self._forks if other.returncode is None] + [forked]
            return forked
        finally:
            for file in files:
                os.close(file)

    def _code_of(self, pid: int, *, wait: bool) -> int | None:
        """Return the exit code of a fork."""
        code: int | None = self._ask(Question("wait" if wait else "poll", arguments=(pid,)))
        return code

    def _ask(self, question: Question, files: Sequence[int] = ()) -> Any:
        """Ask, and wait for the answer.

        Raises
        ------
        EOFError
            If the zygote has ended.
        """
        try:
            with self._lock:
                send(self._wire, question, files)
                (right, answer), _ = receive(self._wire)
                self._answers = True
        except OSError as error:
            raise EOFError from error
        if not right:
            raise answer
        return answer

    def close(self) -> None:
        """End the zygote, and with it all of its forks; a fork of who has started it only lets it go."""
        if self.owner != os.getpid():
            self._wire.close()
            return
        with contextlib.suppress(OSError):
            self._wire.shutdown(socket.SHUT_RDWR)
        if not self._answers:  # it still imports, and would only look at its end: it has no fork yet
            self._process.kill()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._wire.close()


def forked_here(work: Callable[[], object], close: Sequence[int] = ()) -> Forked:
    """Fork this very process, which owns no thread and no event loop yet; parameters as of `zygote.fork`."""
    return Forked(fork(work, close), exit_code)
