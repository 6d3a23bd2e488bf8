"""Comparisons made of a few cells, for tests of this topic."""

from __future__ import annotations

from typing import Any

import pandas as pd

from riskanalytics.topics import comparison as analysis
from riskanalytics.topics.coverage.documents import freshness
from riskanalytics.topics.ratings.matrix import risk_matrix
from tests.frames_given import ANSWERS, CELLS, DOCUMENTS, FINDINGS, PLATFORMS, given

AURELIA, OPAL, TARN = "aurelia-chat", "opal", "tarn"
NAMED_CELLS = {**CELLS, "decided_by": "object"}
BOUNDED = {**FINDINGS, "confidence_low": "Float64", "confidence_high": "Float64"}


def cell(slug: str, surface: str, risk: str | None = None, **more: Any) -> dict[str, Any]:
    state = "found" if risk else "quiet"
    return {"slug": slug, "surface": surface, "risk": risk, "state": state, "count": int(bool(risk)), **more}


def clause(slug: str, number: str, risk: str, confidence: float, surface: str = "ads_tracking") -> dict[str, Any]:
    return {
        "slug": slug,
        "finding_id": number,
        "surface": surface,
        "risk": risk,
        "confidence": confidence,
        "quote": number,
    }


def compared_from(
    *cells: dict[str, Any], slugs: tuple[str, ...] = (AURELIA, OPAL), answers: Any = (), clauses: Any = ()
) -> pd.DataFrame:
    frame, findings = given(NAMED_CELLS, *cells), given(BOUNDED, *clauses)
    matrix = risk_matrix(findings, frame, given(PLATFORMS, *({"slug": slug} for slug in slugs)))
    return analysis.comparison(matrix, frame, findings, given(ANSWERS, *answers), slugs)


def standings(frame: pd.DataFrame, surface: str) -> list[str]:
    return list(frame[frame["surface"] == surface]["standing"])


def summed(frame: pd.DataFrame, *answers: dict[str, Any], documents: Any = ()) -> pd.DataFrame:
    platforms = given(PLATFORMS, *({"slug": slug, "rating": "HIGH"} for slug in frame["slug"].unique()))
    fresh = freshness(given(DOCUMENTS, *documents), "2026-07-31")
    return analysis.compared_platforms(frame, platforms, given(ANSWERS, *answers), fresh)
