"""Run one notebook or a batch, and write each result as one self-contained page.

`Report` (makes the beginning and the end of a page) and `save` (saves frames as files) need pandas. Import them from the
modules `layout` and `saving`, or use them as `ra.Report` and `ra.save`.
"""

from .batches import Batch, batch
from .runner import notebooks_folder, report, run_report

__all__ = ["Batch", "batch", "notebooks_folder", "report", "run_report"]
