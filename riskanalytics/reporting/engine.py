"""A papermill engine that forks kernels from a process which has imported the packages that notebooks use (`reporting.kernel`).

`papermill --engine riskanalytics in.ipynb out.ipynb` and `papermill.execute_notebook(..., engine_name="riskanalytics")` run
any notebook for the kernel `python3`, each in its own kernel; from the second notebook of a process on, kernels start at once.
"""

from __future__ import annotations

from itertools import count
from typing import Any, Final

from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, NotebookExecutionManager

from riskanalytics.work.executors import CAN_FORK

from .kernel import KERNEL, KernelManager
from .runner import ROOMS, warm

_LONGEST_CELL: Final = 600
"""Maximum number of seconds for a cell of a report."""
_WARM: Final = {"riskanalytics": ROOMS, "plotly": ("plotly.graph_objects",), "pandas": ("pandas",), "numpy": ("numpy",)}
"""Word in a notebook -> modules to import beforehand. Not matplotlib: a kernel first sets its backend."""


class WarmKernelEngine(NBClientEngine):
    """Runs a notebook for the kernel `python3` in a forked kernel of this interpreter, any other notebook as papermill does."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, *, report: KernelManager | None = None, **options: Any
    ) -> object:
        """Run the cells of a notebook in the kernel that `report` manages or, if None, in a new one; outputs go into the notebook.

        Parameters
        ----------
        nb_man : papermill.engines.NotebookExecutionManager
            papermill's manager of the notebook.
        kernel_name : str
            Name of the kernel to start, such as `python3`; ignored with `report`.
        report : KernelManager, optional
            Manager of the kernel that was started for a report.
        **options
            With `report`: `progress`, called with the numbers of cells done and of all cells. Else options of papermill's engine.
        """
        if report is not None:
            finish, total, done = nb_man.cell_complete, len(nb_man.nb.cells), count(1)

            def complete(*arguments: object, **named: object) -> object:
                options["progress"](next(done), total)
                return finish(*arguments, **named)

            nb_man.cell_complete = complete
            client = PapermillNotebookClient(nb_man, km=report, timeout=_LONGEST_CELL, kernel_name=KERNEL)
            return client.execute(cleanup_kc=False)  # `report_kernel` ends the kernel
        if CAN_FORK and kernel_name == KERNEL:
            source = "\n".join(cell.source for cell in nb_man.nb.cells if cell.cell_type == "code")
            warm(*dict.fromkeys(module for word, modules in _WARM.items() if word in source for module in modules))
            options["kernel_manager_class"] = KernelManager
        return super().execute_managed_notebook(nb_man, kernel_name, **options)
