"""Run a notebook and write one self-contained page; the pieces that notebooks show.

Notebooks use `show` and the blocks; commands use `run_report` and `run_monthly`.
"""

from riskanalytics.reporting import blocks
from riskanalytics.reporting.display import Block, show
from riskanalytics.reporting.months import Month, check_begun, month_of
from riskanalytics.reporting.runner import notebooks_folder, run_monthly, run_report

__all__ = [
    "Block",
    "Month",
    "blocks",
    "check_begun",
    "month_of",
    "notebooks_folder",
    "run_monthly",
    "run_report",
    "show",
]
