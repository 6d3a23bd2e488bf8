"""Run a notebook and write one self-contained page; the frame of reports that notebooks show.

What needs pandas is in modules of its own: `layout.Report` and `saving.save`, as `ra.Report` and `ra.save`.
"""

from .batches import Batch, batch
from .runner import notebooks_folder, report, run_report

__all__ = ["Batch", "batch", "notebooks_folder", "report", "run_report"]
