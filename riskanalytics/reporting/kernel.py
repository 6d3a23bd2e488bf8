"""Kernels that start at once: forked from multiprocessing's fork server, which has imported the packages that notebooks use."""

import asyncio
import atexit
import gc
import multiprocessing.context
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from jupyter_core.utils import run_sync

from riskanalytics.work.executors import CAN_FORK, Process, collect_seldom, follow_parent

KERNEL: Final = "python3"
_LONGEST: Final = 95
"""Maximum path length of a connection file in bytes. The paths of its sockets are longer; their limit is 103 (macOS) or 107."""
_PATH: Final = list(sys.path)
"""Module search path; in the fork server without the working folder."""


class _LikePopen:
    """The methods of `subprocess.Popen` that jupyter_client calls, for a process of multiprocessing."""

    stdin = stdout = stderr = None
    exitcode: int | None
    pid: int
    join: Callable[[], None]

    def poll(self) -> int | None:
        """Return the exit code; None while the process runs."""
        return self.exitcode

    def wait(self) -> int | None:
        """Wait for the exit code."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)


class _Forked(_LikePopen, Process):
    """The process of a kernel, forked from the fork server."""


class _ForkedHere(_LikePopen, multiprocessing.context.ForkProcess):  # type: ignore[misc]
    """The process of a kernel, forked from this process, which has no thread yet."""


def run_kernel(arguments: list[str], environment: Mapping[str, str], folder: str, own: str, *, quiet: bool) -> None:
    """Run an IPython kernel in this process, which was forked for it, until the kernel is shut down.

    Parameters
    ----------
    arguments : list of str
        Command-line arguments of IPython's kernel.
    environment : mapping
        Environment variables of the kernel.
    folder : str
        Working folder of the kernel.
    own : str
        Folder of the kernel's connection file; removed if the process that requested the kernel is killed.
    quiet : bool
        Whether to discard output to stdout and stderr, because it could contain the service's key.
    """
    gc.freeze()  # a collection would copy all memory shared with the fork server
    gc.set_threshold(700, 10, 10)  # Python's defaults: a notebook may create garbage
    os.setsid()  # processes of the notebook end with it

    def end() -> None:
        shutil.rmtree(own, ignore_errors=True)
        os.killpg(0, signal.SIGKILL)

    follow_parent(end)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()  # otherwise all kernels draw the same numbers
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    more = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:] = [*(place for place in more if place and place not in _PATH), *_PATH]
    if not environment.get("PYTHONSAFEPATH"):  # as IPython does: after Python's own modules
        installed = (at for at, place in enumerate(sys.path) if place.endswith(("site-packages", "dist-packages")))
        sys.path.insert(next(installed, len(sys.path)), "")
    if quiet:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 (no path of ours)
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
    asyncio.set_event_loop(asyncio.new_event_loop())  # not the loop of the fork server
    app = import_module("ipykernel.kernelapp").IPKernelApp.instance(parent_handle=os.getppid())
    app.initialize(arguments)
    app.start()
    app.control_thread.join(1)  # it still sends its reply to the shutdown request
    atexit._run_exitfuncs()


class _Provisioner(LocalProvisioner):
    """Launches a kernel by forking."""

    async def launch_kernel(self, cmd: list[str], **named: Any) -> KernelConnectionInfo:
        """Fork the kernel."""
        self.cwd = Path(named.get("cwd") or Path.cwd())
        arguments, environment = cmd[cmd.index("ipykernel_launcher") + 1 :], dict(named["env"])
        where, quiet = (str(self.cwd), self.parent.folder), named.get("stderr") == subprocess.DEVNULL
        kind = _ForkedHere if self.parent.here else _Forked
        self.process = kind(target=run_kernel, args=(arguments, environment, *where), kwargs={"quiet": quiet})
        self.process.start()
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class KernelManager(AsyncKernelManager):
    """Manages one kernel that runs the current Python interpreter; the kernel is forked where the operating system allows it.

    The kernel listens on sockets in its own folder, or on local ports (on Windows, or if the folder's path is too long).

    Parameters
    ----------
    here : bool
        Whether to fork the kernel from this process, which must not have threads yet, instead of from the fork server.
    **traits : object
        Options of jupyter_client's `AsyncKernelManager`.
    """

    def __init__(self, *, here: bool = False, **traits: Any) -> None:
        self.here = here
        self.folder = tempfile.mkdtemp(prefix="riskanalytics-")
        file = str(Path(self.folder) / "kernel.json")
        sockets = {"transport": "ipc"} if sys.platform != "win32" and len(os.fsencode(file)) <= _LONGEST else {}
        specs = KernelSpecManager(kernel_dirs=[])  # this interpreter, whatever kernels are installed
        super().__init__(**{**traits, "connection_file": file, **sockets}, kernel_spec_manager=specs)
        if CAN_FORK:
            self.kernel_id = str(uuid.uuid4())
            self.provisioner = _Provisioner(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        """Remove the folder too."""
        await super()._async_cleanup_resources(restart=restart)
        shutil.rmtree(self.folder, ignore_errors=True)

    cleanup_resources = _async_cleanup_resources


@contextmanager
def report_kernel(environment: Mapping[str, str], held: str = "", folder: str = "") -> Iterator[KernelManager]:
    """Start a kernel for one report, yield its manager, and end the kernel; output outside the notebook is discarded.

    Parameters
    ----------
    environment : mapping
        Environment variables of the kernel.
    held : str
        File of the data loaded for all reports of a batch; empty outside a batch.
    folder : str
        Working folder; by default that of this process.
    """
    manager = KernelManager(here=True, kernel_name=KERNEL)
    begin = f"from {__name__} import begin_report; begin_report({held!r}); del begin_report"
    try:
        run_sync(manager.start_kernel)(
            env={**environment, "IPYTHONDIR": manager.folder},  # without start-up files of the user
            stderr=subprocess.DEVNULL,  # it could contain the key
            extra_arguments=[
                "--IPKernelApp.log_level=50", "--HistoryManager.enabled=False", f"--IPKernelApp.exec_lines={begin}"
            ],
            **({"cwd": folder} if folder else {}),
        )  # fmt: skip
        yield manager
    finally:
        with suppress(RuntimeError, OSError):
            if manager.provisioner:  # do not wait for its end, which takes a third of a second
                run_sync(manager.provisioner.kill)()
        shutil.rmtree(manager.folder, ignore_errors=True)


def begin_report(held: str = "") -> None:
    """Prepare the current kernel for one report: omit the HTML and drawings of outputs, which only live notebooks show.

    Parameters
    ----------
    held : str
        File of the data loaded for all reports of a batch; empty outside a batch.
    """
    collect_seldom()
    import_module("riskanalytics.pages.section").Section.for_others = False
    if held:
        import_module("riskanalytics.reporting.loading").hold(held)
