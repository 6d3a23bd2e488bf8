"""A papermill engine whose kernels are forked warm (`riskanalytics.reporting.kernel`).

`papermill --engine riskanalytics in.ipynb out.ipynb` and `papermill.execute_notebook(..., engine_name="riskanalytics")` run
any notebook of this interpreter so, each on a kernel of its own; the second notebook of a process begins at once.
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
"""Seconds that a cell of a report may take."""
_WARM: Final = {"riskanalytics": ROOMS, "plotly": ("plotly.graph_objects",), "pandas": ("pandas",), "numpy": ("numpy",)}
"""Word in a notebook -> modules that are imported beforehand. Not matplotlib: a kernel says first where its plots go."""


class WarmKernelEngine(NBClientEngine):
    """Runs a notebook of this interpreter (`python3`) on a forked kernel; one of another kernel as papermill does."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, *, report: KernelManager | None = None, **options: Any
    ) -> object:
        """Run the cells.

        Parameters
        ----------
        nb_man : papermill.engines.NotebookExecutionManager
        kernel_name : str
        report : KernelManager, optional
            Of a report: that of its kernel.
        **options
            As papermill's own engine takes them. Of a report: `progress`, called with the cells done and the cells in all.
        """
        if report is not None:
            finish, total, done = nb_man.cell_complete, len(nb_man.nb.cells), count(1)

            def complete(*arguments: object, **named: object) -> object:
                options["progress"](next(done), total)
                return finish(*arguments, **named)

            nb_man.cell_complete = complete
            client = PapermillNotebookClient(nb_man, km=report, timeout=_LONGEST_CELL, kernel_name=KERNEL)
            return client.execute(cleanup_kc=False)  # `report_kernel` ends it
        if CAN_FORK and kernel_name == KERNEL:
            source = "\n".join(cell.source for cell in nb_man.nb.cells if cell.cell_type == "code")
            warm(*dict.fromkeys(module for word, modules in _WARM.items() if word in source for module in modules))
            options["kernel_manager_class"] = KernelManager
        return super().execute_managed_notebook(nb_man, kernel_name, **options)
