"""The clauses of a change: which came, went, were rewritten, or are read otherwise now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd
from rapidfuzz.distance import Indel

from riskanalytics.frames import FINDINGS_COLUMNS, findings_frame, rows_of
from riskanalytics.frames.building import mapping_of
from riskanalytics.models import RATINGS
from riskanalytics.text.wording import led_in
from riskanalytics.topics.shape import dtypes, items_of, word_of

__all__ = ["changed_clauses"]

CLAUSE_COLUMNS: Final = dtypes(
    FINDINGS_COLUMNS, "finding_id", "slug", "name", "document", "quote", "snapshot_sha256", "start", "end",
    "captured_at", "archive_url", "document_url",
)  # fmt: skip
"""Columns of `changed_clauses`."""

_ALIKE: Final = 0.35
"""Share of words in common from which one clause is taken to be another rewritten."""
_NAMED: Final = ("finding", "before", "after")
"""Fields of a cause that name findings."""
_MOST: Final = 200
"""Clauses compared on either side at most: the work stays bounded."""


@dataclass(frozen=True)
class Clause:
    """A finding as the change feed gives it; what it does not tell is empty.

    Parameters
    ----------
    id, surface, quote, risk : str
    protective : bool
        Whether it lowers the risk.
    provenance : mapping
        Where its words stand: of `slug`, `document`, `snapshot_sha256`, `start`, `end`, `captured_at`, `archive_url`,
        `document_url`.
    lead_in : str
        What it continues, as it stands before it; empty where it stands alone.
    """

    id: str
    surface: str
    quote: str
    risk: str
    protective: bool
    provenance: Mapping[str, object]
    lead_in: str = ""

    @property
    def key(self) -> Key:
        """Its surface and words: what tells it from others of its document."""
        return self.surface, self.quote

    @property
    def words(self) -> list[str]:
        """Its words in small letters; its characters where it is written without blanks."""
        words = self.quote.casefold().split()
        return words if len(words) > 3 else list(self.quote.casefold())


Key = tuple[str, str]
Sides = tuple[Clause | None, Clause | None]
Quotes = tuple[str | None, str | None]
"""The words of two sides."""


@dataclass(frozen=True)
class ClausePair:
    """One clause of a change.

    Parameters
    ----------
    before, after : Clause or None
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

    before: Clause | None
    after: Clause | None
    surfaces: tuple[str, ...]
    risk: str
    risk_before: str
    protective: bool
    cause: bool

    @property
    def sides(self) -> list[Clause]:
        """The sides that are there, the one before first."""
        return [side for side in (self.before, self.after) if side is not None]

    @property
    def kind(self) -> str:
        """What happened: `added`, `removed`, `reread` (same words), `rewritten`."""
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        return "reread" if self.before.words == self.after.words else "rewritten"


def clause_pairs(change: Mapping[str, object]) -> list[ClausePair]:
    """Return the clauses of a change in the order of the service: what decides its direction first.

    A clause that went is paired with one that came on the same surface when they have words in common, the
    likest first.

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
    moved = {cause.get(side) for cause in causes if cause.get("moved", True) for side in _NAMED} - {None}
    places = {cause.get(side): place for place, cause in enumerate(causes) if "moved" in cause for side in _NAMED}
    grouped: dict[Quotes, list[Sides]] = {}
    for before, after in _sides(change):
        quotes = (before.quote if before else None, after.quote if after else None)
        grouped.setdefault(quotes, []).append((before, after))
    pairs = [_merged(sides, moved) for sides in _without_repeats(grouped).values()]

    def order(pair: ClausePair) -> tuple[object, ...]:
        first = min(places.get(side.id if side else None, len(places)) for side in (pair.after, pair.before))
        return first, not pair.cause, -_rank(pair.risk), pair.kind == "reread", pair.protective

    return sorted(pairs, key=order)


def _mappings(value: object) -> list[Mapping[str, object]]:
    """Return the records of a nested cell."""
    return [item for item in items_of(value) if isinstance(item, Mapping)]


def _clause(finding: Mapping[str, object], slug: object) -> Clause:
    """Return a finding of a platform as a clause."""
    name, surface, quote, risk = (word_of(finding.get(key)) for key in ("id", "surface", "quote", "risk"))
    told = finding.get("provenance")
    provenance = {**(told if isinstance(told, Mapping) else {}), "slug": slug}
    protective = finding.get("polarity") == "mitigates_risk"
    lead = mapping_of(finding.get("lead_in"))
    lead_in = led_in(word_of(lead.get("quote")), lead.get("end"), provenance.get("start")) if lead else ""
    return Clause(name, surface, quote, risk, protective, provenance, lead_in)


def _sides(change: Mapping[str, object]) -> Iterator[Sides]:
    """Give the two sides of each clause of a change; sentences that are no findings (dates, contacts) are none."""
    slug = change.get("slug")
    added, removed = (
        {clause.key: clause for clause in (_clause(one, slug) for one in _mappings(change.get(side)))}
        for side in ("added", "removed")
    )
    for item in _mappings(change.get("altered")):
        before, after = (_taken(here, item, side, slug) for here, side in ((removed, "before"), (added, "after")))
        if before is not None or after is not None:
            yield before, after
    for key in [key for key in removed if key in added]:
        yield removed.pop(key), added.pop(key)
    for old, new in likest([*removed.values()], [*added.values()]):
        yield removed.pop(old), added.pop(new)
    yield from ((clause, None) for clause in removed.values())
    yield from ((None, clause) for clause in added.values())


def _taken(clauses: dict[Key, Clause], altered: Mapping[str, object], side: str, slug: object) -> Clause | None:
    """Take the clause that one side of an altered sentence is out of those that came or went; None where it is none."""
    value = altered.get(side)
    told = _clause(value, slug) if isinstance(value, Mapping) else None
    found = clauses.pop((word_of(altered.get("surface")), told.quote if told else word_of(value)), None)
    return found or (told if told and told.id else None)


def likest(removed: Sequence[Clause], added: Sequence[Clause]) -> list[tuple[Key, Key]]:
    """Return the clauses of the same surface that have words in common, each once, the likest first.

    Parameters
    ----------
    removed, added : sequence of Clause
        Of one document; of more than 200 only the first are compared.

    Returns
    -------
    list of tuple
        Keys of pairs of a clause that went and one that came.
    """
    told = [
        (likeness, old.key, new.key)
        for old in removed[:_MOST]
        for new in added[:_MOST]
        if old.surface == new.surface and (likeness := _likeness(old, new)) >= _ALIKE
    ]
    pairs: dict[Key, Key] = {}
    for _, old_key, new_key in sorted(told, key=lambda item: -item[0]):
        if old_key not in pairs and new_key not in pairs.values():
            pairs[old_key] = new_key
    return list(pairs.items())


def _likeness(before: Clause, after: Clause) -> float:
    """Return how alike the words of two clauses are, 0..1: shared words in order (Indel similarity)."""
    return float(Indel.normalized_similarity(before.words, after.words))


def _without_repeats(grouped: dict[Quotes, list[Sides]]) -> dict[Quotes, list[Sides]]:
    """Let a clause that came or went alone join the pair in which the same words stand already."""
    paired = {words: key for key in grouped for words in key if None not in key}
    kept: dict[Quotes, list[Sides]] = {}
    for key, sides in grouped.items():
        home = paired.get(key[0] or key[1], key) if None in key else key
        kept.setdefault(home, []).extend(sides)
    return {key: sorted(sides, key=lambda pair: None in pair) for key, sides in kept.items()}


def _merged(sides: list[Sides], moved: set[object]) -> ClausePair:
    """Return the same words on several surfaces as one clause."""
    told = [side for pair in sides for side in pair if side is not None]
    current, earlier = ([one or other for other, one in sides], [one or other for one, other in sides])
    surfaces = tuple(dict.fromkeys(side.surface for side in told))
    protective = all(side.protective for side in current if side)
    cause = any(side.id in moved for side in told)
    return ClausePair(*sides[0], surfaces, _highest(current), _highest(earlier), protective, cause)


def _highest(clauses: Sequence[Clause | None]) -> str:
    """Return the highest level among clauses."""
    return max((clause.risk for clause in clauses if clause), key=_rank)


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
    Without your explicit consent we do not use prompts or outputs to train any model.
    Your inputs and outputs are never used to train artificial intelligence models, ours or anybody else's.
    """
    rows = [
        {"id": side.id, "slug": change["slug"], "name": change["name"], "quote": side.quote}
        | {"provenance": dict(side.provenance)}
        for change in ([] if material is None else rows_of(material))
        for pair in clause_pairs(change)
        for side in pair.sides
        if side.id
    ]
    return findings_frame({row["id"]: row for row in rows}.values())[list(CLAUSE_COLUMNS)]
