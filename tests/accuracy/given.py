"""Labels of the small literal database, written as files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.service.given import PRIVACY, PRIVACY_LATER, TERMS

CAFE = """Café Lumière Privacy Policy
===========================

This policy tells how we handle what you write when you use the service, and which rights you have.

We use your prompts to train our models.

Please read it with care, and write to us where something is not clear to you.
"""
SLUG, CAFE_SLUG = "aurelia-chat", "cafe-lumiere"
PROMISE = "We do not use your prompts to train our models."
KEPT = "We retain personal data for as long as necessary for the purposes described in this policy."
AGREEMENT = "These terms are the agreement between you and the company"


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def label(text: str, quote: str, surface: str, risk: str, **more: Any) -> list[Any]:
    """A label of a whole document on a quote of its text."""
    start = text.index(quote)
    result = {
        "polarity": "raises_risk",
        "confidence": "high",
        "stance": None,
        "risk_other": None,
        "polarity_other": None,
    }
    return [start, start + len(quote), surface, risk, *(result | more).values(), sha256(quote)[:16]]


def document(text: str, *labels: list[Any]) -> dict[str, Any]:
    """A line about a document that was labelled whole."""
    return {
        "blob_sha256": sha256(text),
        "platform": CAFE_SLUG if text == CAFE else SLUG,
        "family": "cafe" if text == CAFE else "aurelia",
        "document": "Terms of Service" if text == TERMS else "Privacy Policy",
        "collection": "example/texts",
        "readers": 2,
        "clauses": 5,
        "labels": list(labels),
    }


DOCUMENTS = [
    document(
        PRIVACY_LATER,
        label(PRIVACY_LATER, PROMISE, "training_use", "LOW", polarity="mitigates_risk", stance="does_not_train"),
        label(PRIVACY_LATER, KEPT, "data_retention", "HIGH"),
    ),
    document(
        TERMS,
        label(TERMS, "You grant us a worldwide", "content_license", "MED", risk_other="HIGH"),
        label(TERMS, AGREEMENT, "ip_liability", "MED"),
        label(TERMS, AGREEMENT, "human_review", "MED", confidence="low"),
    ),
    document(CAFE, label(CAFE, "We use your prompts", "training_use", "HIGH")),
]
STANCES = [
    {"platform": SLUG, "label": "does_not_train", "acceptable": ["does_not_train"], "as_of": "2026-03-05"},
    {"platform": CAFE_SLUG, "label": "silent", "acceptable": ["silent"]},
]
SURFACES = [
    {"platform": SLUG, "surface": "training_use", "present": True, "risk": "LOW"},
    {"platform": SLUG, "surface": "human_review", "present": True, "risk": "MED"},
    {"platform": SLUG, "surface": "sensitive_data", "present": True, "risk": "MED", "confidence": "low"},
]
CHANGES = [
    {
        "id": "c_1",
        "platform": SLUG,
        "before_sha256": sha256(PRIVACY),
        "after_sha256": sha256(PRIVACY_LATER),
        "material": True,
        "surface": "training_use",
        "direction": "down",
    },
]


def write_labels(folder: Path, **files: Any) -> Path:
    """Write label files, a list of rows or the very words of each; the given ones where nothing is said."""
    folder.mkdir(parents=True, exist_ok=True)
    given = {"whole": DOCUMENTS, "training_use": STANCES, "platform_surface": SURFACES, "changes": CHANGES}
    for name, rows in (given | files).items():
        if rows is None:
            continue
        body = rows if isinstance(rows, str) else "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(body, encoding="utf-8")
    return folder
