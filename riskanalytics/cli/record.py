"""Files that a command writes for machines."""

from __future__ import annotations

import json
from pathlib import Path

from riskanalytics.errors import ReportError
from riskanalytics.files import write_file


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
