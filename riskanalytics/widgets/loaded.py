"""What a widget starts from: frames that it is given, or that it loads."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from riskanalytics import analysis
from riskanalytics.client import Client
from riskanalytics.errors import ReportError
from riskanalytics.reporting.scope import surface_of
from riskanalytics.sources import Evidence, load_evidence, load_platforms


class Loaded(NamedTuple):
    """Frames of a widget: platforms, evidence, their matrix, and the surface that it begins with."""

    platforms: pd.DataFrame
    evidence: Evidence
    matrix: pd.DataFrame
    surface: str


def loaded(
    widget: str, client: Client | None, platforms: pd.DataFrame | None, evidence: Evidence | None, surface: str
) -> Loaded:
    """Return the frames of a widget; those not given are loaded.

    Raises
    ------
    ReportError
        If there is neither a client nor both frames.
    ParameterError
        If there is no surface of that name.
    """
    if client is not None:
        platforms = load_platforms(client) if platforms is None else platforms
        evidence = load_evidence(client, slugs=list(platforms["slug"])) if evidence is None else evidence
    if platforms is None or evidence is None:
        raise ReportError(
            f"{widget} takes a client, or platforms and evidence as load_platforms and load_evidence give them"
        )
    matrix = analysis.risk_matrix(evidence.findings, evidence.surfaces, platforms)
    return Loaded(platforms, evidence, matrix, surface_of(surface, matrix["surface"].unique()))
