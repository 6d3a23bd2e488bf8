"""The clauses of a change: pairs of before and after, and the frame in which they are checked again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

import pandas as pd

from riskanalytics.frames import rows_of
from riskanalytics.models import RATINGS

CLAUSE_COLUMNS: Final = {
    "finding_id": "str",
    "slug": "str",
    "name": "str",
    "document": "str",
    "quote": "str",
    "snapshot_sha256": "str",
    "start": "Int64",
    "end": "Int64",
    "captured_at": "datetime64[us, UTC]",
    "archive_url": "str",
}
"""Columns of `changed_clauses`."""

Side = Mapping[str, Any]
Grouped = dict[tuple[Any, Any], list[tuple[Side | None, Side | None]]]
_ALIKE: Final = 0.35


@dataclass(frozen=True)
class ClausePair:
    """One clause of a change.

    Parameters
    ----------
    before, after : mapping or None
        The finding on that side; None where there is none.
    surfaces : tuple of str
        All surfaces the same words speak to.
    risk : str
        Highest level of these.
    protective : bool
        Whether the clause lowers the risk.
    cause : bool
        Whether it moved the rating.
    """

    before: Side | None
    after: Side | None
    surfaces: tuple[str, ...]
    risk: str
    protective: bool
    cause: bool

    @property
    def kind(self) -> str:
        """`added`, `removed`, `rewritten` (words in common) or `replaced` (other words on the same surface)."""
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        return "rewritten" if _likeness(self.before, self.after) >= _ALIKE else "replaced"


def clause_pairs(change: Mapping[str, Any]) -> list[ClausePair]:
    """Return the clauses of a change: what moved the rating first, then the highest levels.

    Parameters
    ----------
    change : mapping
        A row of `analysis.material_changes`: `added`, `removed` (findings), `altered` (`before`, `after` texts),
        `cause`. The same words on several surfaces are one clause.
    """
    causes = {item.get("finding") for item in change["cause"] if isinstance(item, Mapping)}
    grouped: Grouped = {}
    for before, after in _sides(change):
        words = tuple(None if side is None else side.get("quote") for side in (before, after))
        grouped.setdefault((words[0], words[1]), []).append((before, after))
    pairs = [_merged(sides, causes) for sides in _without_repeats(grouped).values()]
    return sorted(pairs, key=lambda pair: (not pair.cause, -_rank(pair.risk), pair.protective))


def _sides(change: Mapping[str, Any]) -> Iterator[tuple[Side | None, Side | None]]:
    """Give the two sides of each clause of a change; sentences that are no findings (dates, contacts) are none."""
    added, removed = _by_quote(change["added"]), _by_quote(change["removed"])
    for item in change["altered"]:
        if isinstance(item, Mapping):
            before, after = _taken(removed, item, "before"), _taken(added, item, "after")
            if before is not None or after is not None:
                yield before, after
    for key, side in removed.items():
        twins = [
            (_likeness(side, other), place, other)
            for place, (other_key, other) in enumerate(added.items())
            if other_key[0] == key[0]
        ]
        twin = max(twins, key=lambda told: (told[0], -told[1]))[2] if twins else None
        if twin is not None:
            del added[twin.get("surface"), twin.get("quote")]
        yield side, twin
    yield from ((None, side) for side in added.values())


def _likeness(before: Side, after: Side) -> float:
    """Return how alike the words of two clauses are, 0..1."""
    return SequenceMatcher(None, _words(before), _words(after), autojunk=False).ratio()


def _words(side: Side) -> list[str]:
    """Return the words of a clause; characters where it is written without blanks."""
    quote = str(side.get("quote") or "").casefold()
    words = quote.split()
    return words if len(words) > 3 else list(quote)


def _without_repeats(grouped: Grouped) -> Grouped:
    """Let a clause that came or went alone join the pair in which the same words stand already."""
    paired = {words: key for key in grouped for words in key if None not in key}
    kept: Grouped = {}
    for (before, after), sides in grouped.items():
        alone = None in (before, after)
        home = paired.get(before or after) if alone else None
        kept.setdefault(home or (before, after), []).extend(sides)
    return {key: sorted(sides, key=lambda pair: None in pair) for key, sides in kept.items()}


def _by_quote(findings: Any) -> dict[tuple[Any, Any], Side]:
    """Index findings by surface and words."""
    return {(item.get("surface"), item.get("quote")): item for item in findings if isinstance(item, Mapping)}


def _taken(findings: dict[tuple[Any, Any], Side], altered: Side, side: str) -> Side | None:
    """Take the finding that one side of an altered clause is out of those that came or went; None where it is none."""
    value = altered.get(side)
    words = value.get("quote") if isinstance(value, Mapping) else value
    found = findings.pop((altered.get("surface"), words), None)
    return found or (value if isinstance(value, Mapping) and value.get("id") else None)


def _merged(sides: list[tuple[Side | None, Side | None]], causes: set[Any]) -> ClausePair:
    """Return the same words on several surfaces as one clause."""
    before, after = sides[0]
    told = [side for pair in sides for side in pair if side is not None]
    current = [pair[1] or pair[0] or {} for pair in sides]
    return ClausePair(
        before,
        after,
        tuple(dict.fromkeys(str(side.get("surface") or "") for side in told)),
        max((str(side.get("risk") or "") for side in current), key=_rank),
        all(side.get("polarity") == "mitigates_risk" for side in current),
        any(side.get("id") in causes for side in told),
    )


def _rank(risk: str) -> int:
    """Return the rank of a level; one never seen ranks below all."""
    return RATINGS.index(risk) if risk in RATINGS else -1


def changed_clauses(material: pd.DataFrame) -> pd.DataFrame:
    """Return every clause that a page on these changes shows, to be checked again.

    Parameters
    ----------
    material : pandas.DataFrame
        As `analysis.material_changes` gives it.

    Returns
    -------
    pandas.DataFrame
        `CLAUSE_COLUMNS`; each finding once.
    """
    rows: dict[Any, dict[str, Any]] = {}
    for change in rows_of(material):
        for pair in clause_pairs(change):
            for side in (pair.before, pair.after):
                if side is not None and side.get("id"):
                    rows[side["id"]] = _row(change, side)
    frame = pd.DataFrame.from_records(list(rows.values()), columns=list(CLAUSE_COLUMNS))
    frame["captured_at"] = pd.to_datetime(frame["captured_at"], utc=True, errors="coerce")
    return frame.astype(CLAUSE_COLUMNS)


def _row(change: Mapping[str, Any], side: Side) -> dict[str, Any]:
    """Return one side of a clause as a row."""
    provenance = side.get("provenance")
    told = dict(provenance) if isinstance(provenance, Mapping) else {}
    head = {"finding_id": side["id"], "slug": change["slug"], "name": change["name"], "quote": side.get("quote")}
    return {**{key: told.get(key) for key in CLAUSE_COLUMNS}, **head}
