"""Run a notebook and write one self-contained page; the frame of reports that notebooks show."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riskanalytics.reporting.batches import Batch, batch, run_batch
    from riskanalytics.reporting.layout import Report
    from riskanalytics.reporting.runner import notebooks_folder, report, run_monthly, run_report
    from riskanalytics.reporting.saving import save

_HOMES = {
    "Batch": "batches",
    "Report": "layout",
    "batch": "batches",
    "notebooks_folder": "runner",
    "report": "runner",
    "run_batch": "batches",
    "run_monthly": "runner",
    "run_report": "runner",
    "save": "saving",
}

__all__ = ["Batch", "Report", "batch", "notebooks_folder", "report", "run_batch", "run_monthly", "run_report", "save"]


def __getattr__(name: str) -> Any:
    """Hand a public name on from its home, when it is first asked for (PEP 562): running needs no pandas."""
    if name not in _HOMES:
        raise AttributeError(f"module 'riskanalytics.reporting' has no attribute {name!r}")
    return getattr(import_module(f"riskanalytics.reporting.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Names that the package hands on."""
    return sorted(__all__)
