"""A papermill engine whose kernel is started beforehand, while the rest is still being imported."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync

from riskanalytics.settings import Settings

KERNEL: Final = "python3"
_WARM: Final = (
    "import pandas, plotly.graph_objects; from riskanalytics import Report, analysis, charts, dataset, sections; "
    "from riskanalytics.pages.section import Section; Section.with_html = False; "
    "del Report, Section, analysis, charts, dataset, sections, pandas, plotly"
)
_FIXED: Final = {
    "PLOTLY_RENDERER": "plotly_mimetype",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
"""Environment of the kernel that makes a page depend on its data and parameters only."""


class _OwnInterpreter(KernelSpecManager):
    """Knows one kernel: this interpreter, whatever is installed on the machine."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the specification of a kernel of this interpreter."""
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=argv, language="python", display_name=kernel_name)


class WarmKernel:
    """A kernel of this interpreter that has imported what reports use; for one notebook, as a context manager.

    It listens on sockets in a folder of its own (no TCP port), writes no history and runs no start-up files
    of the user.

    Parameters
    ----------
    settings : Settings
        Which service the notebook's data come from.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = tempfile.mkdtemp(prefix="riskanalytics-")
        self.manager = AsyncKernelManager(
            kernel_name=KERNEL,
            kernel_spec_manager=_OwnInterpreter(),
            transport="ipc",
            connection_file=str(Path(self._folder) / "kernel.json"),
        )
        run_sync(self.manager.start_kernel)(
            env={**os.environ, **settings.environment(), **_FIXED, "IPYTHONDIR": self._folder},
            extra_arguments=[
                "--IPKernelApp.log_level=50",
                "--HistoryManager.enabled=False",
                f"--IPKernelApp.exec_lines={_WARM}",
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
        shutil.rmtree(self._folder, ignore_errors=True)
