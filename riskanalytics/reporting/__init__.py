"""Run a notebook and write one self-contained page; make the headline and the method that the page shows.

Parts that need pandas are in separate modules: `layout.Report` and `saving.save`, as `ra.Report` and `ra.save`.
"""

from .batches import Batch, batch
from .runner import notebooks_folder, report, run_report

__all__ = ["Batch", "batch", "notebooks_folder", "report", "run_report"]
