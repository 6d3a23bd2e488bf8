"""What changed where the platforms compared differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from riskanalytics.topics.changes.analysis import MATERIAL_COLUMNS, Moment, material_changes
from riskanalytics.topics.comparison.analysis import DIFFERENCES
from riskanalytics.topics.shape import Record, items_of, records, shaped, word_of

__all__ = ["comparison_changes", "comparison_shown"]

MOVED_COLUMNS: Final = {**MATERIAL_COLUMNS, "place": "Int64"}
CHANGES_SHOWN: Final = 2
"""Changes of one platform that a page shows in full."""

_MOVES: Final = ("up", "down", "mixed")


def comparison_changes(
    changes: pd.DataFrame, comparison: pd.DataFrame, since: Moment | None = None, until: Moment | None = None
) -> pd.DataFrame:
    """List the material changes that moved the risk where the platforms differ now.

    Parameters
    ----------
    changes, comparison : pandas.DataFrame
        `frames.CHANGES_COLUMNS`, and what `comparison` returned.
    since, until : str, date or datetime, optional
        Half-open period [since, until) in UTC; without them all changes are listed.

    Returns
    -------
    pandas.DataFrame
        As `material_changes`, `name` as the `label` of `comparison`, and `place` Int64: changes whose direction is `up`,
        `down` or `mixed`. `surfaces`, `added`, `removed` and `altered` hold what touches a surface on which the platforms
        differ; changes that touch none are left out. By platform in its place, the latest first.

    Examples
    --------
    >>> pair = data.of(["orvewick-voice", "agent-by-yoralow"])
    >>> matrix = analysis.risk_matrix(pair.findings, pair.surfaces)
    >>> both = analysis.comparison(matrix, pair.surfaces, pair.findings, pair.training_use, pair.slugs)
    >>> analysis.comparison_changes(pair.changes(), both)["surfaces"].tolist()
    [['ip_liability'], ['web_data_training'], ['sensitive_data']]
    """
    heads, differing = {}, set()
    for row in records(comparison, "comparison_changes", "slug", "place", "label", "surface", "relation"):
        heads[row["slug"]] = {"place": row["place"], "name": row["label"]}
        differing |= {row["surface"]} if row["relation"] in DIFFERENCES else set()
    rows = []
    for row in records(material_changes(changes, since, until), "comparison_changes", "slug", "surfaces", "direction"):
        touched = [surface for surface in row["surfaces"] if surface in differing]
        if row["slug"] in heads and touched and row["direction"] in _MOVES:
            rows.append({**_narrowed(row, touched), **heads[row["slug"]]})
    rows.sort(key=lambda row: (row["place"], -row["reviewed_at"].value, word_of(row["change_id"])))
    return shaped(rows, MOVED_COLUMNS)


def _narrowed(change: Record, touched: Sequence[str]) -> Record:
    """Return a change with what it does to some surfaces alone."""
    parts = {
        key: [item for item in items_of(change[key]) if isinstance(item, Mapping) and item.get("surface") in touched]
        for key in ("added", "removed", "altered")
    }
    return {**change, **parts, "surfaces": list(touched)}


def comparison_shown(changes: pd.DataFrame | None) -> pd.DataFrame | None:
    """Keep the latest changes of each platform, out of what `comparison_changes` returned (None stays None).

    Examples
    --------
    >>> changes = analysis.material_changes(data.of(["search-by-isfigrove"]).changes())
    >>> len(changes), len(analysis.comparison_shown(changes))
    (3, 2)
    """
    return None if changes is None else changes.groupby("slug", sort=False).head(CHANGES_SHOWN).reset_index(drop=True)
