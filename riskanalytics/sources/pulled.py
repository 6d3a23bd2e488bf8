"""A client of pulls: dated copies of what a service said, in a folder of the reader's."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Final

from riskanalytics._http import RecordedTransport
from riskanalytics.client import Client
from riskanalytics.pulls import Manifest, Pulls, answer

_ADDRESS: Final = "https://pulls.localhost"


def connect_pulls(folder: str | Path | None) -> Client:
    """Return a client that answers from pulls, as the service did.

    Parameters
    ----------
    folder : str or Path
        The folder of pulls, its address, or the folder of one pull.

    Raises
    ------
    PullError
        If there is none, or one is damaged.
    """

    def heard(manifest: Manifest) -> None:
        for line in manifest.problems:
            client.problems.add(line, manifest.name)

    pulls = Pulls(folder, heard)
    shown = f"pulls of {pulls.newest.source} in {pulls.storage.shown}"
    client = Client(_ADDRESS, token_hex(), transport=RecordedTransport(partial(answer, pulls)), source=shown)
    heard(pulls.newest)
    return client
