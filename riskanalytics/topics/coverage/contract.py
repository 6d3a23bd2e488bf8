"""Coverage of the interface: where a service's answers differ from the form in which they are read."""

from __future__ import annotations

from typing import Final

import pandas as pd

from riskanalytics.frames import CONTRACT_COLUMNS, is_missing
from riskanalytics.topics.shape import dtypes, records, shaped

__all__ = ["contract_drift"]

DRIFT_COLUMNS: Final = dtypes(CONTRACT_COLUMNS, *CONTRACT_COLUMNS) | {"drift": "bool"}
KINDS: Final = ("failed", "missing", "retyped", "unknown", "unseen", "more", "lacking", "addition")
"""Kinds of difference, the gravest first; the last two, documented additions that are there or not, are no drift."""


def contract_drift(differences: pd.DataFrame, endpoints: pd.DataFrame | None = None) -> pd.DataFrame:
    """List the differences between a service's answers and the form in which they are read, drift first.

    Parameters
    ----------
    differences : pandas.DataFrame
        `frames.CONTRACT_COLUMNS`.
    endpoints : pandas.DataFrame, optional
        `frames.ENDPOINTS_COLUMNS`: an endpoint that failed to answer is drift, too.

    Returns
    -------
    pandas.DataFrame
        `endpoint`, `kind`, `field`, `told`, `expected` str, `count`, `of` Int64, `example` str, `drift` bool (False for
        additions of our service, which the README documents: `addition` where they are there, `lacking` where they are not).
        By kind in the order of `KINDS`, then by endpoint, field, and the most frequent value first.

    Examples
    --------
    >>> drift = analysis.contract_drift(data.contract().differences)
    >>> drift["kind"].unique().tolist()
    ['addition']
    """
    needed = ("endpoint", "kind", "field", "told", "expected", "count", "of", "example")
    rows = records(differences, "contract_drift", *needed)
    for row in [] if endpoints is None else records(endpoints, "contract_drift", "endpoint", "state", "status"):
        if row["state"] == "failed":
            told = f"HTTP {row['status']}" if not is_missing(row["status"]) and row["status"] else "no answer"
            failed = {"endpoint": row["endpoint"], "kind": "failed", "field": "", "told": told, "expected": "an answer"}
            rows.append({**failed, "count": 1, "of": 1, "example": ""})
    drift = shaped((row | {"drift": row["kind"] not in KINDS[-2:]} for row in rows), DRIFT_COLUMNS)
    places = {kind: place for place, kind in enumerate(KINDS)}
    words = drift[["endpoint", "field", "told"]].fillna("")
    order = pd.DataFrame(
        {"kind": drift["kind"].map(places).fillna(len(KINDS)), "endpoint": words["endpoint"], "field": words["field"]}
        | {"count": -drift["count"], "told": words["told"]}
    )
    return drift.loc[order.sort_values(order.columns.tolist()).index].reset_index(drop=True)
