"""What commands print and write: records and quotes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from riskanalytics.errors import ReportError
from riskanalytics.files import write_file
from riskanalytics.text.page_words import plain_words


def write_record(file: Path, record: object) -> None:
    """Write a record as JSON, whole or not at all.

    Parameters
    ----------
    file : Path
        Replaced where it is there.
    record : object
        What JSON can hold.

    Raises
    ------
    ReportError
        If the file cannot be written; what was there stays.
    """
    try:
        write_file(file, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise ReportError(f"{file} cannot be written: {error.strerror}") from error


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
