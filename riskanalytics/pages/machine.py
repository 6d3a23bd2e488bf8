"""Addresses of what a page tells machines."""

from __future__ import annotations

from typing import Final

FACTS_ID: Final = "report-facts"
"""Of what it tells about itself."""

QUOTES_ID: Final = "report-quotes"
"""Of what it tells about its quotes (`quoted.py`)."""
