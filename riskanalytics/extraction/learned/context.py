"""A clause's score in its place: beside the clauses around it, its section, its lead-in and the whole document.

Clauses of one surface stand together: a row of recipients is read with the line that leads in to it, and a lonely
word in another section is most often boilerplate. `table` makes a row of whole numbers of each clause and surface
that may count; the trees read them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riskanalytics.extraction.document_kind import KINDS
from riskanalytics.extraction.form import Form
from riskanalytics.extraction.learned.trees import Table
from riskanalytics.surfaces import SURFACES

FAR: Final = -1500
"""Score of what is not there, in thousandths."""
FROM: Final = -1000
"""A clause that no rule takes is looked at from this score."""
_WIDE: Final = 1500


class Read(NamedTuple):
    """What the table needs of a clause."""

    heading: str
    continues: bool
    """It stands under a lead-in."""
    form: Form
    told: tuple[int, ...]
    """For each surface the trust in the rule that takes the clause (-1: none does), then whether its words are there
    as a lookalike has them, then whether they are there."""


def read(
    heading: str,
    lead_in: str,
    form: Form,
    signs: Collection[str],
    rules: Sequence[str | None],
    trust: Mapping[str, int],
    surfaces: Sequence[str] = SURFACES,
) -> Read:
    """Return what the table needs of a clause.

    Parameters
    ----------
    heading, lead_in : str
    form : Form
    signs : collection of str
        What the patterns say of it: `#surface`, `!surface`.
    rules : sequence of str or None
        For each surface, the rule that takes it.
    trust : mapping of str to int
        See `riskanalytics.extraction.learned.Reader`.
    surfaces : sequence of str, optional
        What is learned; all surfaces without it.
    """
    taken = (trust.get(rule, 0) if rule else -1 for rule in rules)
    excluded, triggered = ([f"{mark}{name}" in signs for name in surfaces] for mark in "!#")
    return Read(heading, bool(lead_in), form, tuple(map(int, (*taken, *excluded, *triggered))))


class Candidates(NamedTuple):
    """Clauses that may speak to a surface."""

    rows: Table
    places: list[tuple[int, int]]
    """Clause and surface of each row, as places."""


def table(scores: NDArray[np.int32], clauses: Sequence[Read], document: str) -> Candidates:
    """Make a row of each clause and surface that may count.

    Parameters
    ----------
    scores : array of int32, shape (clauses, surfaces)
        Of the linear model, in thousandths.
    clauses : sequence of Read
        In the order of the text, without headings.
    document : str
        Kind of the document, one of `riskanalytics.extraction.document_kind.KINDS`.

    Returns
    -------
    Candidates
    """
    count = len(clauses)
    if not count:
        return Candidates(np.zeros((0, 0), dtype=np.int32), [])
    told = np.array([clause.told for clause in clauses], dtype=np.int32)
    taken, excluded, triggered = np.split(told, 3, axis=1)
    where, which = np.nonzero((scores >= FROM) | (taken >= 0))
    padded = np.full((count + 4, scores.shape[1]), FAR, dtype=np.int32)
    padded[2:-2] = scores
    mean, second = _sections(scores, clauses)
    share = (1000 * (scores > 0).sum(axis=0)) // count
    numbers = np.array([clause.form.numbers for clause in clauses], dtype=np.int32)
    followed = np.array(
        [clause.form.numbers[1] and later.continues for clause, later in pairwise(clauses)] + [0],
        dtype=np.int32,
    )
    ordered = np.sort(scores, axis=1)
    own = scores[where, which]
    other = np.where(own == ordered[where, -1], ordered[where, -2], ordered[where, -1])
    columns = [
        own, other, *(padded[where + step, which] for step in (0, 1, 3, 4)), mean[where, which], second[where, which],
        share[which], _leads(scores, clauses)[where, which], which, taken[where, which], excluded[where, which],
        triggered[where, which], triggered.sum(axis=1)[where], *numbers[where].T, followed[where],
        np.full(len(where), KINDS.index(document)),
    ]  # fmt: skip
    places = list(zip(where.tolist(), which.tolist(), strict=True))
    return Candidates(np.stack(columns, axis=1).astype(np.int32), places)


def _sections(scores: NDArray[np.int32], clauses: Sequence[Read]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Mean and second-best score of the section that each clause stands in."""
    sections: dict[str, list[int]] = {}
    for place, clause in enumerate(clauses):
        sections.setdefault(clause.heading, []).append(place)
    mean, second = np.empty_like(scores), np.empty_like(scores)
    for places in sections.values():
        part = scores[places]
        mean[places] = np.clip(part, -_WIDE, _WIDE).sum(axis=0) // len(places)
        second[places] = np.sort(part, axis=0)[-2:][0]
    return mean, second


def _leads(scores: NDArray[np.int32], clauses: Sequence[Read]) -> NDArray[np.int32]:
    """Scores of the line that leads in to each clause."""
    leads = np.full_like(scores, FAR)
    last = None
    for place, clause in enumerate(clauses):
        if clause.continues and last is not None:
            leads[place] = scores[last]
        if clause.form.numbers[1]:
            last = place
    return leads
