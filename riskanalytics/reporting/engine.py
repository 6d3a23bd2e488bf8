"""A papermill engine whose kernels are forked from a process that has imported what notebooks need.

`papermill --engine riskanalytics in.ipynb out.ipynb` and `papermill.execute_notebook(..., engine_name="riskanalytics")` run
any notebook of this interpreter so, each on a kernel of its own; the second notebook of a process begins at once.
"""

from __future__ import annotations

import ast
import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Final

from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from nbformat import NotebookNode
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, NotebookExecutionManager

from riskanalytics.reporting.forks import CAN_FORK, Zygote
from riskanalytics.reporting.managers import LAUNCHER, ForkedKernelManager, newborn
from riskanalytics.reporting.ready import ROOMS, SERVICE

_KNOWN: Final = ("numpy", "pandas", "plotly.graph_objects", "plotly.express", "ipywidgets")
"""Modules that start no thread: imported beforehand for notebooks that import them. Not matplotlib: a kernel tells it first
where plots go."""
_SHARED: Final[list[_SharedZygote]] = []
"""The zygotes of this process, the current one last; those before it may have kernels that still run."""


class _SharedKernelManager(ForkedKernelManager):
    """Manages a kernel that is forked from the zygote of this process."""

    def __init__(self, **traits: Any) -> None:
        zygote = shared_zygote()
        super().__init__(newborn(zygote), place=zygote.folder, **traits)


class _SharedZygote(Zygote):
    """A zygote with a folder for its kernels, which goes with it: also where who has started it was killed."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.folder = tempfile.mkdtemp(prefix="riskanalytics-")
        super().__init__(environment, "riskanalytics.reporting.ready:warm", (), self.folder)

    def close(self) -> None:
        """End the zygote, and take the folder away."""
        super().close()
        if self.owner == os.getpid():
            shutil.rmtree(self.folder, ignore_errors=True)


def shared_zygote() -> _SharedZygote:
    """Return the zygote of this process, for notebooks in the environment as it is now; it is started where there is none."""
    environment = dict(os.environ)
    current = _SHARED[-1] if _SHARED else None
    if current and current.environment == environment and current.owner == os.getpid() and current.lives:
        return current
    for zygote in _SHARED[:-1]:  # not the last one: another thread may be about to ask it
        if zygote.idle:
            _SHARED.remove(zygote)
            zygote.close()
    zygote = _SharedZygote(environment)
    _SHARED.append(zygote)
    atexit.register(zygote.close)
    return zygote


class WarmKernelEngine(NBClientEngine):
    """Runs a notebook on a kernel that is forked for it; one of another interpreter or language as papermill does."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: NotebookExecutionManager, kernel_name: str, **options: Any) -> object:
        """Run the cells.

        Parameters
        ----------
        nb_man : papermill.engines.NotebookExecutionManager
        kernel_name : str
        **options
            As papermill's own engine takes them. Of reports: `km`, the manager of a started kernel; and `told`, called with
            cells done and cells in all.
        """
        if kernel := options.pop("km", None):
            _tell_each(nb_man, options["told"])
            client = PapermillNotebookClient(
                nb_man, km=kernel, timeout=600, kernel_name=kernel_name, shutdown_kernel="immediate"
            )
            return client.execute(cleanup_kc=True)
        if CAN_FORK and _is_own(kernel_name):
            shared_zygote().call("riskanalytics.reporting.ready:warm", list(_imported(nb_man.nb)))
            options["kernel_manager_class"] = _SharedKernelManager
        return super().execute_managed_notebook(nb_man, kernel_name, **options)


def _tell_each(nb_man: NotebookExecutionManager, told: Callable[[int, int], None]) -> None:
    """Have each finished cell told."""
    finish, total, done = nb_man.cell_complete, len(nb_man.nb.cells), count(1)

    def complete(*arguments: object, **named: object) -> object:
        told(next(done), total)
        return finish(*arguments, **named)

    nb_man.cell_complete = complete


def _is_own(kernel_name: str) -> bool:
    """Say whether a kernel is IPython's in this very interpreter, with nothing of its own."""
    try:
        spec = KernelSpecManager().get_kernel_spec(kernel_name)
    except NoSuchKernel:
        return False
    program, *words = spec.argv or [""]
    generic = program in ("python", "python3")
    own = generic or os.path.abspath(program) == os.path.abspath(sys.executable)  # noqa: PTH100 (links are not followed)
    plain = words[:1] + words[2:] if words[:1] != ["-m"] else words
    return (
        own
        and plain == ["-m", LAUNCHER, "-f", "{connection_file}"]
        and not spec.env
        and not spec.metadata.get("kernel_provisioner")
    )


def _imported(notebook: NotebookNode) -> Iterator[str]:
    """Give the modules that a notebook names in its imports, and that are imported beforehand."""
    named: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            named.update(_names(cell.source))
    yield from (module for module in _KNOWN if module.partition(".")[0] in named)
    yield from (*ROOMS, *SERVICE) if "riskanalytics" in named else ()


def _names(source: str) -> Iterator[str]:
    """Give the first parts of the modules that a cell imports; none of one that is not plain Python."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
