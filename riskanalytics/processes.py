"""Work given to processes of our own: the same interpreter with one function, asked over its pipes.

They are not started by `multiprocessing`: that imports the script that called us once more, and a script without a guard
would run twice. A process ends when its pipe does, also when the one that started it is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

_MMAP_THRESHOLD: Final = -3
"""M_MMAP_THRESHOLD of glibc's malloc.h."""
_LARGE: Final = 128 << 10
"""Bytes from which a block is large: where glibc itself begins."""

Process = subprocess.Popen[bytes]


def start(module: str, function: str) -> Process | None:
    """Start a process that runs a function without arguments.

    Parameters
    ----------
    module, function : str
        Of this package; the function calls `serve`.

    Returns
    -------
    Popen or None
        None where processes may not be started.
    """
    try:
        return subprocess.Popen(  # noqa: S603 (our own interpreter)
            [sys.executable, "-P", "-c", f"from {module} import {function}; {function}()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for the process that asks; this one ends with its pipe
        )
    except (OSError, ValueError):
        return None


def ask(process: Process | None, question: object) -> Any:
    """Ask a process, and wait for its answer.

    Parameters
    ----------
    process : Popen or None
    question : object
        Can be pickled.

    Returns
    -------
    object

    Raises
    ------
    EOFError
        If there is no process, or it ended without an answer: killed, out of memory, or by a fault.
    """
    if process is None or process.stdin is None or process.stdout is None:
        raise EOFError
    try:
        pickle.dump(question, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        return pickle.load(process.stdout)  # noqa: S301 (our own process, over a pipe)
    except (OSError, ValueError, pickle.PickleError) as error:
        raise EOFError from error


def stop(process: Process) -> None:
    """End a process and take back its pipes.

    Parameters
    ----------
    process : Popen
    """
    process.kill()
    with contextlib.suppress(OSError, ValueError):
        process.communicate()


def serve(answer: Callable[[Any], object]) -> None:
    """Answer in a process that `start` started, question by question, until nobody asks any more.

    Parameters
    ----------
    answer : callable
        From a question to its answer; what it raises ends the process.
    """
    with contextlib.suppress(ValueError, OSError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    collect_seldom()
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            question = pickle.load(sys.stdin.buffer)  # noqa: S301 (from the process that started this one)
            pickle.dump(answer(question), sys.stdout.buffer, protocol=pickle.HIGHEST_PROTOCOL)
            sys.stdout.buffer.flush()


def collect_seldom() -> None:
    """Have this process look for circular garbage seldom: for one work, whose many small objects live to its end."""
    gc.set_threshold(50_000, 20, 100)


def give_back_large() -> None:
    """Have this process give each large block of memory back when it is freed, where the C library is glibc (mallopt(3)).

    glibc keeps larger and larger ones, and a process through which one page after another goes grows with each.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
