"""Data sets of days that this process holds already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from riskanalytics.client import Client
from riskanalytics.dataset.data import Dataset
from riskanalytics.dataset.held import HeldClient
from riskanalytics.dataset.scope import slugs_of
from riskanalytics.text.arguments import DayLike

_FRAMES: Final = (
    *("tracked", "slugs", "platforms", "_counted", "coverage", "records"),
    *("findings", "leads", "surfaces", "training_use", "documents"),
)


def dataset_of(client: Client, as_of: DayLike = "", platforms: Sequence[object] | str = ()) -> Dataset:
    """Return a data set; parameters and errors as those of `Dataset`. What its client holds is not loaded again."""
    if not isinstance(client, HeldClient):
        return Dataset(client, as_of, platforms)
    data = Dataset(client, as_of)
    if data.day in client.held.days:
        vars(data).update(client.told(client.held.days[data.day]))
    return data.of(slugs_of(platforms, data.tracked, data.day)) if len(platforms) else data


def hold_day(data: Dataset, client: HeldClient, slugs: Sequence[str]) -> None:
    """Load a data set of all platforms, and have its client hold it, with the texts of some platforms' clauses.

    Parameters
    ----------
    data : Dataset
    client : HeldClient
        Of the data set.
    slugs : sequence of str
        Platforms whose clauses are to be verified.
    """
    if data.day not in client.held.days:
        client.held.days[data.day] = client.known(lambda: {name: getattr(data, name) for name in _FRAMES})
    clauses = (frame[frame["slug"].isin(slugs)] for frame in (data.findings, data.leads))
    wanted = {sha256 for frame in clauses for sha256 in frame["snapshot_sha256"].dropna()} - client.held.bodies.keys()
    for _ in client.snapshots(sorted(map(str, wanted))):
        pass
