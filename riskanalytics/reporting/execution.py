"""papermill with our engine: the kernel is handed in, and each finished cell is told."""

from __future__ import annotations

from typing import Any

from papermill import execute_notebook
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines
from papermill.exceptions import PapermillExecutionError

__all__ = ["PapermillExecutionError", "WarmKernelEngine", "execute_notebook"]


class WarmKernelEngine(NBClientEngine):
    """Runs a notebook on a kernel that was started before."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
        """Run the cells.

        Parameters
        ----------
        nb_man : papermill.engines.NotebookExecutionManager
        kernel_name : str
        **options
            `km`: the started kernel's manager; `told`: called with cells done and cells in all.
        """
        manager, told = options.get("km"), options.get("told")
        if manager is None:
            return super().execute_managed_notebook(nb_man, kernel_name, **options)
        if told is not None:
            _tell_each(nb_man, told)
        client = PapermillNotebookClient(nb_man, km=manager, timeout=600, kernel_name=kernel_name)
        return client.execute(cleanup_kc=True)


def _tell_each(nb_man: Any, told: Any) -> None:
    """Have each finished cell told."""
    finish, total, done = nb_man.cell_complete, len(nb_man.nb.cells), 0

    def complete(*arguments: Any, **named: Any) -> Any:
        nonlocal done
        done += 1
        told(done, total)
        return finish(*arguments, **named)

    nb_man.cell_complete = complete


papermill_engines.register("riskanalytics", WarmKernelEngine)
