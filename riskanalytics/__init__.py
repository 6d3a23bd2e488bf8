"""Evidence-linked IP and privacy risk of AI platforms, from policy text to a report that proves itself.

>>> import riskanalytics as ra
>>> client = ra.connect()
>>> platforms = ra.load_platforms(client)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riskanalytics import analysis, charts, widgets
    from riskanalytics.client import Client
    from riskanalytics.errors import RiskAnalyticsError
    from riskanalytics.sources import (
        Evidence,
        connect,
        load_changes,
        load_changes_if_shown,
        load_coverage,
        load_evidence,
        load_findings,
        load_history,
        load_leads,
        load_platforms,
        verify_findings,
    )

_HOMES = {
    "Client": "riskanalytics.client",
    "Evidence": "riskanalytics.sources",
    "RiskAnalyticsError": "riskanalytics.errors",
    "connect": "riskanalytics.sources",
    "load_changes": "riskanalytics.sources",
    "load_changes_if_shown": "riskanalytics.sources",
    "load_coverage": "riskanalytics.sources",
    "load_evidence": "riskanalytics.sources",
    "load_findings": "riskanalytics.sources",
    "load_history": "riskanalytics.sources",
    "load_leads": "riskanalytics.sources",
    "load_platforms": "riskanalytics.sources",
    "verify_findings": "riskanalytics.sources",
}
_MODULES = ("analysis", "charts", "widgets")

__all__ = [
    "Client",
    "Evidence",
    "RiskAnalyticsError",
    "analysis",
    "charts",
    "connect",
    "load_changes",
    "load_changes_if_shown",
    "load_coverage",
    "load_evidence",
    "load_findings",
    "load_history",
    "load_leads",
    "load_platforms",
    "verify_findings",
    "widgets",
]


def __getattr__(name: str) -> Any:
    """Hand a public name on from its home, when it is first asked for (PEP 562)."""
    if name == "__version__":
        return import_module("importlib.metadata").version("riskanalytics")
    if name in _MODULES:
        return import_module(f"riskanalytics.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'riskanalytics' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Names that the package hands on."""
    return sorted([*__all__, "__version__"])
