"""Findings in the groupings that servers give them -> one list: by surface, by document, or one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from riskanalytics.frames.building import Json, mapping_of, records_of

FINDINGS: Final = ("findings", "citations", "clauses", "evidence", "machine_findings")
_HELD: Final = (*FINDINGS, "items", "results", "data")
"""Names under which a group of findings, such as those of one surface, holds them."""
_HOLDING: Final = frozenset(_HELD)
WORDS: Final = ("quote", "text", "excerpt", "verbatim", "clause")
"""Names under which a finding gives its quote."""
_DEEPEST: Final = 4


def findings_in(value: object) -> list[object] | None:
    """Return the findings of a list, of groups in a list, or of a mapping by surface, one by one.

    Parameters
    ----------
    value : object
        As a record holds it. A row with words of its own is a finding, whatever else it holds.

    Returns
    -------
    list or None
        None among them is a part that cannot be read; None instead of them where nothing can.
    """
    if isinstance(value, list):
        return list(_each(value, None, _DEEPEST))
    found: list[object] = []
    known = False
    for name, part in mapping_of(value).items():
        record = mapping_of(part)
        if isinstance(part, list) or _has_words(record, ("quote",)) or held_by(record) is not None:
            known = True
            found += _each(part, None if name in _HELD else name, _DEEPEST)
        elif part and not isinstance(part, int | float) and record.get("count") != 0:
            found.append(None)
    return found if known else None


def _each(value: object, surface: str | None, depth: int) -> Iterator[object]:
    """Give the findings of a list, of one group, or the one that it is, with their surface; None for what is neither."""
    for row in value if isinstance(value, list) else [value]:
        if not isinstance(row, Mapping) or not depth:
            yield None
        elif (held := held_by(row)) is not None:
            yield from _each(held, surface or _surface_of(row), depth - 1)
        else:
            yield row if surface is None else {"surface": surface, **row}


def held_by(row: Json) -> object:
    """Return the list of findings that a group holds; None of a finding, which has words of its own.

    Parameters
    ----------
    row : mapping
        A `text` is no words of its own where `findings` stand beside it: it may speak of them.
    """
    if _HOLDING.isdisjoint(row):
        return None
    for name in _HELD:
        words = ("quote",) if name in ("findings", "machine_findings") else WORDS
        if isinstance(row.get(name), list) and not _has_words(row, words):
            return row[name]
    return None


def _has_words(row: Json, names: Sequence[str]) -> bool:
    """Say whether a record has a text under one of these names."""
    return any(isinstance(row.get(name), str) for name in names)


def by_surface(value: object) -> dict[str, object]:
    """Return counts by surface as a mapping.

    Parameters
    ----------
    value : object
        A mapping, or a list of records that name their surface.
    """
    if isinstance(value, Mapping):
        return dict(value)
    return {name: row for row in records_of(value) if (name := _surface_of(row)) is not None}


def _surface_of(row: Json) -> str | None:
    """Return the surface that a record names."""
    return next((value for name in ("surface", "id", "name") if isinstance(value := row.get(name), str)), None)
