"""A finding as a Web Annotation (W3C Recommendation, 23 February 2017)."""

from __future__ import annotations

import json
from typing import Final

from riskanalytics.evidence.check import CONTEXT
from riskanalytics.frames import is_missing
from riskanalytics.topics.shape import Record

_CONTEXT: Final = [
    "http://www.w3.org/ns/anno.jsonld",
    {"finding": {"@id": "urn:riskanalytics:terms:finding", "@type": "@json"}},
]
_TOLD: Final = (
    "slug", "name", "document", "surface", "risk", "polarity", "confidence", "confidence_low", "confidence_high", "rule",
    "audience", "region", "product", "lead_in", "lead_in_start", "lead_in_end",
)  # fmt: skip


def annotation(row: Record, text: str) -> bytes:
    """Return a finding as JSON-LD: its words and place as two selectors, its surface and level as bodies.

    Parameters
    ----------
    row : mapping
        Of `frames.FINDINGS_COLUMNS`, or of what a page tells of a quote.
    text : str
        Its snapshot, decoded as UTF-8.

    Returns
    -------
    bytes
        `target.source` is the document's public address where one is known, else the snapshot in the pack; `target.state`
        names the snapshot; `TextQuoteSelector` has 32 characters on either side; `TextPositionSelector` counts Unicode code
        points. `finding` holds what else the service told. The same for the same finding.
    """
    start, end = int(row["start"]), int(row["end"])
    cached = f"../snapshots/{row['snapshot_sha256']}.txt"
    told = {name: row[name] for name in _TOLD if not is_missing(row.get(name))}
    state = {"type": "TimeState", "cached": cached}
    if not is_missing(row.get("captured_at")):
        state["sourceDate"] = _time(row["captured_at"])
    words = {"surface": ("tagging", row.get("surface")), "risk": ("assessing", row.get("risk"))}
    record = {
        "@context": _CONTEXT,
        "id": f"urn:riskanalytics:finding:{row['finding_id']}",
        "type": "Annotation",
        "motivation": "classifying",
        "body": [
            {"type": "TextualBody", "purpose": purpose, "value": value}
            for purpose, value in words.values()
            if not is_missing(value)
        ],
        "target": {
            "source": cached if is_missing(row.get("archive_url")) else row["archive_url"],
            "state": state,
            "selector": [
                {
                    "type": "TextQuoteSelector",
                    "exact": text[start:end],
                    "prefix": text[max(0, start - CONTEXT) : start],
                    "suffix": text[end : end + CONTEXT],
                },
                {"type": "TextPositionSelector", "start": start, "end": end},
            ],
        },
        "finding": told,
    }
    return (json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode("utf-8", errors="replace")


def _time(captured: object) -> str:
    """Return a time as ISO 8601, UTC."""
    return captured if isinstance(captured, str) else f"{captured:%Y-%m-%dT%H:%M:%SZ}"
