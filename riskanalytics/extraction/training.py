"""The clauses that bear on training with users' material, and the stances on which readers (language models) agree.

If the package leaves a platform's stance `undetermined`, readers see these clauses of all current documents of the platform
together, and answer with words of a fixed list. An answer is stored under a hash of the clauses that speak of training or define
material, so the answer stays valid while these clauses do not change.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from .evidence import may_speak
from .records import DocumentReading, Reading
from .stance import MOST_TO_READ, UNDETERMINED, Stances, are_for_business, joined
from .units import Unit, units_of
from .verdicts import ANSWERS, TRAINING, Readers, lead_on, read_by

_MOST: Final = 12_000
"""Maximum number of characters that readers see when they decide a platform's stance."""
_TERM: Final = re.compile(
    r"""["']([A-Z][\w ]{0,30}?(?:Content|Data|Inputs?|Outputs?|Information|Materials?|Prompts?))["']"""
)
"""A word for material in quotation marks, as definitions write it."""
_IMPROVES: Final = re.compile(
    r"(?i)\b(?:improv|develop|enhanc|optimi[sz])\w*\b[^.;]{0,80}\b(?:services?|products?|features?|technolog\w+|algorithms?|models?|ai)\b"
)


def read_whole(text: str, alone: Reading, groups: Sequence[Readers]) -> Reading:
    """Return the findings and leads of a text (`verdicts.read_by`), with its clauses that bear on training (`bearing`).

    A clause on which a reader's stance rests is a lead on training use at least, so that it can be quoted.

    Parameters
    ----------
    text : str
        A snapshot's bytes decoded as UTF-8, not normalised.
    alone : Reading
        The findings and leads of the package alone (`extract`).
    groups : sequence of Readers
        Groups of readers, the preferred one first.
    """
    reading, units = read_by(text, alone, groups), units_of(text)
    on = {(row.start, row.end, row.surface) for row in (*reading.findings, *reading.leads)}
    ranks = [_rank(unit, on) for unit in units]
    near = [1 if rank > 2 and 0 in ranks[max(0, at - 1) : at + 2] else rank for at, rank in enumerate(ranks)]
    bearing = tuple((rank, unit) for rank, unit in zip(near, units, strict=True) if rank < 5)
    votes = [(group.read_by, vote) for group in groups for of in group.stances.values() for vote in of.values()]
    cited = {key: by for by, vote in reversed(votes) for key in vote.units}
    new = [unit for unit in units if unit.key in cited and (*_place(unit), TRAINING) not in on]
    leads = [*reading.leads, *(lead_on(text, unit, cited[unit.key]) for unit in new)]
    return replace(reading, bearing=bearing, leads=tuple(sorted(leads, key=lambda lead: lead.start)))


def _place(unit: Unit) -> tuple[int, int]:
    """Return the start and the end of a unit."""
    return unit.clause.start, unit.clause.end


def _rank(unit: Unit, on: set[tuple[int, int, str]]) -> int:
    """Return the rank of a unit by its own words (see `Reading.bearing`); 5 if the unit does not bear on training."""
    speaks = (*_place(unit), TRAINING) in on or may_speak(unit.words, unit.lead_in)
    licence = (*_place(unit), "content_license") in on
    signs = speaks, False, _TERM.search(unit.words), licence, _IMPROVES.search(unit.words), True
    return next(rank for rank, sign in enumerate(signs) if sign)


def asked(documents: Sequence[DocumentReading]) -> list[tuple[DocumentReading, Unit, bool]]:
    """Return the clauses that readers see to decide a platform's stance, each with its document.

    Parameters
    ----------
    documents : sequence of DocumentReading
        All current documents of the platform, ordered by name.

    Returns
    -------
    list of (DocumentReading, Unit, bool)
        Clauses of at most 12,000 characters together, in the order of the documents and texts: all that speak of training, then
        as many of the other clauses in `Reading.bearing` as fit, by rank. Definitions are included only if the clauses on training
        use the defined word. Of clauses with the same words, lead-in and headings, only the first is included. The flag is
        True for clauses that speak of training and for definitions, False for context. The list is empty if no clause speaks of
        training, or if the clauses that speak of training are too long.
    """
    rows = [(rank, of, unit) for of in documents for rank, unit in of.reading.bearing]
    used = " ".join(unit.words for rank, _, unit in rows if rank == 0)
    chosen: dict[str, int] = {}
    room = _MOST
    for at in sorted(range(len(rows)), key=lambda at: rows[at][0]):
        rank, _, unit = rows[at]
        if rank and room < 0:
            return []
        size = len(unit.words) + len(unit.lead_in)
        unused = rank == 2 and not any(re.search(rf"\b{re.escape(term)}\b", used) for term in _TERM.findall(unit.words))
        if unit.key not in chosen and not unused and (rank == 0 or size <= room):
            chosen[unit.key], room = at, room - size
    seen = [(of, unit, rank in (0, 2)) for rank, of, unit in map(rows.__getitem__, sorted(chosen.values()))]
    return seen if used and room >= 0 else []


def stances_key(units: Iterable[str]) -> str:
    """Return the key of readers' votes on stances: a hash of the keys of the units that the readers saw, without the context."""
    return sha256(" ".join(sorted(units)).encode()).hexdigest()[:24]


def agreed(documents: Sequence[DocumentReading], groups: Sequence[Readers]) -> Stances | None:
    """Return a platform's stances if all readers (language models) that answered, at least two, agree on them.

    Parameters
    ----------
    documents : sequence of DocumentReading
        All current documents of the platform, ordered by name.
    groups : sequence of Readers
        Groups of readers. The readers of all groups count alike.

    Returns
    -------
    Stances or None
        The stances, with at most four clauses: those that the readers named most often. None if fewer than two readers answered,
        if they do not agree on the platform's stance, or if a clause that a reader named is gone.
    """
    seen = asked(documents)
    key = stances_key(unit.key for _, unit, bears in seen if bears)
    places = {unit.key: (of.snapshot_sha256, *_place(unit)) for of, unit, _ in seen}
    said = [(group.read_by, of[key]) for group in groups for of in group.stances.values() if key in of]
    if not all(places.keys() >= {*vote.units} for _, vote in said):
        return None  # a clause on which a vote rests is gone
    both = _common([vote.consumer for _, vote in said]), _common([vote.business for _, vote in said])
    stance = joined(*both, for_business_only=are_for_business(documents))
    named = Counter(unit for _, vote in said for unit in vote.units)
    by = tuple(places[unit] for unit, _ in named.most_common(MOST_TO_READ)) if stance[0] in ANSWERS else ()
    names = " + ".join(dict.fromkeys(name for name, _ in said))
    return Stances(*stance, by, names) if by or stance[0] == "silent" else None


def _common(said: Sequence[str]) -> str:
    """Return the stance that all readers give, if there are at least two; else `undetermined`."""
    return said[0] if len(said) > 1 and len({*said}) == 1 else UNDETERMINED
