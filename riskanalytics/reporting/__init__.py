"""Run one notebook or a batch, and write each result as one self-contained page.

Parts that need pandas are in modules of their own: `layout.Report` (beginning and end of a page) and `saving.save` (frames as
files). They are also available as `ra.Report` and `ra.save`.
"""

from .batches import Batch, batch
from .runner import notebooks_folder, report, run_report

__all__ = ["Batch", "batch", "notebooks_folder", "report", "run_report"]
