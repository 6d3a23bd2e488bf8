"""What an ingested database keeps of the archive's history."""

from __future__ import annotations

from collections.abc import Iterable

from riskanalytics.client import Json
from riskanalytics.service import Store
from riskanalytics.service.store.evidence import captures_with
from riskanalytics.settings.databases import Place


def captures_of(database: Place, hashes: Iterable[str]) -> dict[str, list[Json]]:
    """Return the history of the documents that some texts are of.

    Parameters
    ----------
    database : Path or Server
    hashes : iterable of str
        SHA-256 of the texts.

    Returns
    -------
    dict
        SHA-256 -> captures of its documents, the oldest first, as `captures_with` gives them; texts that the database does
        not have are left out.

    Raises
    ------
    DatabaseError
    """
    store = Store(database)
    try:
        told = {sha256: captures_with(store, sha256) for sha256 in hashes}
    finally:
        store.close()
    return {sha256: captures for sha256, captures in told.items() if captures}
