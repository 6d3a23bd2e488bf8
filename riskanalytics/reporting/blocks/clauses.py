"""The clauses of changes as a frame, in which they are checked again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.analysis.clauses import Side, clause_pairs
from riskanalytics.frames import rows_of

CLAUSE_COLUMNS: Final = {
    "finding_id": "str",
    "slug": "str",
    "name": "str",
    "document": "str",
    "quote": "str",
    "snapshot_sha256": "str",
    "start": "Int64",
    "end": "Int64",
    "captured_at": "datetime64[us, UTC]",
    "archive_url": "str",
}
"""Columns of `changed_clauses`."""


def changed_clauses(material: pd.DataFrame | None) -> pd.DataFrame:
    """Return every clause that a page on these changes shows, to be checked again.

    Parameters
    ----------
    material : pandas.DataFrame or None
        As `analysis.material_changes` gives it; None where the changes are not known.

    Returns
    -------
    pandas.DataFrame
        `CLAUSE_COLUMNS`; each finding once.
    """
    rows: dict[Any, dict[str, Any]] = {}
    for change in [] if material is None else rows_of(material):
        for pair in clause_pairs(change):
            for side in (pair.before, pair.after):
                if side is not None and side.get("id"):
                    rows[side["id"]] = _row(change, side)
    frame = pd.DataFrame.from_records(list(rows.values()), columns=list(CLAUSE_COLUMNS))
    frame["captured_at"] = pd.to_datetime(frame["captured_at"], utc=True, errors="coerce")
    return frame.astype(CLAUSE_COLUMNS)


def _row(change: Mapping[str, Any], side: Side) -> dict[str, Any]:
    """Return one side of a clause as a row."""
    provenance = side.get("provenance")
    told = dict(provenance) if isinstance(provenance, Mapping) else {}
    head = {"finding_id": side["id"], "slug": change["slug"], "name": change["name"], "quote": side.get("quote")}
    return {**{key: told.get(key) for key in CLAUSE_COLUMNS}, **head}
