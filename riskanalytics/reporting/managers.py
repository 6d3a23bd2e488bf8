"""Kernels for one notebook each: forked where there is `fork`, else started as processes."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from queue import Empty
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from jupyter_core.utils import run_sync

from riskanalytics.reporting.forks import Forked, Zygote, forked_here
from riskanalytics.reporting.kernel import run
from riskanalytics.reporting.ready import ROOMS, Start, report_environment
from riskanalytics.settings import Settings

KERNEL: Final = "python3"
LAUNCHER: Final = "ipykernel_launcher"
_READY: Final = 60.0
"""Seconds that a kernel may take to begin."""
_LONGEST: Final = 95
"""Bytes of the path of a connection file; those of its sockets are longer by a few, and have at most 103 (macOS) or 107."""
_POLL: Final = 0.01
"""Seconds between two looks whether a kernel has ended."""
_BEGIN: Final = (
    "from riskanalytics.pages.section import Section; Section.for_others = False; del Section; "
    "from riskanalytics.processes import collect_seldom; collect_seldom(); del collect_seldom"
)
"""What a report's kernel runs first."""


class Newborn(NamedTuple):
    """A forked kernel that waits to be told how it begins.

    Parameters
    ----------
    process : Forked
    told : int
        Descriptor that it is told on.
    ready : int
        Descriptor on which it says that it can be spoken to.
    """

    process: Forked
    told: int
    ready: int


def newborn(zygote: Zygote) -> Newborn:
    """Have a kernel forked from a zygote."""
    (begin, told), (ready, says) = os.pipe(), os.pipe()
    return Newborn(zygote.fork("riskanalytics.reporting.kernel:run", files=(begin, says)), told, ready)


def newborn_here(*close: int) -> Newborn:
    """Fork a kernel from this very process, which owns no thread and no event loop yet.

    Parameters
    ----------
    *close : int
        Descriptors that the kernel does not keep.
    """
    (begin, told), (ready, says) = os.pipe(), os.pipe()
    process = forked_here(lambda: run(begin, says), close=(told, ready, *close))
    os.close(begin)
    os.close(says)
    return Newborn(process, told, ready)


class _OwnInterpreter(KernelSpecManager):
    """Knows one kernel: this interpreter, whatever is installed on the machine."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the specification of a kernel of this interpreter."""
        argv = [sys.executable, "-m", LAUNCHER, "-f", "{connection_file}"]
        return KernelSpec(argv=argv, language="python", display_name=kernel_name)


class _Client(AsyncKernelClient):
    """Speaks to a kernel that has said that it is ready: does not wait for messages that are not to come."""

    async def _async_wait_for_ready(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 (as jupyter_client names it)
        """Wait for the answer to one question, and for the first message of the channel of outputs."""
        ends = time.monotonic() + (timeout or _READY)
        self.kernel_info()
        waiting = [self.shell_channel, self.iopub_channel]
        while waiting:
            try:
                message = await waiting[0].get_msg(timeout=1)
            except Empty:
                if not await self._async_is_alive() or time.monotonic() > ends:
                    raise RuntimeError("Kernel died before replying to kernel_info") from None
            else:
                if waiting.pop(0) is self.shell_channel:
                    self._handle_kernel_info_reply(message)

    wait_for_ready = _async_wait_for_ready


class _Provisioner(LocalProvisioner):
    """Launches a kernel by telling a newborn one how it begins."""

    newborn: Newborn
    beside: tuple[str, Mapping[str, object], str] | None = None

    async def launch_kernel(self, cmd: list[str], **named: Any) -> KernelConnectionInfo:
        """Have the kernel begin, and wait until it can be spoken to."""
        self.process, told, ready = self.newborn
        self.pid = self.pgid = self.process.pid
        self.cwd = Path(named.get("cwd") or Path.cwd())
        quiet = named.get("stderr") == subprocess.DEVNULL
        start = Start(cmd[cmd.index(LAUNCHER) + 1 :], dict(named["env"]), str(self.cwd), quiet, self.beside)
        with os.fdopen(told, "wb", closefd=False) as pipe:  # left open: its end ends the kernel's group
            pickle.dump(start, pipe)
        with os.fdopen(ready, "rb", buffering=0) as pipe:
            if not select.select([pipe], [], [], _READY)[0] or not pipe.read(1):
                self.process.kill()
                raise RuntimeError("Kernel died before it was ready")
        return self.connection_info

    async def kill(self, restart: bool = False) -> None:  # noqa: ARG002 (as jupyter_client names it)
        """End the kernel, and wait for its end: it comes at once."""
        if self.process:
            self.process.kill()

    async def cleanup(self, restart: bool = False) -> None:
        """Let the kernel's group end, also where the kernel itself has ended before."""
        await super().cleanup(restart=restart)
        if self.newborn.told >= 0:
            os.close(self.newborn.told)
            self.newborn = self.newborn._replace(told=-1)


class KernelManager(AsyncKernelManager):
    """Manages one kernel of this interpreter, with a folder of its own, in which it listens: no TCP port.

    But on Windows, and where the folder's path is too long for sockets, it listens on ports of this machine.

    Parameters
    ----------
    place : str, optional
        Folder that its own is made in.
    **traits : object
    """

    def __init__(self, place: str | None = None, **traits: Any) -> None:
        self.folder = tempfile.mkdtemp(prefix="riskanalytics-", dir=place)
        file = str(Path(self.folder) / "kernel.json")
        sockets = {"transport": "ipc"} if sys.platform != "win32" and len(os.fsencode(file)) <= _LONGEST else {}
        super().__init__(**{**traits, "connection_file": file, **sockets}, kernel_spec_manager=_OwnInterpreter())

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        """Take the folder away, too."""
        await super()._async_cleanup_resources(restart=restart)
        shutil.rmtree(self.folder, ignore_errors=True)

    cleanup_resources = _async_cleanup_resources


class ForkedKernelManager(KernelManager):
    """Manages one forked kernel.

    Parameters
    ----------
    kernel : Newborn
    **traits : object
    """

    def __init__(self, kernel: Newborn, **traits: Any) -> None:
        super().__init__(client_factory=_Client, **traits)
        self.kernel_id = str(uuid.uuid4())
        self.provisioner = _Provisioner(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
        self.provisioner.newborn = kernel

    async def _async_start_kernel(self, **named: Any) -> None:
        """Start the kernel, without the pause that jupyter_client makes then for its tests."""
        await AsyncKernelManager._async_start_kernel.__wrapped__(self, **named)

    start_kernel = _async_start_kernel

    async def _async_wait(self, pollinterval: float = _POLL) -> None:
        """Wait for the end of the kernel, which comes sooner than it is asked for by default."""
        await super()._async_wait(min(pollinterval, _POLL))

    async def _async_interrupt_kernel(self) -> None:
        """Interrupt the kernel, but not as it is ended: between two cells an interrupt would break its loop."""
        if not self.shutting_down:
            await super()._async_interrupt_kernel()


class ReportKernel:
    """A started kernel for one report, as a context manager; it writes no history and runs no start-up files of the user.

    Parameters
    ----------
    settings : Settings
        Which service the notebook's data come from.
    kernel : Newborn or None
        A process is started for the kernel where None.
    place : str, optional
        Folder that it makes its own in.
    beside : tuple, optional
        As of `Start`.
    """

    def __init__(
        self,
        settings: Settings,
        kernel: Newborn | None,
        place: str | None = None,
        beside: tuple[str, Mapping[str, object], str] | None = None,
    ) -> None:
        named = {"place": place, "kernel_name": KERNEL}
        self.manager = ForkedKernelManager(kernel, **named) if kernel else KernelManager(**named)
        if isinstance(self.manager, ForkedKernelManager):
            self.manager.provisioner.beside = beside
        warm = "" if kernel else f"import {', '.join(ROOMS)}; del riskanalytics; "
        run_sync(self.manager.start_kernel)(
            env={**report_environment(settings), "IPYTHONDIR": self.manager.folder},
            stderr=subprocess.DEVNULL,  # what a cell writes to the descriptor itself nobody can rid of the key
            extra_arguments=[
                "--IPKernelApp.log_level=50",
                "--HistoryManager.enabled=False",
                f"--IPKernelApp.exec_lines={warm}{_BEGIN}",
            ],
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(RuntimeError, OSError):
            if self.manager.has_kernel:
                run_sync(self.manager.shutdown_kernel)(now=True)
        with contextlib.suppress(RuntimeError, OSError):
            run_sync(self.manager.cleanup_resources)()
