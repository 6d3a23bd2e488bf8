"""Run a notebook and write one self-contained page; the pieces that notebooks show.

Notebooks use `show` and the blocks; commands use `run_report` and `run_monthly`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riskanalytics.reporting import blocks
    from riskanalytics.reporting.display import Block, show
    from riskanalytics.reporting.months import Month, check_begun, month_of
    from riskanalytics.reporting.runner import notebooks_folder, run_monthly, run_report
    from riskanalytics.reporting.scope import day_of, days_of, platform_of, quarter_ends, slugs_of, surface_of

_HOMES = {
    "Block": "display",
    "Month": "months",
    "check_begun": "months",
    "day_of": "scope",
    "days_of": "scope",
    "month_of": "months",
    "notebooks_folder": "runner",
    "platform_of": "scope",
    "quarter_ends": "scope",
    "run_monthly": "runner",
    "run_report": "runner",
    "show": "display",
    "slugs_of": "scope",
    "surface_of": "scope",
}

__all__ = [
    "Block",
    "Month",
    "blocks",
    "check_begun",
    "day_of",
    "days_of",
    "month_of",
    "notebooks_folder",
    "platform_of",
    "quarter_ends",
    "run_monthly",
    "run_report",
    "show",
    "slugs_of",
    "surface_of",
]


def __getattr__(name: str) -> Any:
    """Hand a public name on from its home, when it is first asked for (PEP 562): running needs no pandas."""
    if name == "blocks":
        return import_module("riskanalytics.reporting.blocks")
    if name not in _HOMES:
        raise AttributeError(f"module 'riskanalytics.reporting' has no attribute {name!r}")
    return getattr(import_module(f"riskanalytics.reporting.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Names that the package hands on."""
    return sorted(__all__)
