"""Labels of the small literal database, written as files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.service.given import CAFE, PRIVACY, PRIVACY_LATER, TERMS

SLUG, CAFE_SLUG = "aurelia-chat", "cafe-lumiere"
TEXTS = {"privacy": PRIVACY, "later": PRIVACY_LATER, "terms": TERMS, "cafe": CAFE}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def span(text: str, quote: str, **fields: Any) -> dict[str, Any]:
    """A label on a quote of a text."""
    start = text.index(quote)
    return {
        "platform": CAFE_SLUG if text == CAFE else SLUG,
        "family": "cafe" if text == CAFE else "aurelia",
        "document": "Terms of Service" if text == TERMS else "Privacy Policy",
        "blob_sha256": sha256(text),
        "start": start,
        "end": start + len(quote),
        "quote": quote,
        "commit_date": "2026-03-05T10:00:00+00:00",
    } | fields


QUOTES = [
    span(PRIVACY_LATER, "We do not use your prompts to train our models.", surface="training_use", risk="LOW"),
    span(PRIVACY_LATER, "We do not sell your personal data.", surface="ads_tracking", risk="LOW"),
    span(
        PRIVACY_LATER,
        "We retain personal data for as long as necessary for the purposes described in this policy.",
        surface="data_retention",
        risk="HIGH",
    ),
    span(TERMS, "These terms are the agreement between you and the company", surface="ip_liability", risk="MED"),
    span(CAFE, "我们会使用您输入的内容训练我们的模型，以提升回答质量。", surface="training_use", risk="HIGH"),
]
NEGATIVES = [
    span(TERMS, "We may change these terms at any time in our sole discretion.", confusable_with="terms_changes"),
]
STANCES = [
    {"platform": SLUG, "label": "does_not_train", "acceptable": ["does_not_train"]},
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
    given = {
        "quotes": QUOTES,
        "negatives": NEGATIVES,
        "training_use": STANCES,
        "platform_surface": SURFACES,
        "changes": CHANGES,
    }
    for name, rows in (given | files).items():
        if rows is None:
            continue
        body = rows if isinstance(rows, str) else "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(body, encoding="utf-8")
    return folder
