"""IP and privacy risk of AI platforms with the policy text behind each rating: from policy documents to verifiable reports.

>>> import riskanalytics as ra
>>> data = ra.load(as_of="2026-10-31")
>>> len(data.platforms)
320
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riskanalytics import analysis, charts, dataset, sections, widgets
    from riskanalytics.client import Client
    from riskanalytics.dataset import Dataset, connect, load
    from riskanalytics.dataset.appetite import check
    from riskanalytics.dataset.difference import diff
    from riskanalytics.dataset.pulling import pull
    from riskanalytics.dataset.watching import watch
    from riskanalytics.errors import RiskAnalyticsError
    from riskanalytics.evidence import decisions, verify
    from riskanalytics.reporting import batch, report
    from riskanalytics.reporting.layout import Report
    from riskanalytics.reporting.saving import save
    from riskanalytics.topics.appetite.rules import read_appetite
    from riskanalytics.topics.portfolio.reading import read_portfolio

_HOMES = {
    "Client": "client",
    "Dataset": "dataset",
    "Report": "reporting.layout",
    "RiskAnalyticsError": "errors",
    "batch": "reporting",
    "check": "dataset.appetite",
    "connect": "dataset",
    "decisions": "evidence",
    "diff": "dataset.difference",
    "load": "dataset",
    "pull": "dataset.pulling",
    "read_appetite": "topics.appetite.rules",
    "read_portfolio": "topics.portfolio.reading",
    "report": "reporting",
    "save": "reporting.saving",
    "verify": "evidence",
    "watch": "dataset.watching",
}
_MODULES = ("analysis", "charts", "dataset", "sections", "widgets")

__all__ = [
    "Client",
    "Dataset",
    "Report",
    "RiskAnalyticsError",
    "analysis",
    "batch",
    "charts",
    "check",
    "connect",
    "dataset",
    "decisions",
    "diff",
    "load",
    "pull",
    "read_appetite",
    "read_portfolio",
    "report",
    "save",
    "sections",
    "verify",
    "watch",
    "widgets",
]


def __getattr__(name: str) -> Any:
    """Return a public name, imported on first use (PEP 562)."""
    if name == "__version__":
        return import_module("importlib.metadata").version("riskanalytics")
    if name in _MODULES:
        return import_module(f"riskanalytics.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'riskanalytics' has no attribute {name!r}")
    return getattr(import_module(f"riskanalytics.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*__all__, "__version__"])
