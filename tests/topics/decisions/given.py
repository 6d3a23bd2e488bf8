"""Decisions as a page saves them. All names are fictional."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from riskanalytics.topics.decisions.records import Decision
from tests.frames_given import DOCUMENTS, FINDINGS, given

QUOTE = "We keep **all** of it, for 30 days."
NEWER = "cd" * 32
COLUMNS = {**FINDINGS, "lead_in": "str"}
USUAL = {
    "slug": "vellumo", "document": "Terms", "surface": "data_retention", "snapshot_sha256": NEWER, "quote": QUOTE,
    "start": 4, "end": 4 + len(QUOTE), "risk": "HIGH", "polarity": "raises_risk",
}  # fmt: skip


def clause(quote: str = QUOTE, **changed: Any) -> dict[str, Any]:
    """A clause of the page's JSON."""
    usual = {
        "finding_id": "f1", "platform": "vellumo", "document": "Terms", "surface": "data_retention", "quote": quote,
        "quote_sha256": sha256(quote.encode()).hexdigest(), "lead_in": "", "snapshot_sha256": "ab" * 32, "start": 4,
        "end": 4 + len(quote), "removed": False,
    }  # fmt: skip
    return usual | changed


def entry(*clauses: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A decision of the page's JSON."""
    usual = {
        "decision": "accept", "name": "Ann", "note": "Known.", "decided_at": "2026-11-02T09:00:00.120Z",
        "day": "2026-10-31", "change_id": "", "clauses": list(clauses) or [clause()],
    }  # fmt: skip
    return usual | changed


def made(*clauses: dict[str, Any], **changed: Any) -> Decision:
    """The same as a record."""
    return Decision.model_validate(entry(*clauses, **changed))


def saved(path: Path, *entries: dict[str, Any], **more: Any) -> Path:
    """Write a file as a page saves it."""
    path.write_text(json.dumps({"version": 1, "decisions": list(entries), **more}, ensure_ascii=False), "utf-8")
    return path


def found(*rows: dict[str, Any]) -> pd.DataFrame:
    """Findings of the newer text of one document."""
    return given(COLUMNS, *({"finding_id": f"n{n}", **USUAL, **row} for n, row in enumerate(rows)))


def read(**changed: Any) -> pd.DataFrame:
    """The document, read in its newer text."""
    usual = {"slug": "vellumo", "document": "Terms", "state": "good", "read": True, "snapshot_sha256": NEWER}
    return given(DOCUMENTS, usual | changed)
