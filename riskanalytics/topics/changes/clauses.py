"""The clauses of a change: which came, went, were rewritten, or are read otherwise now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd
from rapidfuzz.distance import Indel

from riskanalytics.frames import TIME, rows_of
from riskanalytics.models import RATINGS

__all__ = ["changed_clauses"]

Side = Mapping[str, Any]
"""A finding as the change feed gives it."""
Sides = tuple[Side | None, Side | None]
Key = tuple[Any, Any]
"""Surface and words of a clause."""

CLAUSE_COLUMNS: Final = {
    "finding_id": "str",
    "slug": "str",
    "name": "str",
    "document": "str",
    "quote": "str",
    "snapshot_sha256": "str",
    "start": "Int64",
    "end": "Int64",
    "captured_at": TIME,
    "archive_url": "str",
}
"""Columns of `changed_clauses`."""

_ALIKE: Final = 0.35
"""Share of words in common from which one clause is taken to be another rewritten."""
_NAMED: Final = ("finding", "before", "after")
"""Fields of a cause that name findings."""
_MOST: Final = 200
"""Clauses compared on either side at most: the work stays bounded."""


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
        Highest level of these, as it is after the change (before it, where the clause went).
    risk_before : str
        Highest level before; the same as `risk` where the clause came or went.
    protective : bool
        Whether the clause lowers the risk.
    cause : bool
        Whether it moved the platform's rating, stance, or level of a surface.
    """

    before: Side | None
    after: Side | None
    surfaces: tuple[str, ...]
    risk: str
    risk_before: str
    protective: bool
    cause: bool

    @property
    def kind(self) -> str:
        """What happened: `added`, `removed`, `reread` (same words), `rewritten` (words in common), `replaced`."""
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        likeness = _likeness(self.before, self.after)
        if likeness == 1:
            return "reread"
        return "rewritten" if likeness >= _ALIKE else "replaced"


def clause_pairs(change: Mapping[str, Any]) -> list[ClausePair]:
    """Return the clauses of a change: what moved the platform first, then the weightiest as the service orders them.

    A clause that went is paired with one that came on the same surface when they have words in common, the
    likest first; when no words are in common, only where one clause alone went and one alone came.

    Parameters
    ----------
    change : mapping
        A row of `frames.CHANGES_COLUMNS`: `added`, `removed` (findings), `altered` (`before`, `after` texts),
        `cause` (of one that does not tell what it `moved`: the rating). The same words on several surfaces are one clause.

    Returns
    -------
    list of ClausePair
    """
    causes = _mappings(change.get("cause"))
    moved = {item.get(side) for item in causes if item.get("moved", True) for side in _NAMED} - {None}
    places = {item.get(side): place for place, item in enumerate(causes) if "moved" in item for side in _NAMED}
    grouped: dict[tuple[Any, Any], list[Sides]] = {}
    for before, after in _sides(change):
        grouped.setdefault((_quote(before), _quote(after)), []).append((before, after))
    pairs = [_merged(sides, moved) for sides in _without_repeats(grouped).values()]
    return sorted(
        pairs,
        key=lambda pair: (
            not pair.cause,
            min(places.get((side or {}).get("id"), len(places)) for side in (pair.after, pair.before)),
            -_rank(pair.risk),
            pair.kind == "reread",
            pair.protective,
        ),
    )


def _mappings(value: object) -> list[Mapping[str, Any]]:
    """Return the records of a nested cell."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _quote(side: Side | None) -> str | None:
    """Return the words of a side."""
    return None if side is None else str(side.get("quote") or "")


def _sides(change: Mapping[str, Any]) -> Iterator[Sides]:
    """Give the two sides of each clause of a change; sentences that are no findings (dates, contacts) are none."""
    added, removed = _by_quote(change.get("added")), _by_quote(change.get("removed"))
    for item in _mappings(change.get("altered")):
        before, after = _taken(removed, item, "before"), _taken(added, item, "after")
        if before is not None or after is not None:
            yield before, after
    for key in [key for key in removed if key in added]:
        yield removed.pop(key), added.pop(key)
    for old, new in _likest(removed, added):
        yield removed.pop(old), added.pop(new)
    alone = Counter(surface for surface, _ in removed), Counter(surface for surface, _ in added)
    for key in list(removed):
        twin = next((other for other in added if other[0] == key[0]), None)
        single = twin is not None and alone[0][key[0]] == alone[1][key[0]] == 1
        yield removed[key], added.pop(twin) if single and twin is not None else None
    yield from ((None, side) for side in added.values())


def _likest(removed: Mapping[Key, Side], added: Mapping[Key, Side]) -> list[tuple[Key, Key]]:
    """Return the clauses of the same surface that have words in common, each once, the likest first."""
    told = sorted(
        (
            (-likeness, place, old, new)
            for place, old in enumerate(list(removed)[:_MOST])
            for new in list(added)[:_MOST]
            if old[0] == new[0] and (likeness := _likeness(removed[old], added[new])) >= _ALIKE
        ),
        key=lambda item: item[:2],
    )
    pairs: dict[Key, Key] = {}
    for _, _, old, new in told:
        if old not in pairs and new not in pairs.values():
            pairs[old] = new
    return list(pairs.items())


def _likeness(before: Side, after: Side) -> float:
    """Return how alike the words of two clauses are, 0..1: shared words in order (Indel similarity)."""
    return float(Indel.normalized_similarity(_words(before), _words(after)))


def _words(side: Side) -> list[str]:
    """Return the words of a clause; characters where it is written without blanks."""
    quote = (_quote(side) or "").casefold()
    words = quote.split()
    return words if len(words) > 3 else list(quote)


def _by_quote(findings: object) -> dict[Key, Side]:
    """Index findings by surface and words."""
    return {(item.get("surface"), _quote(item)): item for item in _mappings(findings)}


def _taken(findings: dict[Key, Side], altered: Side, side: str) -> Side | None:
    """Take the finding that one side of an altered clause is out of those that came or went; None where it is none."""
    value = altered.get(side)
    words = value.get("quote") if isinstance(value, Mapping) else value
    found = findings.pop((altered.get("surface"), words), None)
    return found or (value if isinstance(value, Mapping) and value.get("id") else None)


def _without_repeats(grouped: dict[tuple[Any, Any], list[Sides]]) -> dict[tuple[Any, Any], list[Sides]]:
    """Let a clause that came or went alone join the pair in which the same words stand already."""
    paired = {words: key for key in grouped for words in key if None not in key}
    kept: dict[tuple[Any, Any], list[Sides]] = {}
    for (before, after), sides in grouped.items():
        alone = None in (before, after)
        home = paired.get(before or after) if alone else None
        kept.setdefault(home or (before, after), []).extend(sides)
    return {key: sorted(sides, key=lambda pair: None in pair) for key, sides in kept.items()}


def _merged(sides: list[Sides], moved: set[Any]) -> ClausePair:
    """Return the same words on several surfaces as one clause."""
    before, after = sides[0]
    told = [side for pair in sides for side in pair if side is not None]
    current = [pair[1] or pair[0] or {} for pair in sides]
    earlier = [pair[0] or pair[1] or {} for pair in sides]
    return ClausePair(
        before,
        after,
        tuple(dict.fromkeys(str(side.get("surface") or "") for side in told)),
        max((str(side.get("risk") or "") for side in current), key=_rank),
        max((str(side.get("risk") or "") for side in earlier), key=_rank),
        all(side.get("polarity") == "mitigates_risk" for side in current),
        any(side.get("id") in moved for side in told),
    )


def _rank(risk: str) -> int:
    """Return the rank of a level; one never seen ranks below all."""
    return RATINGS.index(risk) if risk in RATINGS else -1


def changed_clauses(material: pd.DataFrame | None) -> pd.DataFrame:
    """List every clause that came, went or was rewritten in these changes, ready for its quotes to be checked again.

    Parameters
    ----------
    material : pandas.DataFrame or None
        As `analysis.material_changes` gives it; None where the changes are not known.

    Returns
    -------
    pandas.DataFrame
        `CLAUSE_COLUMNS`; each finding once.

    Examples
    --------
    >>> material = analysis.material_changes(data.of(["quorfilixmusic"]).changes())
    >>> for quote in analysis.changed_clauses(material)["quote"]:
    ...     print(quote)
    Your inputs and outputs are never used to train artificial intelligence models, ours or anybody else's.
    Without your explicit consent we do not use prompts or outputs to train any model.
    """
    rows: dict[Any, dict[str, Any]] = {}
    for change in [] if material is None else rows_of(material):
        for pair in clause_pairs(change):
            for side in (pair.before, pair.after):
                if side is not None and side.get("id"):
                    rows[side["id"]] = _row(change, side)
    frame = pd.DataFrame.from_records(list(rows.values()), columns=list(CLAUSE_COLUMNS))
    frame["captured_at"] = pd.to_datetime(frame["captured_at"], utc=True, errors="coerce")
    return frame.astype(CLAUSE_COLUMNS)


def _row(change: Mapping[str, Any], side: Side) -> dict[str, Any]:
    """Return one side of a clause as a row of `CLAUSE_COLUMNS`."""
    provenance = side.get("provenance")
    told = dict(provenance) if isinstance(provenance, Mapping) else {}
    head = {"finding_id": side["id"], "slug": change["slug"], "name": change["name"], "quote": side.get("quote")}
    return {**{key: told.get(key) for key in CLAUSE_COLUMNS}, **head}
