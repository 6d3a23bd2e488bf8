"""Quotes, and where they stand, as lines."""

from __future__ import annotations

from collections.abc import Mapping

from riskanalytics.page_words import plain_words


def citation(number: int, finding: Mapping[str, object]) -> tuple[str, ...]:
    """Write where a quote stands: document, date, hash, offsets, address; a lead is marked."""
    from riskanalytics.frames.building import mapping_of

    source = mapping_of(finding.get("provenance"))
    day = str(source.get("captured_at") or "")[:10]
    mark = ", to be read, not a finding" if finding.get("to_read") is True else ""
    return (
        f"[{number}] {finding.get('name')}, {source.get('document')}, {day}, {finding.get('surface')}{mark}",
        f"    sha256 {source.get('snapshot_sha256')}, characters {source.get('start')} to {source.get('end')}",
        f"    {source.get('archive_url')}",
    )


def first_words(quote: object, most: int) -> str:
    """Return a quote on one line, cut after so many characters; missing ones are empty."""
    words = " ".join(plain_words(str(quote or "")).split())
    return words if len(words) <= most else f"{words[:most]}…"
