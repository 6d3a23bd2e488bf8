"""What a forked kernel does: wait for where and how it begins, and then be an IPython kernel."""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import re
import select
import signal
import sys
import time
from importlib import import_module
from typing import Final

from ipykernel.kernelapp import IPKernelApp
from traitlets.config import Config
from traitlets.config.loader import DeferredConfigString

from riskanalytics.reporting.ready import Start

_MOST_FILES: Final = 4_096
"""Descriptors that are looked for to be closed: a fork that waits holds nothing open."""


_GIVEN: Final = re.compile(r"--(\w+)\.(\w+)=(.*)", re.DOTALL)


class _App(IPKernelApp):
    """A kernel that reads the words of its command as its manager writes them: a parser of all that there are takes longer."""

    def parse_command_line(self, argv: list[str] | None = None) -> None:
        """Read the connection file and values of traits; other words as the application does."""
        words = [f"--IPKernelApp.connection_file={argv[1]}", *argv[2:]] if argv and argv[:1] == ["-f"] else argv or []
        given = [_GIVEN.fullmatch(word) for word in words]
        told = Config()
        for match in given:
            if match is None:
                super().parse_command_line(argv)
                return
            told[match[1]][match[2]] = DeferredConfigString(match[3])
        self.cli_config = told
        self.update_config(told)


def run(start: int, ready: int) -> None:
    """Be a kernel.

    Parameters
    ----------
    start : int
        Descriptor on which its `Start` comes; its end is the end of the kernel, and of all that it has started.
    ready : int
        Descriptor on which it says that it can be spoken to.
    """
    _end_with_owner(start)
    with os.fdopen(start, "rb") as told:
        begin: Start = pickle.load(told)  # noqa: S301 (the process that forked this one, over a pipe)
    os.environ.clear()
    os.environ.update(begin.environment)
    time.tzset()
    os.chdir(begin.folder)
    if begin.quiet:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 (no path of ours)
            os.dup2(nowhere.fileno(), 2)
    if not begin.environment.get("PYTHONSAFEPATH"):
        _find_modules_here()
    sys.argv = [sys.argv[0], *begin.arguments]

    begin_to_load = None
    if begin.beside is not None:
        loading = import_module("riskanalytics.reporting.loading")  # other notebooks need none of it
        begin_to_load = loading.load_beside(*begin.beside)
    gc.disable()  # nothing that a kernel begins with is garbage
    app = _App.instance()
    app.initialize(begin.arguments)
    gc.enable()
    os.write(ready, b"1")
    os.close(ready)
    if begin_to_load is not None:
        begin_to_load()
    app.start()
    app.control_thread.join(1)  # it still sends its answer to being ended
    atexit._run_exitfuncs()


def _end_with_owner(start: int) -> None:
    """Leave a process in this one's group that ends the group where the other side of `start` has ended, however it did."""
    if child := os.fork():
        os.waitpid(child, 0)
        return
    if os.fork():  # the kernel has no child that it does not know
        os._exit(0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.closerange(0, start)
    os.closerange(start + 1, _MOST_FILES)
    ended = select.poll()
    ended.register(start, 0)
    ended.poll()
    os.killpg(0, signal.SIGKILL)


def _find_modules_here() -> None:
    """Have modules of the working folder found, after Python's own, where IPython puts it; the zygote does without."""
    installed = (n for n, path in enumerate(sys.path) if os.path.basename(path) in ("site-packages", "dist-packages"))  # noqa: PTH119
    sys.path.insert(next(installed, 0), "")
