"""What of the findings that came or went between two states stands in the texts of both, and what is on record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pandas as pd

from riskanalytics.dataset.data import Dataset
from riskanalytics.frames import rows_of
from riskanalytics.frames.building import records_of
from riskanalytics.topics.shape import word_of

_SIDES: Final = {"removed": "before", "added": "after"}
"""Move -> the side that holds the quote."""


def settled(moves: pd.DataFrame, old: Dataset, new: Dataset, changes: pd.DataFrame | None) -> pd.DataFrame:
    """Return moves of findings without those that only look like one.

    A clause that went, or came, and stands verbatim in the other state too, is not told where that state has it on the same
    surface, and is `reread` (by `reading`) where it does not. One of which no material change is on record is
    `unrecorded`: the monthly page does not show it either; where the other state's texts are not at hand, as in a pull
    without snapshots, why it came or went is `not known`.

    Parameters
    ----------
    moves : pandas.DataFrame
        As `analysis.finding_moves`.
    old, new : Dataset
    changes : pandas.DataFrame or None
        Those since the first state; None where they are not shown.
    """
    rows = rows_of(moves)
    other = {
        move: _Standing(state, {str(row["slug"]) for row in rows if row["move"] == move})
        for move, state in (("removed", new), ("added", old))
    }
    recorded = None if changes is None else _recorded(changes)
    kept: list[int] = []
    for place, row in enumerate(rows):
        if (side := _SIDES.get(row["move"])) and row["reason"] == "text":
            slug, words = str(row["slug"]), _words(row[f"quote_{side}"])
            if other[row["move"]].has(slug, row["surface"], words):
                continue
            if other[row["move"]].holds(slug, words):
                row |= {"move": "reread", "reason": "reading"}
            elif recorded is not None and words not in recorded.get(slug, ()):
                row["reason"] = "not known" if slug in other[row["move"]].without else "unrecorded"
        kept.append(place)
    told = moves.assign(
        **{name: pd.Series([row[name] for row in rows], moves.index, "str") for name in ("move", "reason")}
    )
    return told.iloc[kept].reset_index(drop=True)


class _Standing:
    """The clauses and texts of some platforms in a state."""

    def __init__(self, data: Dataset, slugs: set[str]) -> None:
        found = data.findings[data.findings["slug"].isin(slugs)]
        self._found = {(row["slug"], row["surface"], _words(row["quote"])) for row in rows_of(found)}
        self._quotes: dict[str, list[str]] = {}
        self.without: set[str] = set()
        for row in rows_of(pd.concat([found, data.leads[data.leads["slug"].isin(slugs)]])):
            self._quotes.setdefault(row["slug"], []).append(_words(row["quote"]))
        self._add_texts(data, slugs)

    def has(self, slug: str, surface: object, words: str) -> bool:
        """Say whether words are a finding on a surface."""
        return (slug, surface, words) in self._found

    def holds(self, slug: str, words: str) -> bool:
        """Say whether words stand in a text of a platform, as far as its texts can be had."""
        return any(words in text for text in self._quotes.get(slug, ()))

    def _add_texts(self, data: Dataset, slugs: set[str]) -> None:
        """Add the texts of the platforms' documents; `without` names the platforms one of whose texts cannot be had."""
        documents = data.documents[data.documents["slug"].isin(slugs) & data.documents["snapshot_sha256"].notna()]
        if data.client is None or documents.empty:
            return
        bodies = dict(data.client.snapshots(sorted(map(str, documents["snapshot_sha256"].unique()))))
        for row in rows_of(documents):
            if isinstance(body := bodies.get(row["snapshot_sha256"]), bytes):
                self._quotes.setdefault(row["slug"], []).append(_words(body.decode("utf-8", "replace")))
            else:
                self.without.add(row["slug"])


def _recorded(changes: pd.DataFrame) -> dict[str, set[str]]:
    """Return the words that material changes name, by platform."""
    told: dict[str, set[str]] = {}
    for row in rows_of(changes[changes["change_class"] == "material"]):
        words = told.setdefault(str(row["slug"]), set())
        words |= {_words(one.get("quote")) for name in ("added", "removed") for one in records_of(row[name])}
        words |= {
            _words(_quote_of(pair.get(side))) for pair in records_of(row["altered"]) for side in ("before", "after")
        }
    return told


def _quote_of(side: Any) -> object:
    """Return the quote of a side of an altered clause, which is a finding or its words."""
    return side.get("quote") if isinstance(side, Mapping) else side


def _words(quote: object) -> str:
    """Return words as they stand in any text, however it is broken into lines."""
    return " ".join(word_of(quote).split())
