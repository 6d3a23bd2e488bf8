"""Findings and changes as a service tells them, and words that try to leave their place, for tests of topics."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Final

import pandas as pd

from riskanalytics.topics.changes import material_changes
from tests.frames_given import CHANGES, given

HOSTILE: Final = "</blockquote><script>alert(1)</script><img src=x onerror=alert(1)>\u202e{{7*7}}\x1b[31m"
SHA: Final = "ab" * 32


def finding(quote: str, surface: str = "content_license", **more: Any) -> dict[str, Any]:
    """Return a finding; its document and its archive's address are hostile."""
    provenance = {
        "snapshot_sha256": SHA, "archive_url": "javascript:alert(1)", "start": 3, "end": 9, "document": HOSTILE,
        "captured_at": "2026-07-02T00:00:00Z",
    }  # fmt: skip
    named = {"id": f"{quote[:20]}-{surface}", "quote": quote, "surface": surface}
    return {**named, "risk": "HIGH", "polarity": "raises_risk", "provenance": provenance, **more}


def change(**more: Any) -> pd.DataFrame:
    """Return one material change of July 2026."""
    row = {
        "change_id": "c1", "slug": "aurelia-chat", "name": "Aurelia Chat", "document": "Terms", "change_class": "material",
        "reviewed_at": pd.Timestamp("2026-07-02", tz="UTC"), "surfaces": ["content_license"], "direction": "up",
        "rating_before": "MED", "rating_after": "HIGH", "added": [], "removed": [], "altered": [], "cause": [],
        "snapshot_before": SHA, "snapshot_after": SHA, "summary": "one", **more,
    }  # fmt: skip
    return material_changes(given(CHANGES, row), "2026-07-01", "2026-08-01")


def read(html: str) -> str:
    """Return the words of a part of a page as a reader sees them, with a bar in place of tags."""
    return unescape(re.sub(r"\n?(?:<[^>]+>\s*)+", "|", re.sub(r"(?s)<style>.*?</style>", "", html)))
