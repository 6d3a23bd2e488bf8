"""The clauses that differ in a change, or between two days: added, removed, rewritten, moved, or assessed differently."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import pandas as pd
from rapidfuzz.distance import Indel

from riskanalytics.frames import FINDINGS_COLUMNS, findings_frame, is_missing, rows_of
from riskanalytics.frames.building import mapping_of, records_of
from riskanalytics.text.wording import led_in

from .. import shape

__all__ = ["changed_clauses", "finding_moves", "stance_differences"]

CLAUSE_COLUMNS: Final = shape.dtypes(
    FINDINGS_COLUMNS, "finding_id", "slug", "name", "document", "quote", "snapshot_sha256", "start", "end",
    "captured_at", "archive_url", "document_url",
)  # fmt: skip
"""Columns and dtypes of the result of `changed_clauses`."""
_SIDES: Final = shape.schema("quote risk snapshot_sha256:str start end:Int64 finding_id:str")
_STANCES: Final = dict.fromkeys(("stance", "consumer_stance", "business_stance"), "str")


def _twice(columns: shape.Dtypes) -> dict[str, object]:
    """Return each column twice, with the endings `_before` and `_after`."""
    return {f"{name}_{side}": dtype for name, dtype in columns.items() for side in ("before", "after")}


FINDING_MOVE_COLUMNS: Final = shape.schema("slug name document surface move reason:str level:level") | _twice(_SIDES)
STANCE_DIFFERENCE_COLUMNS: Final = shape.schema("slug name:str") | _twice(_STANCES)
MOVES: Final = ("added", "removed", "reworded", "reread", "moved")
"""Ways in which a finding can differ between two states, in the order in which `finding_moves` sorts them."""
_PLACE: Final = ["slug", "document", "surface"]
_ALIKE: Final = 0.35
"""Minimum share of common words at which one clause counts as another one rewritten."""
_NAMED: Final = ("finding", "before", "after")
"""Fields of a cause that list findings."""
_MOST: Final = 200
"""Maximum number of clauses compared on each side, to bound the work."""

Key = tuple[object, ...]
"""Surface and words of a clause: unique in its document."""


@dataclass(frozen=True)
class Clause:
    """A finding that a change added or removed: its identifier, surface, quote, level (`risk`), source and lead-in.

    Each of these texts is empty if the service did not send it. `protective` is True if the clause lowers the risk.
    """

    id: str
    surface: str
    quote: str
    risk: str
    protective: bool
    provenance: Mapping[str, Any]
    lead_in: str = ""
    """The lead-in that the clause continues; empty without a lead-in."""

    @property
    def words(self) -> list[str]:
        """The words of the clause in lower case; its characters if it has at most three words, as in Chinese."""
        words = self.quote.casefold().split()
        return words if len(words) > 3 else list(self.quote.casefold())


Sides = tuple[Clause | None, Clause | None]
"""A clause before and after a change; None on a side without it."""


@dataclass(frozen=True)
class ClausePair:
    """One clause of a change, before and after it.

    Parameters
    ----------
    before, after : Clause or None
        The finding before and after the change; None if there is none on that side.
    surfaces : tuple of str
        All surfaces on which the clause is a finding; empty if only readers (language models) found that the text changed.
    risk, risk_before : str
        Highest level on these surfaces after and before the change; equal if the clause was added or removed.
    protective : bool
        Whether the clause lowers the risk.
    cause : bool
        Whether the clause moved the platform's rating, its stance, or the level of a surface.
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
        """The clause before and after the change, without a missing side."""
        return [side for side in (self.before, self.after) if side]

    @property
    def kind(self) -> str:
        """How the clause changed: `added`, `removed`, `rewritten`, or `reread` (same words, but now assessed differently)."""
        if self.before and self.after:
            return "reread" if self.before.words == self.after.words else "rewritten"
        return "removed" if self.before else "added"


def clause_pairs(change: Mapping[str, object]) -> list[ClausePair]:
    """Return the clauses that a change added, removed or rewrote; the findings in its `cause` come first.

    A removed clause is paired with an added clause of the same surface if they have words in common, the most similar first.
    The same words on several surfaces are one clause.

    Parameters
    ----------
    change : mapping
        A row of `frames.CHANGES_COLUMNS`: `added`, `removed` (findings), `altered` (`before`, `after` texts), `cause`
        (findings that changed, the weightiest first).

    Returns
    -------
    list of ClausePair
    """
    causes = records_of(change.get("cause"))
    moved = {cause.get(side) for cause in causes if cause.get("moved", True) for side in _NAMED} - {None}
    places = {cause[side]: place for place, cause in enumerate(causes) for side in _NAMED if cause.get(side)}
    same: dict[tuple[str | None, ...], list[Sides]] = {}
    for sides in _sides(change):
        same.setdefault(tuple(side.quote if side else None for side in sides), []).append(sides)
    paired = {words: key for key in same for words in key if None not in key}
    homes: dict[tuple[str | None, ...], list[Sides]] = {}
    for key, found in same.items():  # a clause without a pair joins the pair with the same words
        homes.setdefault(paired.get(key[0] or key[1], key) if None in key else key, []).extend(found)
    pairs = [_merged(sorted(found, key=lambda sides: None in sides), moved) for found in homes.values()]

    def order(pair: ClausePair) -> tuple[object, ...]:
        first = min(places.get(side.id, len(causes)) for side in (pair.after, pair.before) if side)
        return first, not pair.cause, -shape.RANK.get(pair.risk, -1), pair.kind == "reread", pair.protective

    return sorted(pairs, key=order)


def _clauses(change: Mapping[str, object], side: str) -> dict[Key, Clause]:
    """Return the findings that a change added or removed as clauses."""
    clauses: dict[Key, Clause] = {}
    for finding in records_of(change.get(side)):
        name, surface, quote, risk = (shape.word_of(finding.get(key)) for key in ("id", "surface", "quote", "risk"))
        lead = mapping_of(finding.get("lead_in"))
        provenance = {**mapping_of(finding.get("provenance")), "slug": change.get("slug"), "lead_in": lead.get("quote")}
        lead_in = led_in(shape.word_of(lead.get("quote")), lead.get("end"), provenance.get("start")) if lead else ""
        protective = finding.get("polarity") == "mitigates_risk"
        clauses[surface, quote] = Clause(name, surface, quote, risk, protective, provenance, lead_in)
    return clauses


def _sides(change: Mapping[str, object]) -> Iterator[Sides]:
    """Yield the two sides of each clause of a change; altered sentences without a finding (dates, contacts) are skipped."""
    removed, added = _clauses(change, "removed"), _clauses(change, "added")
    for item in records_of(change.get("altered")):
        surface, before, after = (shape.word_of(item.get(key)) for key in ("surface", "before", "after"))
        sides = removed.pop((surface, before), None), added.pop((surface, after), None)
        if any(sides):
            yield sides
    yield from _paired(removed, added)


def _paired(removed: dict[Key, Clause], added: dict[Key, Clause]) -> Iterator[Sides]:
    """Pair clauses with the same words, then clauses of one surface with words in common, the most similar first."""
    for key in [key for key in removed if key in added]:
        yield removed.pop(key), added.pop(key)
    likeness = [
        (Indel.normalized_similarity(before.words, after.words), old, new)
        for old, before in islice(removed.items(), _MOST)
        for new, after in islice(added.items(), _MOST)
        if before.surface == after.surface
    ]
    for alike, old, new in sorted(likeness, key=lambda item: -item[0]):
        if alike >= _ALIKE and old in removed and new in added:
            yield removed.pop(old), added.pop(new)
    yield from ((clause, None) for clause in removed.values())
    yield from ((None, clause) for clause in added.values())


def _merged(sides: list[Sides], moved: set[object]) -> ClausePair:
    """Return the same words on several surfaces as one clause."""
    clauses = [side for pair in sides for side in pair if side]
    now, then = [after or before for before, after in sides], [before or after for before, after in sides]
    surfaces = tuple(dict.fromkeys(side.surface for side in clauses if side.surface))
    protective, cause = all(side.protective for side in now if side), any(side.id in moved for side in clauses)
    return ClausePair(*sides[0], surfaces, _highest(now), _highest(then), protective, cause)


def _highest(clauses: Sequence[Clause | None]) -> str:
    """Return the highest level among clauses."""
    return max((clause.risk for clause in clauses if clause), key=lambda risk: shape.RANK.get(risk, -1))


def changed_clauses(material: pd.DataFrame | None) -> pd.DataFrame:
    """List all clauses that the given changes added, removed or rewrote, so that their quotes can be verified.

    Parameters
    ----------
    material : pandas.DataFrame or None
        Result of `analysis.material_changes`; None if the changes are not known.

    Returns
    -------
    pandas.DataFrame
        One row for each finding: `finding_id`, platform, document, quote, snapshot with offsets, and addresses
        (`CLAUSE_COLUMNS`).

    Examples
    --------
    >>> material = analysis.material_changes(data.of(["quorfilixmusic"]).changes())
    >>> for quote in analysis.changed_clauses(material)["quote"]:
    ...     print(quote)
    Without your explicit consent we do not use prompts or outputs to train any model.
    Your inputs and outputs are never used to train artificial intelligence models, ours or anybody else's.
    """
    rows = {
        side.id: {key: change[key] for key in ("slug", "name")}
        | {"id": side.id, "quote": side.quote, "provenance": dict(side.provenance)}
        for change in ([] if material is None else rows_of(material))
        for pair in clause_pairs(change)
        for side in pair.sides
        if side.id
    }
    return findings_frame(rows.values())[list(CLAUSE_COLUMNS)]


def finding_moves(
    before: pd.DataFrame,
    after: pd.DataFrame,
    documents_before: pd.DataFrame | None = None,
    documents_after: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """List the findings that differ between two data sets, such as those of two days.

    Parameters
    ----------
    before, after : pandas.DataFrame
        Findings of the two data sets (`frames.FINDINGS_COLUMNS`).
    documents_before, documents_after : pandas.DataFrame, optional
        Documents of the two data sets (`frames.DOCUMENTS_COLUMNS`). They show whether the vendor changed a text. Without them,
        the reason of each difference is `not known`.

    Returns
    -------
    pandas.DataFrame
        One row for each finding that differs; equal findings are left out:

        - `slug`, `name`, `document`, `surface` str
        - `move` str, how it differs: `added`, `removed`, `reworded` (words in common, same surface and document), `reread` (same
          words, another level or polarity) or `moved` (same words at another offset)
        - `reason` str, why it differs: `text` (the document changed), `document` (only one data set has the document), `reading`
          (the extraction assessed the same text differently) or `not known`
        - `level` category: the level after, or for a removed finding the level before
        - `quote`, `risk`, `snapshot_sha256`, `finding_id` str and `start`, `end` Int64 (offsets in characters), each in two columns
          with the endings `_before` and `_after`

        Sorted by `move` in the order above, then the highest level first, then by name.

    Examples
    --------
    >>> then = data.at("2026-09-30")
    >>> moves = analysis.finding_moves(then.findings, data.findings, then.documents, data.documents)
    >>> moves.groupby("move").size().to_dict()
    {'added': 5, 'moved': 103, 'removed': 4, 'reworded': 1}
    """
    sides = [_by_place(frame) for frame in (before, after)]
    texts = [
        None if frame is None else frame.set_index(["slug", "document"])["snapshot_sha256"].to_dict()
        for frame in (documents_before, documents_after)
    ]
    rows = []
    for place in sorted(sides[0].keys() | sides[1].keys()):
        for old, new in _paired(*(side.get(place, {}) for side in sides)):
            if move := _move(old, new):
                row: dict[str, Any] = {"move": move, "reason": _reason(place[:2], texts)}
                for when, side in (("before", old), ("after", new)):
                    if side:
                        row |= {f"{name}_{when}": side.provenance[name] for name in _SIDES} | dict(side.provenance)
                rows.append(row | {"level": shape.level_of(row["risk"])})
    moves = shape.named(shape.shaped(rows, FINDING_MOVE_COLUMNS))
    keys = {"order": moves["move"].map(MOVES.index), "severity": shape.severities(moves["level"].astype("str"))}
    return shape.cut_to(shape.ordered(moves.assign(**keys), "order", "severity", "name", "slug"), FINDING_MOVE_COLUMNS)


def _by_place(findings: pd.DataFrame) -> dict[tuple[str, ...], dict[Key, Clause]]:
    """Return findings by platform, document and surface, in the order of the text; line breaks are ignored."""
    frame = findings.fillna(dict.fromkeys((*_PLACE, "quote", "finding_id"), ""))
    frame = frame.sort_values([*_PLACE, "start", "finding_id"], na_position="first")
    words = frame["quote"].str.split().str.join(" ")
    again = words.groupby([*(frame[name] for name in _PLACE), words]).cumcount()
    places: dict[tuple[str, ...], dict[Key, Clause]] = {}
    for row, key in zip(rows_of(frame), zip(words, again, strict=True), strict=True):
        clause = Clause(row["finding_id"], row["surface"], row["quote"], shape.word_of(row["risk"]), False, row)
        places.setdefault(tuple(row[name] for name in _PLACE), {})[key] = clause
    return places


def _reason(document: tuple[str, ...], texts: Sequence[Mapping[Any, Any] | None]) -> str:
    """Return the reason of a move: another text, another document, or another reading of the same text."""
    before, after = texts
    if before is None or after is None:
        return "not known"
    if document not in before or document not in after:
        return "document"
    old, new = before[document], after[document]
    if is_missing(old) or is_missing(new):
        return "not known"
    return "reading" if old == new else "text"


def _move(before: Clause | None, after: Clause | None) -> str:
    """Return the move of a finding; empty if it did not move."""
    if before is None or after is None:
        return "added" if before is None else "removed"
    if before.quote.split() != after.quote.split():
        return "reworded"
    old, new = before.provenance, after.provenance
    if any(str(old.get(name)) != str(new.get(name)) for name in ("risk", "polarity")):
        return "reread"
    return "" if str(old.get("start")) == str(new.get("start")) else "moved"


def stance_differences(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """List the platforms whose stance on training use differs between two data sets, such as those of two days.

    Parameters
    ----------
    before, after : pandas.DataFrame
        `training_use` of the two data sets (`frames.TRAINING_USE_COLUMNS`).

    Returns
    -------
    pandas.DataFrame
        `slug`, `name`, and `stance`, `consumer_stance`, `business_stance` with the endings `_before` and `_after`, all str; a
        stance is missing if no document could be read. Only platforms that both data sets contain, sorted by name.

    Examples
    --------
    >>> analysis.stance_differences(data.at("2026-09-30").training_use, data.training_use)["slug"].tolist()
    ['quorfilixmusic']
    """
    both = before.merge(after, on="slug", suffixes=("_before", "_after")).rename(columns={"name_after": "name"})
    moved = [both[f"{name}_before"].fillna("") != both[f"{name}_after"].fillna("") for name in _STANCES]
    differing = shape.named(both[pd.concat(moved, axis=1).any(axis=1)])
    return shape.cut_to(shape.ordered(differing, "name", "slug"), STANCE_DIFFERENCE_COLUMNS)
