"""Run a notebook and write one self-contained page; headline and method of the reports that notebooks show.

Parts that need pandas are in separate modules: `layout.Report` and `saving.save`, as `ra.Report` and `ra.save`.
"""

from .batches import Batch, batch
from .runner import notebooks_folder, report, run_report

__all__ = ["Batch", "batch", "notebooks_folder", "report", "run_report"]
