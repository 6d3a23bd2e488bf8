"""The process that is forked: it has imported what others need, and runs nothing of theirs.

It owns no event loop and no thread, and but one socket, on which it is asked; a fork closes that first. Who asks is
`riskanalytics.reporting.forks`. Needs a POSIX system.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import random
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

_HEAD: Final = struct.Struct("!Q")
_MOST_FILES: Final = 4
_DIE_WITH_PARENT: Final = 1
"""PR_SET_PDEATHSIG (prctl(2), Linux)."""
LEFT_BEHIND: Final = set[str]()
"""Folders that a zygote removes at its end."""
_ROUNDS: Final = 10


class Question(NamedTuple):
    """What a zygote is asked.

    Parameters
    ----------
    verb : str
        `call`: call a function in the zygote itself; `fork`: call it in a fork, which ends with it; `poll`, `wait`: tell
        the exit code of a fork, None while it runs.
    function : str
        `module:name`.
    arguments : tuple
    """

    verb: str
    function: str = ""
    arguments: tuple[Any, ...] = ()


def send(wire: socket.socket, message: object, files: Sequence[int] = ()) -> None:
    """Send a message, and open files with it."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    socket.send_fds(wire, [_HEAD.pack(len(body))], list(files))
    wire.sendall(body)


def receive(wire: socket.socket) -> tuple[Any, list[int]]:
    """Wait for a message and the files with it.

    Raises
    ------
    EOFError
        If the other side has ended.
    """
    head, files, _, _ = socket.recv_fds(wire, _HEAD.size, _MOST_FILES)
    while 0 < len(head) < _HEAD.size:
        head += wire.recv(_HEAD.size - len(head)) or b"\0" * _HEAD.size
    if len(head) != _HEAD.size:
        raise EOFError
    with wire.makefile("rb", buffering=0) as stream:
        body = bytearray(_HEAD.unpack(head)[0])
        view = memoryview(body)
        while view:
            read = stream.readinto(view)
            if not read:
                raise EOFError
            view = view[read:]
    return pickle.loads(body), files  # noqa: S301 (the process that started this one, over a pair of sockets)


def main(number: int, begin: str = "", *arguments: object) -> None:
    """Answer on a socket until its other side has ended, then end all forks.

    Parameters
    ----------
    number : int
        The socket's descriptor.
    begin : str
        Function that is called before anything is answered, `module:name`.
    *arguments : object
        Its own.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wire, running, ended = socket.socket(fileno=number), set[int](), dict[int, int]()
    gc.disable()  # a collection would copy the pages that forks share
    if begin:
        _answered(Question("call", begin, arguments), [], wire, running, ended)
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            question, files = receive(wire)
            send(wire, _answered(question, files, wire, running, ended))
    for pid in running:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
    for pid in running:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
    for folder in LEFT_BEHIND:
        _remove(folder)


def _remove(folder: str) -> None:
    """Remove a folder, in which a kernel that ends just now may still write."""
    for _ in range(_ROUNDS):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):  # noqa: PTH110 (pathlib is not imported here)
            return
        time.sleep(0.1)


def _answered(
    question: Question, files: list[int], wire: socket.socket, running: set[int], ended: dict[int, int]
) -> tuple[bool, object]:
    """Return whether a question could be answered, and the answer, or the error."""
    try:
        if question.verb == "call":
            answer = _named(question.function)(*question.arguments)
            gc.collect()
            gc.freeze()
            return True, answer
        if question.verb == "fork":
            pid = fork(lambda: _named(question.function)(*question.arguments, *files), close=(wire.fileno(),))
            running.add(pid)
            for file in files:
                os.close(file)
            return True, pid
        (pid,) = question.arguments
        if pid in running and (code := exit_code(pid, wait=question.verb == "wait")) is not None:
            running.discard(pid)
            ended[pid] = code
        return True, ended.get(pid)
    except Exception as error:  # noqa: BLE001 (told to who asked)
        return False, error


def _named(function: str) -> Callable[..., Any]:
    """Return a function by its module and name."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)


def exit_code(pid: int, *, wait: bool) -> int | None:
    """Return the exit code of a fork of this process, negative for a signal; None while it runs."""
    ended, status = os.waitpid(pid, 0 if wait else os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def fork(work: Callable[[], object], close: Sequence[int] = ()) -> int:
    """Fork this process, and do something in the fork, which ends then.

    The fork is the head of a process group of its own, ends when this process does, and draws other random numbers.

    Parameters
    ----------
    work : callable
    close : sequence of int
        Descriptors that the fork does not keep.

    Returns
    -------
    int
        Process id of the fork.
    """
    parent = os.getpid()
    if pid := os.fork():
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)  # here and there: whoever comes first
        return pid
    code = 1
    try:
        for file in close:
            os.close(file)
        _begin_anew(parent)
        work()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 (a fork never goes on where its parent was)
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        os._exit(code)


def _begin_anew(parent: int) -> None:
    """Take away from a fork what it has of its parent's: its group, its handling of signals, its random numbers."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before it was asked for
            os._exit(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    random.seed()
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()
    tempfile.tempdir = None
    gc.enable()
