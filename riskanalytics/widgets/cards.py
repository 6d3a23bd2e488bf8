"""A clause as a widget shows it: the words in their paragraph, where they stand, and what a check of them found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import findings_frame
from riskanalytics.models import surface_name
from riskanalytics.reporting.blocks.words import (
    confidence,
    day,
    in_paragraph,
    is_missing,
    level,
    link,
    name,
    quote,
    source,
    text,
    verification,
)

_STEPS: Final = ("the snapshot could be fetched", "its bytes have the SHA-256 named", "the quote stands at its offsets")
_REACHED: Final = {"unavailable": 0, "hash_mismatch": 1, "missing": 2, "altered": 2, "moved": 2, "verified": 3}
"""How many of the steps held, by status."""
_WHY: Final = {
    "unavailable": "no bytes could be had under this hash",
    "hash_mismatch": "the bytes fetched are not the ones named",
    "missing": "the words do not stand in the text",
    "altered": "other words stand there",
    "moved": "the words stand elsewhere in the text",
}


def findings_of(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return clauses as a search or an answer gives them as a frame of findings."""
    return findings_frame({**record, "slug": record.get("slug", record.get("platform"))} for record in records)


def clause_card(row: Mapping[str, Any]) -> str:
    """Return one clause with its platform, surface, level and source."""
    head = f"<strong>{name(row['name'] if not is_missing(row['name']) else row['slug'])}</strong>"
    clause = quote(row["quote"], row, mark=level(row["level"]), alone=True)
    return f"<p>{head} · {text(surface_name(str(row['surface'])))}</p>{clause}"


def source_card(row: Mapping[str, Any], answer: str) -> str:
    """Return where a clause stands, and the clause where the answer that cites it does not hold its words."""
    if str(row["quote"]) not in answer:
        return clause_card(row)
    return f"<strong>{name(row['name'])}</strong> {level(row['level'])} {source(row, alone=True)}"


def quote_card(row: Mapping[str, Any]) -> str:
    """Return one clause in its paragraph, with its platform, surface and level."""
    kind = "protective" if row.get("polarity") == "mitigates_risk" else ""
    head = " · ".join(part for part in (text(surface_name(str(row["surface"]))), kind) if part)
    words = in_paragraph(row["quote"], row)
    return f"<p><strong>{name(row['name'])}</strong> · {head} {level(row['level'])}</p><blockquote>{words}</blockquote>"


def facts_card(row: Mapping[str, Any]) -> str:
    """Return everything that is known of where a clause stands and what decided it."""
    places = [row.get("start"), row.get("end")]
    span = "" if any(map(is_missing, places)) else f"{int(row['start']):,}–{int(row['end']):,}, Unicode code points"
    scope = ", ".join(f"{key}: {row[key]}" for key in ("audience", "region", "product") if not is_missing(row.get(key)))
    facts = {
        "Document": text(row.get("document")),
        "Captured": day(row.get("captured_at")),
        "SHA-256": f"<code>{text(row.get('snapshot_sha256'))}</code>",
        "Characters": text(span),
        "Archive": _archive(row.get("archive_url")),
        "Confidence": confidence(row).removeprefix("confidence "),
        "Limits itself to": text(scope),
        "Same words as": "" if is_missing(row.get("duplicate_of")) else "another clause of this platform",
        "Decided by": text(row.get("rule")),
        "State": verification(row.get("verification_status")),
    }
    listed = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in facts.items() if value)
    return f"<dl>{listed}</dl>"


def _archive(url: Any) -> str:
    """Return a link to the public archive that names its host; that none is known, where it is no public address."""
    host = "" if is_missing(url) else str(url).partition("://")[2].partition("/")[0]
    told = link(url, f"open at {text(host)}", apart=True)
    return told if told.startswith("<a ") else "no public address is known"


def check_told(row: Mapping[str, Any], moment: datetime) -> str:
    """Return what a check of a quote found, step by step.

    Parameters
    ----------
    row : mapping
        A finding, `verification_status` as the check found it.
    moment : datetime
        When, UTC.
    """
    status = "unavailable" if is_missing(row["verification_status"]) else str(row["verification_status"])
    reached = _REACHED.get(status, 0)
    marks = ("✓" if place < reached else "✗" if place == reached else "–" for place in range(len(_STEPS)))
    told = "".join(f"<li>{mark} {step}</li>" for mark, step in zip(marks, _STEPS, strict=True))
    why = f" ({_WHY[status]})" if status in _WHY else ""
    return (
        f"<div role=status><p>{verification(status)}{why}, checked {moment:%Y-%m-%d %H:%M:%S} UTC</p>"
        f"<ul class=ra-steps>{told}</ul></div>"
    )
