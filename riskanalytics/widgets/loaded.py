"""What a widget starts from: a data set, its matrix, and who checks its quotes."""

from __future__ import annotations

import pandas as pd

from riskanalytics.client import Client
from riskanalytics.dataset import Dataset, load, surface_of
from riskanalytics.errors import ReportError
from riskanalytics.topics.matrix import risk_matrix

Source = Dataset | Client | None
"""A data set; or the client of a service, for its newest data; or None, for the service that the settings name."""


def loaded(source: Source, surface: str) -> tuple[Dataset, pd.DataFrame, str]:
    """Return the data of a widget, their matrix, and the surface that the widget begins with.

    Raises
    ------
    ParameterError
        If there is no surface of that name.
    """
    data = source if isinstance(source, Dataset) else load(source)
    matrix = risk_matrix(data.findings, data.surfaces, data.platforms)
    return data, matrix, surface_of(surface, matrix["surface"].unique())


def client_of(source: Source) -> Client:
    """Return the client of the service that is asked.

    Raises
    ------
    ReportError
        If a data set has none.
    """
    client = source if isinstance(source, Client) else (source or load()).client
    if client is None:
        raise ReportError("this data set has no client, so there is no service to ask")
    return client


def verified(data: Dataset, clauses: pd.DataFrame) -> pd.DataFrame:
    """Return clauses with the status that a check of now found; marked as not checked where no service is at hand."""
    return unchecked(clauses) if data.client is None else data.verify(clauses)


def unchecked(clauses: pd.DataFrame) -> pd.DataFrame:
    """Return clauses marked as not checked."""
    return clauses.assign(verification_status=pd.Series(pd.NA, index=clauses.index, dtype="str"))
