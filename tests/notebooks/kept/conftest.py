"""nbval compares the text of outputs; what pages are made of has tests of its own."""

from __future__ import annotations

from typing import Any

from riskanalytics.pages.values import FIGURE_TYPE, PAGE_TYPE


def pytest_collectstart(collector: Any) -> None:
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += (PAGE_TYPE, FIGURE_TYPE, "text/html", "image/svg+xml")
