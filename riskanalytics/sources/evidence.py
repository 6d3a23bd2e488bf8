"""Machine platforms, as they came, as frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd

from riskanalytics import frames


class Evidence(NamedTuple):
    """What one walk over the machine endpoint tells, as frames.

    Parameters
    ----------
    findings, surfaces, training_use, documents : pandas.DataFrame
        Columns as declared in `riskanalytics.frames`.
    """

    findings: pd.DataFrame
    surfaces: pd.DataFrame
    training_use: pd.DataFrame
    documents: pd.DataFrame


def evidence_of(records: Sequence[dict[str, Any]]) -> Evidence:
    """Return machine platforms, as `load_records` gives them, as frames."""
    return Evidence(
        frames.findings_frame(_clauses(records, "findings")),
        frames.surfaces_frame(records),
        frames.training_use_frame(records),
        frames.documents_frame(records),
    )


def leads_of(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return the leads of machine platforms, as `load_leads` does: `frames.FINDINGS_COLUMNS`."""
    return frames.findings_frame(_clauses(records, "leads"))


def _clauses(records: Sequence[dict[str, Any]], kind: str) -> Iterator[dict[str, Any]]:
    """Give the clauses of one kind, each with its platform; none where a server does not tell them as a list."""
    for record in records:
        told = record.get(kind)
        for clause in told if isinstance(told, list) else ():
            if isinstance(clause, dict):
                yield {**clause, "slug": record.get("slug"), "name": record.get("name")}
